// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import NBridgePlugin
import NBridgeSystem
import NBridgeTesting

/// Runs the real `nbridge` as a user does.
struct CommandRunner {
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().path

  /// The program under test. `NBRIDGE_PROGRAM` names another build, as the optimised one, whose compiler
  /// makes other mistakes.
  static var programPath: String {
    ProcessInfo.processInfo.environment["NBRIDGE_PROGRAM"] ?? built("nbridge")
  }

  /// What plugins are built against. `NBRIDGE_TESTED_SDK` names one that was installed, whose tests need not
  /// build the runtime.
  static var sdk: String { ProcessInfo.processInfo.environment["NBRIDGE_TESTED_SDK"] ?? root }

  /// Whether that is another build.
  static var isOptimised: Bool { ProcessInfo.processInfo.environment["NBRIDGE_PROGRAM"] != nil }

  /// A program that was built with the tests.
  static func built(_ name: String) -> String {
    let beside = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().path + "/" + name
    return FileManager.default.isExecutableFile(atPath: beside) ? beside : root + "/.build/debug/" + name
  }

  struct Result {
    let status: Int32
    let output: String
    let errors: String
  }

  /// A folder of its own for scripts and the app's files.
  let folder: String

  init() throws { folder = TemporaryFolder.make() }

  func remove() { TemporaryFolder.remove(folder) }

  func write(_ name: String, _ text: String) throws -> String {
    let path = folder + "/" + name
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    return path
  }

  /// Runs a command in a folder of its own, with these files in it.
  static func run(_ files: [String: String], _ line: String = "nbridge test") throws -> Result {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(files)
    return try runner.shell(line)
  }

  /// Writes files, by path in the folder.
  func write(_ files: [String: String]) throws {
    for (name, text) in files {
      let path = URL(fileURLWithPath: folder + "/" + name)
      try FileManager.default.createDirectory(
        at: path.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: path)
    }
  }

  /// Runs a shell line in the folder; `nbridge` is the program under test.
  func shell(_ line: String) throws -> Result {
    // Files, not pipes: a pipe that the test does not empty would stop the program.
    let output = folder + "/out.\(UUID().uuidString)"
    let errors = output + ".err"
    let environment = [
      """
      export NBRIDGE_PLUGINS='\(folder)/plugins' NBRIDGE='\(Self.programPath)' NBRIDGE_HOME='\(folder)/home' \
      LC_ALL=de_CH.UTF-8
      """,
      "unset DISPLAY WAYLAND_DISPLAY NO_COLOR; cd '\(folder)'",
      "nbridge() { \"$NBRIDGE\" \"$@\"; }",
    ]
    let script = environment.joined(separator: "; ") + "; " + line
    let shell = try ChildProcess.start(
      "/bin/sh", ["-c", "exec </dev/null; " + script], streams: [1: .file(output), 2: .file(errors)])
    let status = shell.wait()
    let text = { (path: String) in (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }
    return Result(status: status, output: Self.withoutTimes(text(output)), errors: text(errors))
  }

  /// `nbridge test` says of slow tests how long they took; on a busy machine any may be slow.
  private static func withoutTimes(_ output: String) -> String {
    guard output.contains(" ms)"), output.contains("✓") || output.contains("✗") else { return output }
    let time = #/(?<test>^ *[✓✗] [^\n]*) \([0-9]+ ms\)$/#.anchorsMatchLineEndings()
    return output.replacing(time) { $0.output.test }
  }
}

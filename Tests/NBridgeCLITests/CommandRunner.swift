// SPDX-License-Identifier: MIT

import Foundation

/// Runs the real `nbridge` as a user does.
struct CommandRunner {
  static let root = URL(fileURLWithPath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
    .deletingLastPathComponent().path

  static var programPath: String {
    let beside = URL(fileURLWithPath: CommandLine.arguments[0]).deletingLastPathComponent().path + "/nbridge"
    if FileManager.default.isExecutableFile(atPath: beside) { return beside }
    return root + "/.build/debug/nbridge"
  }

  struct Result {
    let status: Int32
    let output: String
    let errors: String
  }

  /// A folder of its own for scripts and the app's files.
  let folder: String

  init() throws {
    folder = NSTemporaryDirectory() + "/nbridge-cli-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
  }

  func remove() { try? FileManager.default.removeItem(atPath: folder) }

  func write(_ name: String, _ text: String) throws -> String {
    let path = folder + "/" + name
    try Data(text.utf8).write(to: URL(fileURLWithPath: path))
    return path
  }

  /// Runs a shell line in the folder; `nbridge` is the program under test.
  func shell(_ line: String) throws -> Result {
    let process = Process()
    process.executableURL = URL(fileURLWithPath: "/bin/sh")
    process.arguments = ["-c", "nbridge() { \"$NBRIDGE\" \"$@\"; }; \(line)"]
    process.currentDirectoryURL = URL(fileURLWithPath: folder)
    var environment = ProcessInfo.processInfo.environment
    environment["NBRIDGE"] = Self.programPath
    environment["NBRIDGE_HOME"] = folder + "/home"
    environment["LC_ALL"] = "de_CH.UTF-8"
    environment.removeValue(forKey: "DISPLAY")
    environment.removeValue(forKey: "WAYLAND_DISPLAY")
    process.environment = environment
    process.standardInput = FileHandle.nullDevice
    // Files, not pipes: a pipe that nobody empties would stop the program.
    let output = folder + "/out.\(UUID().uuidString)"
    let errors = output + ".err"
    FileManager.default.createFile(atPath: output, contents: nil)
    FileManager.default.createFile(atPath: errors, contents: nil)
    process.standardOutput = FileHandle(forWritingAtPath: output)
    process.standardError = FileHandle(forWritingAtPath: errors)
    try process.run()
    process.waitUntilExit()
    let text = { (path: String) in (try? String(contentsOfFile: path, encoding: .utf8)) ?? "" }
    return Result(
      status: process.terminationReason == .exit ? process.terminationStatus : 128 + process.terminationStatus,
      output: text(output), errors: text(errors))
  }
}

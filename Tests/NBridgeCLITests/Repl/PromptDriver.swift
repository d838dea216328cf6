// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import NBridgePlugin
import NBridgeSystem
import Testing

/// `nbridge repl` on a real terminal: tmux draws it, presses its keys and tells what is on its screen.
final class PromptDriver {
  let runner: CommandRunner
  private let socket = "nbridge-\(UUID().uuidString.prefix(8))"
  private var count = 0

  /// Opens a prompt in a folder of its own, and waits until it is there.
  init(
    _ arguments: String = "", columns: Int = 80, rows: Int = 24, files: [String: String] = [:],
    environment: String = "", command: String = "repl", waits: Bool = true
  ) throws {
    runner = try CommandRunner()
    try runner.write(files)
    let line =
      "trap : INT; unset NO_COLOR; cd '\(runner.folder)'; export NBRIDGE_HOME='\(runner.folder)/home' "
      + "NBRIDGE_REPL_HISTORY='\(history)' \(environment); "
      + "'\(CommandRunner.programPath)' \(command) \(arguments) 2>errors; echo \"left with $?\"; exec sleep "
      + "1000"
    try tmux(
      "-f", "/dev/null", "new-session", "-d", "-x", "\(columns)", "-y", "\(rows)",
      "sh -c \(Self.quoted(line))")
    if waits { expect(">") }
  }

  deinit {
    _ = try? tmux("kill-server")
    runner.remove()
  }

  /// The history's file.
  var history: String { runner.folder + "/history" }

  /// Types text as it is.
  func type(_ text: String) throws {
    // tmux takes a last semicolon for the end of its command.
    try tmux("send-keys", "-l", text.hasSuffix(";") ? text.dropLast() + "\\;" : text)
  }

  /// Presses keys by tmux's names, as `Enter`, `C-c`.
  func press(_ keys: String...) throws { for key in keys { try tmux("send-keys", key) } }

  /// Types a line and presses Enter.
  func enter(_ text: String) throws {
    try type(text)
    try press("Enter")
  }

  /// Answers a question for authentication as a person does: a key, when the question takes keys, and Enter,
  /// when the key is shown.
  func answer(_ key: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
    expect("nobody checks it:", sourceLocation: sourceLocation)
    try type(key)
    expect("nobody checks it: \(key)", sourceLocation: sourceLocation)
    try press("Enter")
  }

  /// Sends bytes as a paste: told apart from typing when `bracketed`.
  func paste(_ bytes: some Sequence<UInt8>, bracketed: Bool = true) throws {
    let name = UUID().uuidString
    let file = runner.folder + "/paste.\(name)"
    try Data(bytes).write(to: URL(fileURLWithPath: file))
    try tmux("load-buffer", "-b", name, file)
    try tmux(["paste-buffer", "-r", "-d", "-b", name] + (bracketed ? ["-p"] : []))
  }

  func resize(columns: Int, rows: Int) throws {
    try tmux(
      "resize-window", "-x", "\(columns)", "-y", "\(rows)")
  }

  /// Sends the program a signal.
  func signal(_ name: String) throws {
    _ = try runner.shell("pkill -\(name) -P $(tmux -L \(socket) list-panes -F '#{pane_pid}') nbridge")
  }

  /// The text on the screen; with `colours` as the terminal was told, with the lines above when `all`.
  func screen(colours: Bool = false, all: Bool = false) -> String {
    let arguments = ["capture-pane", "-p"] + (colours ? ["-e"] : []) + (all ? ["-S", "-"] : [])
    let text = (try? tmux(arguments)) ?? ""
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false).map { line in
      String(line.reversed().drop { $0 == " " }.reversed())
    }
    return lines.joined(separator: "\n").trimmingCharacters(in: .newlines)
  }

  /// The cursor's place: column and row from 0.
  var cursor: String {
    ((try? tmux("display-message", "-p", "#{cursor_x},#{cursor_y}")) ?? "").trimmingCharacters(in: .newlines)
  }

  /// Waits until the screen satisfies `condition`, twenty seconds at the most.
  @discardableResult
  func wait(
    _ what: String, all: Bool = false, sourceLocation: SourceLocation = #_sourceLocation,
    until condition: (String) -> Bool
  ) -> String {
    let end = ContinuousClock.now + .seconds(20)
    var seen = screen(all: all)
    while !condition(seen), ContinuousClock.now < end {
      usleep(10_000)
      seen = screen(all: all)
    }
    #expect(condition(seen), "\(what) is not on the screen:\n\(seen)", sourceLocation: sourceLocation)
    return seen
  }

  /// Waits until text is on the screen.
  @discardableResult
  func expect(_ text: String, sourceLocation: SourceLocation = #_sourceLocation) -> String {
    wait("'\(text)'", sourceLocation: sourceLocation) { $0.contains(text) }
  }

  /// Waits until the screen ends with lines.
  @discardableResult
  func expectEnd(_ lines: String, sourceLocation: SourceLocation = #_sourceLocation) -> String {
    wait("'\(lines)' at the end", sourceLocation: sourceLocation) { $0.hasSuffix(lines) }
  }

  @discardableResult
  private func tmux(_ arguments: String...) throws -> String { try tmux(arguments) }

  @discardableResult
  private func tmux(_ arguments: [String]) throws -> String {
    count += 1
    let output = runner.folder + "/tmux.\(count)"
    let child = try ChildProcess.start(
      "tmux", ["-L", socket] + arguments, streams: [1: .file(output), 2: .nothing])
    child.wait()
    defer { unlink(output) }
    return (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
  }

  private static func quoted(_ text: String) -> String {
    "'"
      + text.replacingOccurrences(
        of: "'", with: "'\\''") + "'"
  }
}

// SPDX-License-Identifier: MIT

import Glibc
import NBridgePlugin
import NBridgeSystem

/// A program that works until it is killed. What it acknowledges comes over its stdout: a number a line; a
/// line with anything else ends it.
final class Victim {
  private let process: ChildProcess
  private let output: Int32
  private var rest: [UInt8] = []
  private(set) var acknowledged: [Int] = []
  /// The last line that is no number: why it ended.
  private(set) var lastWords = ""
  private var isOver = false
  private let errors: String
  private let place: Place

  init(_ place: Place, _ script: String, _ arguments: [String]) throws {
    var ends: [Int32] = [0, 0]
    guard pipe(&ends) == 0, ends.allSatisfy({ fcntl($0, F_SETFD, FD_CLOEXEC) == 0 }) else {
      throw KillProblem("no pipe")
    }
    output = ends[0]
    (errors, self.place) = ("\(arguments[0]).err", place)
    defer { close(ends[1]) }
    let line =
      ["run", "--container", place.folder + "/c"] + place.scenario.options + [
        "\(place.folder)/\(script)"
      ]
    do {
      process = try ChildProcess.start(
        place.program, line + arguments,
        streams: [0: .nothing, 1: .descriptor(ends[1]), 2: .file("\(place.folder)/\(arguments[0]).err")])
    } catch {
      close(ends[0])
      throw KillProblem("'\(place.program)' can't be started: \(error.reason)")
    }
  }

  deinit { close(output) }

  /// Why it ended, in its own words, or what stands on its stderr; empty for one that works.
  var complaint: String {
    guard isOver, lastWords.isEmpty else { return lastWords }
    let text = (try? place.text(of: errors)) ?? ""
    return "it ended: \(text.suffix(300))"
  }

  /// Waits until it has acknowledged so many in all, or has ended. False when neither happens for twenty
  /// seconds.
  func wait(for count: Int) -> Bool {
    while acknowledged.count < count, !isOver {
      var file = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
      guard poll(&file, 1, 20_000) > 0 else { return false }
      read()
    }
    return true
  }

  /// Kills it, and takes what it acknowledged before that.
  func kill() {
    process.signal(SIGKILL)
    while !isOver { read() }
    process.wait()
  }

  /// Waits for its end. Its status; nil when it does not come for thirty seconds, and it is killed.
  func end() -> Int32? {
    while !isOver {
      var file = pollfd(fd: output, events: Int16(POLLIN), revents: 0)
      guard poll(&file, 1, 30_000) > 0 else {
        kill()
        return nil
      }
      read()
    }
    return process.wait()
  }

  private func read() {
    var room = [UInt8](repeating: 0, count: 1 << 16)
    let count = Glibc.read(output, &room, room.count)
    if count < 0, errno == EINTR { return }
    guard count > 0 else { return isOver = true }
    rest += room[..<count]
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      let line = String(decoding: rest[..<end], as: UTF8.self)
      rest.removeFirst(end + 1)
      if let number = Int(line) { acknowledged.append(number) } else { lastWords = line }
    }
  }
}

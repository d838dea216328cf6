// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridge
internal import NBridgeHost
internal import NBridgePlugin
internal import NBridgeSystem
internal import Synchronization

/// How far a run of the suite is: what is tried, the last call that was made, and what took its process
/// along.
final class ConformanceProgress: Sendable {
  private struct State {
    var moves: UInt64 = 0
    var check = ""
    /// As the script printed it.
    var call = ""
    var crashed: [String] = []
  }
  private let state = Mutex(State())

  func begin(_ check: String) {
    state.withLock { state in
      state.moves += 1
      (state.check, state.call) = (check, "")
    }
  }

  func move() { state.withLock { $0.moves += 1 } }

  /// Actions that crashed, so that they are left alone from then on.
  var crashed: [String] { state.withLock(\.crashed) }

  /// Takes a line of the script's that is for the suite alone; false for another.
  func takes(_ line: Substring) -> Bool {
    if line.hasPrefix("\"at: ") {
      state.withLock { state in
        state.moves += 1
        state.call = String(line)
      }
      return true
    }
    if line == "\"over\"" {
      move()
      return true
    }
    guard line.hasPrefix("\"crashed: ") else { return false }
    let name = String(Self.plain(line).dropFirst("crashed: ".count))
    state.withLock { $0.crashed.append(name) }
    return true
  }

  /// A line as it was before the script made JSON of it.
  static func plain(_ line: some StringProtocol) -> String {
    (try? Value(text: Array(line.utf8)).decode(String.self)) ?? String(line)
  }

  fileprivate var position: (moves: UInt64, check: String, call: String) {
    state.withLock { state in
      (state.moves, state.check, String(Self.plain(state.call).dropFirst("at: ".count)))
    }
  }
}

/// Looks, on a thread of its own, whether a run moves: a call that never comes back can't be seen on the
/// engine's own.
final class StuckWatch: Sendable {
  /// How many seconds native code may keep the engine, and how long nothing may move at all: calls have
  /// deadlines, of 75 s at most, and the script patience, which end before.
  private static let limits = (native: 10, all: 90)
  private let done = Gate()

  /// - Parameter tell: called on the watch's thread, once.
  init(
    _ progress: ConformanceProgress, engine: Int32,
    _ tell: @escaping @Sendable (PluginConformance.Check) -> Void
  ) {
    let done = self.done
    PlainThread.start("nb-conformance") {
      var last = progress.position.moves
      var (moved, entered) = (Self.now, Self.now)
      while !done.wait(milliseconds: 250) {
        let position = progress.position
        let native = NativeCalls.running(on: engine)
        if position.moves != last { (last, moved) = (position.moves, Self.now) }
        if native == nil || moved > entered { entered = Self.now }
        let limit = native == nil ? Self.limits.all : Self.limits.native
        guard Self.now - (native == nil ? moved : entered) >= limit else { continue }
        let call = position.call.isEmpty ? "" : "; the last call was \(position.call)"
        let what = native.map { "\($0) did not come back within" } ?? "nothing moved for"
        tell(PluginConformance.Check(name: position.check, problems: ["\(what) \(limit) s\(call)"]))
        return
      }
    }
  }

  func end() { done.open() }

  private static var now: Int { MonotonicTime.milliseconds / 1000 }
}

/// What a check prints is looked at; what is said of a plugin that ends the process is the last that is said,
/// and has to get out.
final class SuiteOutput: ScriptOutput {
  private let captured: CapturedOutput
  private let progress: ConformanceProgress

  init(_ captured: CapturedOutput, _ progress: ConformanceProgress) {
    (self.captured, self.progress) = (captured, progress)
  }

  func write(_ text: String) {
    for line in text.split(separator: "\n") where !progress.takes(line) { captured.write("\(line)\n") }
  }

  func writeError(_ text: String) {
    captured.writeError(text)
    guard text.hasPrefix("nbridge: "), text.contains(" crashed (") || text.contains(" called exit() ") else {
      return
    }
    _ = Array(text.utf8).withUnsafeBytes { Glibc.write(STDERR_FILENO, $0.baseAddress, $0.count) }
  }

  func flush() {}
  var colours: Bool { false }
  var errorColours: Bool { false }
}

/// What this process holds.
enum Holding {
  static var kibibytes: Int {
    // Files of /proc have no size: read what there is.
    guard let file = try? Descriptor.open("/proc/self/statm", O_RDONLY),
      let text = try? file.read(atMost: 128)
    else { return 0 }
    let fields = String(decoding: text, as: UTF8.self).split(separator: " ")
    return fields.count > 1 ? (Int(fields[1]) ?? 0) * 4 : 0
  }

  /// How many files and sockets are open.
  static var descriptors: Int {
    guard let stream = opendir("/proc/self/fd") else { return 0 }
    defer { closedir(stream) }
    var count = 0
    while readdir(stream) != nil { count += 1 }
    return count
  }
}

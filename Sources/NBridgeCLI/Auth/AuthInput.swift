// SPDX-License-Identifier: MIT

internal import Glibc
internal import LoggerPlugin
internal import NBridgePlugin
internal import NBridgeSystem
internal import NBridgeTerminal

/// What comes from the terminal while a person is asked, in pieces between which it was quiet for longer than
/// in a paste. A person presses one key at a time: a piece with more in it is no person's answer, whether the
/// terminal brackets pastes or not.
struct AuthInput {
  enum Event {
    /// A key that came alone; on a terminal that sends lines, the keys of one line.
    case keys([Key])
    /// More than that at once.
    case several
    case pause, over
  }

  private enum Readiness { case bytes, quiet, over }

  private let cancel: WakeFile
  private let isInterrupted: (@Sendable () -> Bool)?
  private let sendsLines: Bool
  private var parser = KeyParser()
  /// Whether what comes belongs to what came before, because it was not quiet since.
  private var goesOn = true

  /// How long it is quiet behind a key that counts: a paste comes in pieces with less between them, a person
  /// who types needs more. How often it is looked whether the script was stopped, and how long one piece may
  /// take until the question is drawn anew: other processes may write to the terminal, too. In milliseconds.
  private static let (quiet, look, longest) = (20, 50, 250)
  /// How long a question stands before the person can have meant a key as its answer.
  private static let moment = 250

  init(_ cancel: WakeFile, _ isInterrupted: (@Sendable () -> Bool)?, sendsLines: Bool) {
    (self.cancel, self.isInterrupted, self.sendsLines) = (cancel, isInterrupted, sendsLines)
  }

  /// Throws away what was typed before the question, and until it has stood for a moment. Answers `several`
  /// when that goes on.
  mutating func settle() -> Event {
    tcflush(STDIN_FILENO, TCIFLUSH)
    let end = now + Self.moment
    let last = end + Self.longest
    while now < last {
      switch wait(max(Self.quiet, end - now)) {
      case .over: return .over
      case .bytes: if read() == nil { return .over }
      case .quiet:
        // A line that was begun, too, which a terminal of lines has not sent yet.
        tcflush(STDIN_FILENO, TCIFLUSH)
        (parser, goesOn) = (KeyParser(), false)
        return .pause
      }
    }
    return .several
  }

  /// What comes next.
  mutating func next() -> Event {
    switch wait(Self.longest) {
    case .over: return .over
    case .quiet:
      goesOn = false
      return .pause
    case .bytes: return gather()
    }
  }

  /// All that comes until it is quiet.
  private mutating func gather() -> Event {
    var keys: [Key] = []
    let (end, wasGoingOn) = (now + Self.longest, goesOn)
    goesOn = true
    while goesOn, now < end {
      guard let more = read() else { return .over }
      keys += more.prefix(max(0, 3 - keys.count))
      switch wait(Self.quiet) {
      case .over: return .over
      case .quiet: goesOn = false
      case .bytes: break
      }
    }
    if goesOn || wasGoingOn { return .several }
    keys += parser.flushEscape()
    return keys.isEmpty ? .pause : Self.isTyped(keys, sendsLines: sendsLines) ? .keys(keys) : .several
  }

  /// Whether a person can have typed these keys as an answer.
  static func isTyped(_ keys: [Key], sendsLines: Bool) -> Bool {
    if sendsLines { return keys.last == .enter && keys.dropLast().allSatisfy(\.isText) && keys.count < 3 }
    guard keys.count == 1 else { return false }
    switch keys[0] {
    case .text(let text): return text.count == 1
    case .paste: return false
    default: return true
    }
  }

  /// The keys that end in what there is; nil at the terminal's end.
  private mutating func read() -> [Key]? {
    let bytes = [UInt8](unsafeUninitializedCapacity: 4096) { memory, count in
      count = max(0, Glibc.read(STDIN_FILENO, memory.baseAddress, memory.count))
    }
    return bytes.isEmpty ? nil : parser.feed(bytes)
  }

  private func wait(_ milliseconds: Int) -> Readiness {
    var files = [STDIN_FILENO, cancel.number].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    let end = now + milliseconds
    repeat {
      if let isInterrupted, isInterrupted() { return .over }
      let left = max(0, end - now)
      let count = poll(&files, 2, Int32(clamping: isInterrupted == nil ? left : min(left, Self.look)))
      if count > 0 { return files[1].revents == 0 ? .bytes : .over }
    } while now < end
    return .quiet
  }

  private var now: Int { MonotonicTime.milliseconds }
}

extension Key {
  fileprivate var isText: Bool { if case .text = self { true } else { false } }
}

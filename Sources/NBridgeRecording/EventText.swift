// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgeHost
internal import NBridgePlugin
internal import NBridgeScript

/// Writes events as lines for people: calls have numbers, answers that come later say which call they belong
/// to.
struct EventText {
  private(set) var calls = 0
  private var slots: [Int: (call: Int, name: String)] = [:]
  private var lastName = ""
  private var lastTimers: Double?
  /// How many characters of a value are shown; nil for all.
  private let limit: Int?

  init(limit: Int?) { self.limit = limit }

  /// The lines of the next event.
  mutating func lines(of event: RecordingEvent) -> [String] {
    switch event {
    case .facade(let service, .success): return ["        uses \(service)"]
    case .facade(let service, .failure(let failure)):
      return ["        uses \(service), which failed: \(failure.error.message)"]
    case .bound(let binding):
      guard case .failure(let failure) = binding.found else { return [] }
      return ["        finds no \(binding.service).\(binding.name): \(failure.error.message)"]
    case .called(let call): return [note(call)]
    case .answered(let reply): return ["        = \(Self.text(reply, limit))"]
    case .pending(let slot):
      slots[slot] = (calls, lastName)
      return []
    case .cancelled(let slot): return ["\(who(slot)) is cancelled"]
    case .granted(let slot, let count): return ["\(who(slot)) may send \(count) more"]
    case .given(let input): return ["        \(Self.text(input, limit))"]
    case .delivered(let replies):
      return replies.map { slot, reply in
        let isLater = reply.kind.rawValue >= ReplyKind.events.rawValue
        let sign = reply.kind == .asks ? "asks" : isLater ? "sends" : "="
        return "\(who(slot)) \(sign) \(Self.text(reply, limit))"
      }
    case .timers(let time):
      defer { lastTimers = time }
      return time == lastTimers ? [] : ["        timers at \(time.formatted) ms"]
    case .task(let number): return ["        task \(number)"]
    case .settled: return []
    case .ended(let ending): return ["        ended: \(Self.text(ending))"]
    case .finished(let status): return ["        over, with status \(status)"]
    }
  }

  private mutating func note(_ call: RecordedCall) -> String {
    calls += 1
    lastName = "\(call.service).\(call.action)"
    return Self.numbered(calls) + Self.text(call, limit)
  }

  private static func numbered(_ number: Int) -> String {
    let digits = "\(number)"
    return String(repeating: " ", count: max(0, 6 - digits.count)) + digits + "  "
  }

  /// The call that waits in a slot.
  private func who(_ slot: Int) -> String {
    guard let (call, name) = slots[slot] else { return "        slot \(slot)" }
    return Self.numbered(call) + name
  }

  // MARK: - Values

  static func text(_ call: RecordedCall, _ limit: Int?) -> String {
    var text = "\(call.service).\(call.action)(\(shortened(printable(call.text), limit)))"
    if !call.bytes.isEmpty { text += " with \(sizes(call.bytes))" }
    if let timeout = call.timeout { text += ", timeout \(timeout) ms" }
    if call.letsGo { text += ", lets the program end" }
    return text
  }

  /// Where a call is another one than was recorded, as lines; nil when it is the same.
  static func difference(of now: RecordedCall, from then: RecordedCall) -> [String]? {
    guard now.service == then.service, now.action == then.action else { return [] }
    guard now.text == then.text else { return difference(of: now.text, from: then.text) }
    guard now.bytes.count == then.bytes.count else { return [] }
    for (index, (new, old)) in zip(now.bytes, then.bytes).enumerated() where !isSame(new, old) {
      let at =
        zip(new, old).enumerated().first { $0.element.0 != $0.element.1 }?.offset ?? min(new.count, old.count)
      let value = { (bytes: Bytes) in at < bytes.count ? "\(bytes[at])" : "nothing" }
      return [
        "bytes \(index) differ from offset \(at) on: there was \(value(old)), now there is \(value(new))"
      ]
    }
    return now.timeout == then.timeout && now.letsGo == then.letsGo ? nil : []
  }

  private static func isSame(_ one: Bytes, _ other: Bytes) -> Bool {
    one.count == other.count
      && one.withUnsafeBytes { one in
        other.withUnsafeBytes { other in
          guard let start = one.baseAddress, let otherStart = other.baseAddress else { return true }
          return memcmp(start, otherStart, one.count) == 0
        }
      }
  }

  /// What stands around the first difference of long texts, which their beginnings do not show.
  private static func difference(of now: [UInt8], from then: [UInt8]) -> [String] {
    let at = zip(now, then).prefix { $0 == $1 }.count
    guard at > 120 else { return [] }
    let around = { (text: [UInt8]) in printable(Array(text.dropFirst(at - 40).prefix(80))) }
    return ["from byte \(at) on:", "- …\(around(then))…", "+ …\(around(now))…"]
  }

  static func text(_ reply: Reply, _ limit: Int?) -> String {
    let sign = reply.kind == .failure ? "failed: " : ""
    switch reply.payload {
    case .undefined: return "undefined"
    case .bool(let value): return "\(value)"
    case .number(let value): return value.formatted
    case .string(let text): return shortened("\"" + printable(Array(text.utf8)) + "\"", limit)
    case .text(let text): return sign + shortened(printable(text), limit)
    case .bytes(let bytes): return sizes([bytes])
    case .mixed(let text, let bytes): return shortened(printable(text), limit) + " with \(sizes(bytes))"
    }
  }

  static func text(_ input: RecordedInput, _ limit: Int?) -> String {
    switch input {
    case .number(let kind, let value): "\(kind.name): \(value.formatted)"
    case .text(let kind, let text):
      "\(kind.name): \(text.map { shortened(printable(Array($0.utf8)), limit) } ?? "none")"
    case .bytes(let bytes): "\(InputKind.random.name): \(bytes.count)"
    }
  }

  static func text(_ ending: RecordedEnding) -> String {
    switch ending {
    case .exited(let code): "a plugin asked for exit \(code)"
    case .stopped(let signal): "signal \(signal)"
    case .timedOut(let seconds): "the time limit of \(seconds.formatted) s"
    case .stalled(let seconds): "no call moved for \(seconds.formatted) s"
    }
  }

  private static func sizes(_ bytes: [Bytes]) -> String {
    bytes.map { "\($0.count)" }.joined(separator: " + ") + " bytes"
  }

  private static func shortened(_ text: String, _ limit: Int?) -> String {
    guard let limit, text.count > limit else { return text }
    return text.prefix(limit) + "… (\(text.count) characters)"
  }

  /// Text that moves no cursor: what controls a terminal is shown by its number.
  private static func printable(_ text: [UInt8]) -> String {
    printable(String(decoding: text, as: UTF8.self))
  }

  /// A recording may come from any sender, and hold anything in any place.
  static func printable(_ text: String) -> String { DisplayText.printable(text, .unseen, as: .number) }
}

extension Recording {
  /// Calls `take` with each line that `nbridge replay show` prints.
  ///
  /// - Parameters:
  ///   - limit: how many characters of a value are shown; nil for all.
  ///   - take: gets each line, without its end.
  /// - Throws: ``RecordingError`` where the recording is damaged, after the lines before.
  public func show(limit: Int?, _ take: (String) -> Void) throws(RecordingError) {
    var text = EventText(limit: limit)
    for line in introduction { take(EventText.printable(line)) }
    var reader = RecordingReader(self)
    var isFinished = false
    do throws(RecordingDamage) {
      while let event = try reader.next() {
        for line in text.lines(of: event) { take(EventText.printable(line)) }
        if case .finished = event { isFinished = true }
      }
    } catch { throw RecordingError("the recording is damaged at byte \(error.offset): \(error.reason)") }
    if !isFinished {
      take("        breaks off here: the program was killed, or still runs, or never came back to its loop")
    }
  }

  private var introduction: [String] {
    var lines = [
      "\(([header.program] + header.arguments).joined(separator: " ")), recorded by nbridge \(header.nbridge)"
    ]
    lines.append("services: \(header.services.joined(separator: ", "))")
    for (service, value) in header.settings.sorted(by: { $0.key < $1.key }) {
      lines.append("settings of \(service): \(String(decoding: value.text, as: UTF8.self))")
    }
    return lines
  }
}

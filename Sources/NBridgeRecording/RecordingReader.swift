// SPDX-License-Identifier: MIT

internal import NBridgeHost
internal import NBridgePlugin

/// The events of a recording, one after the other.
struct RecordingReader: ~Copyable {
  private var frames: FrameReader
  /// The names of actions, by the number that stands for them from their second call on.
  private var names: [(service: String, action: String)] = []

  init(_ recording: Recording) { frames = FrameReader(recording.bytes, from: recording.start) }

  /// The next event; nil at the end, also at that of a recording that breaks off.
  mutating func next() throws(RecordingDamage) -> RecordingEvent? {
    guard let kind = try frames.next() else { return nil }
    let event = try event(kind)
    try frames.demandEnd()
    return event
  }

  private mutating func event(_ kind: FrameKind) throws(RecordingDamage) -> RecordingEvent {
    switch kind {
    case .header: throw frames.damage("a header stands among the events")
    case .facade: return .facade(service: try frames.string(), source: try source())
    case .bound: return .bound(try binding())
    case .called: return .called(try call())
    case .answered: return .answered(try frames.reply())
    case .pending: return .pending(slot: try frames.number())
    case .cancelled: return .cancelled(slot: try frames.number())
    case .granted: return .granted(slot: try frames.number(), count: try frames.number())
    case .given: return .given(try input())
    case .delivered: return .delivered(try replies())
    case .timers: return .timers(at: try frames.double())
    case .task: return .task(try frames.number())
    case .settled: return .settled
    case .ended: return .ended(try ending())
    case .finished: return .finished(status: try frames.number())
    }
  }

  private mutating func source() throws(RecordingDamage) -> Result<String, RecordedFailure> {
    let isThere = try frames.flag()
    let text = try frames.text()
    return isThere ? .success(String(decoding: text, as: UTF8.self)) : .failure(RecordedFailure(text: text))
  }

  private mutating func binding() throws(RecordingDamage) -> RecordedBinding {
    let service = try frames.string(), name = try frames.string(), forPlugin = try frames.flag()
    guard try frames.flag() else {
      return RecordedBinding(
        service: service, name: name, forPlugin: forPlugin,
        found: .failure(RecordedFailure(text: try frames.text())))
    }
    let isWatch = try frames.flag(), isConfidential = try frames.flag(), policy = try frames.byte()
    let limit = try frames.number()
    let buffering: Buffering
    switch policy {
    case 0: buffering = .wait(limit)
    case 1: buffering = .dropOldest(limit)
    case 2: buffering = .dropNewest(limit)
    default: throw frames.damage("there are no buffers of kind \(policy)")
    }
    return RecordedBinding(
      service: service, name: name, forPlugin: forPlugin,
      found: .success(.init(isWatch: isWatch, isConfidential: isConfidential, buffering: buffering)))
  }

  private mutating func call() throws(RecordingDamage) -> RecordedCall {
    let number = try frames.number()
    if number == names.count { names.append((try frames.string(), try frames.string())) }
    guard number < names.count else { throw frames.damage("action \(number) was not named") }
    let timeout = try frames.number(), letsGo = try frames.flag()
    return RecordedCall(
      service: names[number].service, action: names[number].action, timeout: timeout == 0 ? nil : timeout,
      letsGo: letsGo, text: try frames.text(), bytes: try frames.list())
  }

  private mutating func input() throws(RecordingDamage) -> RecordedInput {
    let code = try frames.byte()
    guard let kind = InputKind(rawValue: code) else {
      throw frames.damage("there are no inputs of kind \(code)")
    }
    switch try frames.byte() {
    case 0: return .text(kind, nil)
    case 1: return .text(kind, try frames.string())
    case 2: return .number(kind, try frames.double())
    case 3: return .bytes(try frames.text())
    case let form: throw frames.damage("there are no inputs of form \(form)")
    }
  }

  private mutating func replies() throws(RecordingDamage) -> [SlotReply] {
    let count = try frames.number()
    var replies: [SlotReply] = []
    for _ in 0..<count {
      let slot = try frames.number()
      // The script's list of waiting calls is as long as its highest slot.
      guard slot < 1 << 24 else { throw frames.damage("slot \(slot) is more than there can be") }
      replies.append((slot, try frames.reply()))
    }
    return replies
  }

  private mutating func ending() throws(RecordingDamage) -> RecordedEnding {
    switch try frames.byte() {
    case 0: return .exited(Int32(truncatingIfNeeded: try frames.number()))
    case 1: return .stopped(signal: Int32(truncatingIfNeeded: try frames.number() & 0x7F))
    case 2: return .timedOut(seconds: try frames.double())
    case 3: return .stalled(seconds: try frames.double())
    case let code: throw frames.damage("there are no endings of kind \(code)")
    }
  }
}

// SPDX-License-Identifier: MIT

package import NBridgeHost
package import NBridgePlugin
internal import NBridgeScript

/// Answers a script out of a recording, in the recording's order, until it does something else than it did
/// then.
package final class Replayer: ProgramTape {
  package let header: RecordingHeader
  private var reader: RecordingReader
  /// The event that comes next; nil at the end.
  private var upcoming: RecordingEvent?
  private let secrets: SecretFilter
  private var tasks: [Int: () -> Void] = [:]
  private var lastTask = 0
  private var text = EventText(limit: 200)
  /// The last lines before where the replay stands.
  private var before: [String] = []
  /// How the script differs from the recording, once it does.
  package private(set) var difference: String?
  /// Called when the difference is found.
  package var onDifference: () -> Void = {}
  /// Called when the recording has nothing more for the script, which still runs.
  package var onEnd: () -> Void = {}
  private(set) var isFinished = false

  package init(_ recording: Recording) {
    header = recording.header
    secrets = SecretFilter(recording.header.secretNames)
    // What was taken out of it counts here, too.
    var counted = recording.header
    counted.takeOut(secrets)
    reader = RecordingReader(recording)
    advance()
  }

  package var calls: Int { text.calls }

  // MARK: - The recording's order

  private func advance() {
    if let upcoming {
      before += text.lines(of: upcoming)
      if before.count > 5 { before.removeFirst(before.count - 5) }
    }
    do { upcoming = try reader.next() } catch {
      upcoming = nil
      differ(["nbridge: the recording is damaged at byte \(error.offset): \(error.reason)"])
    }
    switch upcoming {
    case nil, .ended, .finished: onEnd()
    default: break
    }
  }

  /// What is said of a script that does not come back to its loop where the recording has no more for it.
  package func endlessReport(seconds: Int) -> String {
    "nbridge: the recording ends after call \(text.calls), in the middle of the script, which did not come "
      + "back to its loop "
      + "within \(seconds) s; ended\n"
  }

  /// The first difference counts: everything after it follows from it.
  private func differ(_ lines: [String]) {
    guard difference == nil else { return }
    difference = lines.map(EventText.printable).joined(separator: "\n") + "\n"
    onDifference()
  }

  /// The script does `now`, and did something else.
  private func differ(now: String, _ place: [String] = []) {
    if case .ended(let ending) = upcoming {
      return differ([
        "nbridge: the recorded program was ended here, in the middle of its script: \(EventText.text(ending))"
      ])
    }
    guard let upcoming else {
      return differ(
        ["nbridge: the recording ends here, after call \(text.calls); the script goes on:"] + before + [
          "+       \(now)"
        ])
    }
    let (number, then) = shown(upcoming)
    differ(
      ["nbridge: the replay differs from the recording at call \(number):"] + before
        + then.map { "-" + $0.dropFirst() } + ["+       \(now)"] + place.map { "        " + $0 })
  }

  private func shown(_ event: RecordingEvent) -> (call: Int, lines: [String]) {
    var text = text
    var lines = text.lines(of: event)
    if lines.isEmpty {
      switch event {
      case .bound(let binding): lines = ["        looks up \(binding.service).\(binding.name)"]
      case .settled: lines = ["        has nothing more to do"]
      default: lines = ["        goes on"]
      }
    }
    return (max(1, text.calls), lines)
  }

  private static var over: BridgeError {
    BridgeError(.cancelled, "the script does something else than was recorded; the replay ends here")
  }

  // MARK: - What the script asks for

  package func facade(_ service: String, _ make: () throws -> String) throws -> String {
    guard difference == nil, case .facade(service, let source) = upcoming else {
      differ(now: "uses \(service)")
      throw Self.over
    }
    advance()
    return try source.mapError(\.error).get()
  }

  package func bound(
    _ service: String, _ name: String, forPlugin: Bool, in session: CallSession,
    _ find: () throws -> SessionAction
  ) throws -> SessionAction {
    guard difference == nil, case .bound(let binding) = upcoming,
      binding.service == service, binding.name == name, binding.forPlugin == forPlugin
    else {
      differ(now: "looks up \(service).\(name)")
      throw Self.over
    }
    advance()
    let shape = try binding.found.mapError(\.error).get()
    var declaration = Declaration(
      name: name, help: "", options: .none, result: .none,
      runner: shape.isWatch ? .watch { _, _ in throw Self.over } : .foreign)
    declaration.buffering = shape.buffering
    declaration.isConfidential = shape.isConfidential
    return SessionAction(
      session.host.plugins.standIn(service, declaration), .everything, session: session.number)
  }

  package func begin(
    _ action: SessionAction, _ input: WireInput, _ control: CallControl, in session: CallSession,
    _ dispatch: () -> Begun
  ) -> Begun {
    guard difference == nil else { return .failed(Self.over) }
    let scope = secrets.scope(isConfidential: action.bound.declaration.isConfidential, input)
    let (text, bytes) =
      secrets.filter(input.text, input.attachments, isSecret: scope.input) ?? (
        Array(input.text), input.attachments
      )
    let now = RecordedCall(
      service: action.bound.service, action: action.bound.declaration.key, timeout: control.timeout,
      letsGo: control.letsGo, text: text, bytes: bytes)
    guard case .called(let then) = upcoming else {
      differ(now: EventText.text(now, 200))
      return .failed(Self.over)
    }
    if let place = EventText.difference(of: now, from: then) {
      differ(now: EventText.text(now, 200), place)
      return .failed(Self.over)
    }
    advance()
    return answer(scope, session, EventText.text(now, 200))
  }

  private func answer(_ scope: SecretScope, _ session: CallSession, _ name: String) -> Begun {
    switch upcoming {
    case .pending(let slot):
      secrets.park(scope, slot)
      advance()
      return .pending(slot: slot)
    case .answered(let recorded):
      // What is secret was taken out; this keeps count of the marks.
      let reply = secrets.filter(recorded, scope)
      advance()
      if case .failure(let error) = reply.result, reply.kind == .failure { return .failed(error) }
      return .answered(reply.output(into: session.host.sink))
    case nil:
      differ([
        "nbridge: the recording ends inside of call \(text.calls), which did not come back:",
        "        \(name)",
      ])
    default: differ(["nbridge: the recording is damaged: call \(text.calls) has no answer"])
    }
    return .failed(Self.over)
  }

  package func cancelled(slot: Int) {
    guard difference == nil else { return }
    guard case .cancelled(slot) = upcoming else { return differ(now: "cancels the call in slot \(slot)") }
    advance()
  }

  package func granted(slot: Int, count: Int) {
    guard difference == nil else { return }
    guard case .granted(slot, count) = upcoming else {
      return differ(now: "takes \(count) events of the watch in slot \(slot)")
    }
    advance()
  }

  package func delivers(_ replies: [SlotReply]) {}

  package func number(_ kind: InputKind, _ real: () -> Double) -> Double {
    guard difference == nil, case .given(.number(kind, let value)) = upcoming else {
      differ(now: "asks for \(kind.name)")
      return 0
    }
    advance()
    return value
  }

  package func text(_ kind: InputKind, asking question: String?, _ real: () -> String?) -> String? {
    guard difference == nil, case .given(.text(kind, let text)) = upcoming else {
      differ(now: "asks for \(kind.name)")
      return nil
    }
    advance()
    let isSecret = question.map(secrets.asksForSecret) ?? false
    return text.map { secrets.filter($0, isSecret: isSecret) }
  }

  package func random(_ memory: UnsafeMutableRawBufferPointer) {
    guard difference == nil, case .given(.bytes(let bytes)) = upcoming, bytes.count == memory.count else {
      return differ(now: "asks for \(memory.count) random bytes")
    }
    memory.copyBytes(from: bytes)
    advance()
  }

  package func later(_ body: @escaping () -> Void) -> (() -> Void)? {
    lastTask += 1
    tasks[lastTask] = body
    return nil
  }

  package func timers(at time: Double) {}
  package func ended(_ ending: RecordedEnding) {}
  package func settled() { if difference == nil, case .settled = upcoming { advance() } }

  package func finished(status: Int) {
    guard difference == nil else { return }
    if case .finished(let then) = upcoming {
      isFinished = then == status
      if then != status { differ(now: "over, with status \(status)") }
    } else {
      differ(now: "over, with status \(status)")
    }
  }

  // MARK: - What comes by itself

  /// Something that the loop does with the script.
  package enum Turn {
    case deliver([SlotReply])
    case timers(at: Double)
    case run(() -> Void)
    case end(RecordedEnding)
  }

  /// What the script is given next by itself. nil when it had its say, or when it ought to have done
  /// something more, which is a difference.
  package func nextTurn(isLast: Bool) -> Turn? {
    guard difference == nil else { return nil }
    switch upcoming {
    case .delivered(let replies):
      advance()
      return .deliver(secrets.filter(replies))
    case .timers(let time):
      advance()
      return .timers(at: time)
    case .task(let number):
      advance()
      guard let task = tasks.removeValue(forKey: number) else {
        differ(["nbridge: the recording is damaged: task \(number) was never put off"])
        return nil
      }
      return .run(task)
    case .ended(let ending):
      advance()
      return .end(ending)
    case .settled where isLast:
      // What the loop had still to do when the script had ended came before it.
      advance()
      return nextTurn(isLast: true)
    case .settled: return nil
    case nil where isLast: return nil
    case nil:
      differ(
        ["nbridge: the recording breaks off here, after call \(text.calls); the program was killed then:"]
          + before)
      return nil
    case .finished where isLast, .called where isLast, .given where isLast: return nil
    default:
      differ(now: "goes on without that")
      return nil
    }
  }
}

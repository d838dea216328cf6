// SPDX-License-Identifier: MIT

package import NBridgeHost
package import NBridgePlugin

/// Writes down what crosses, without what is secret.
package final class Recorder: ProgramTape {
  package let header: RecordingHeader
  private let writer: RecordingWriter
  private let secrets: SecretFilter
  private var lastTask = 0

  package init(_ path: String, _ header: RecordingHeader, onFailure: @escaping (String) -> Void)
    throws(RecordingError)
  {
    secrets = SecretFilter(header.secretNames)
    var header = header
    header.takeOut(secrets)
    self.header = header
    writer = try RecordingWriter(path, header, onFailure: onFailure)
  }

  // MARK: - Calls

  package func facade(_ service: String, _ make: () throws -> String) throws -> String {
    let made = Result { try make() }
    writer.facade(service, made.mapError { RecordedFailure($0) })
    return try made.get()
  }

  package func bound(
    _ service: String, _ name: String, forPlugin: Bool, in session: CallSession,
    _ find: () throws -> SessionAction
  ) throws -> SessionAction {
    let found = Result { try find() }
    let shape = found.map { action in
      let declaration = action.bound.declaration
      return RecordedBinding.Shape(
        isWatch: declaration.kind == .watch, isConfidential: declaration.isConfidential,
        buffering: declaration.buffering)
    }
    writer.bound(
      RecordedBinding(
        service: service, name: name, forPlugin: forPlugin, found: shape.mapError { RecordedFailure($0) }))
    return try found.get()
  }

  package func begin(
    _ action: SessionAction, _ input: WireInput, _ control: CallControl, in session: CallSession,
    _ dispatch: () -> Begun
  ) -> Begun {
    let scope = secrets.scope(isConfidential: action.bound.declaration.isConfidential, input)
    if let (text, bytes) = secrets.filter(input.text, input.attachments, isSecret: scope.input) {
      text.withUnsafeBufferPointer { writer.called(action, control, $0, bytes) }
    } else {
      writer.called(action, control, input.text, input.attachments)
    }
    let begun = dispatch()
    note(begun, action, scope, session.host.sink)
    return begun
  }

  private func note(_ begun: Begun, _ action: SessionAction, _ scope: SecretScope, _ sink: WireSink) {
    switch begun {
    case .pending(let slot):
      secrets.park(scope, slot)
      writer.pending(slot: slot)
    case .failed(let error): writer.answered(secrets.filter(Reply(error, action: action.bound), scope))
    case .answered(.text):
      let kind: ReplyKind = sink.attachments.isEmpty ? (sink.isTagged ? .tagged : .text) : .mixed
      if let (text, bytes) = secrets.filter(sink.text, sink.attachments, isSecret: scope.answer) {
        text.withUnsafeBufferPointer { writer.answered(kind, $0, bytes) }
      } else {
        writer.answered(kind, sink.text, sink.attachments)
      }
    case .answered(let output): writer.answered(secrets.filter(Reply(output, sink), scope))
    }
  }

  package func cancelled(slot: Int) { writer.cancelled(slot: slot) }
  package func granted(slot: Int, count: Int) { writer.granted(slot: slot, count: count) }
  package func delivers(_ replies: [SlotReply]) { writer.delivered(secrets.filter(replies)) }

  // MARK: - The rest

  package func number(_ kind: InputKind, _ real: () -> Double) -> Double {
    let value = real()
    writer.given(.number(kind, value))
    return value
  }

  package func text(_ kind: InputKind, asking question: String?, _ real: () -> String?) -> String? {
    let text = real()
    let isSecret = question.map(secrets.asksForSecret) ?? false
    writer.given(.text(kind, text.map { secrets.filter($0, isSecret: isSecret) }))
    return text
  }

  package func random(_ memory: UnsafeMutableRawBufferPointer) { writer.given(.bytes(Array(memory))) }

  package func later(_ body: @escaping () -> Void) -> (() -> Void)? {
    lastTask += 1
    let number = lastTask
    return { [self] in
      writer.task(number)
      body()
    }
  }

  package func timers(at time: Double) { writer.timers(at: time) }
  package func settled() { writer.settled() }
  package func ended(_ ending: RecordedEnding) { writer.ended(ending) }

  package func finished(status: Int) {
    writer.finished(status: status)
    writer.close()
  }
}

extension RecordedFailure {
  package init(_ error: any Error) {
    let sink = WireSink()
    ErrorText.write(BridgeError(wrapping: error), action: nil, into: sink)
    text = Array(sink.text)
  }

  package var error: BridgeError { text.withUnsafeBufferPointer { BridgeError(foreign: $0) } }
}

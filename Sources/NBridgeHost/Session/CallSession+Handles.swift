// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// What a session does for the objects of plugins that its client holds.
extension CallSession {
  /// Prepares a call that closes an object: its watches end, as if their sequences had. When calls on the
  /// object are under way, the call waits for them. nil when it may begin at once, or closes nothing.
  func beginClosing(_ action: SessionAction, _ input: WireInput, _ control: CallControl) -> Begun? {
    guard action.bound.declaration.handle?.closes == true, let number = HandleAddress(input)?.number else {
      return nil
    }
    let object = ObjectKey(number: number, service: action.bound.service)
    for record in objects.watches(of: object) { end(record) }
    guard objects.hasCalls(on: object) else { return nil }
    let record = makeRecord(action.bound, .none, control)
    objects.keep(Closing(action: action, record: record, input: Array(input.text)), behindCallsOn: object)
    return .pending(slot: park(record))
  }

  /// A call on an object is over: what waited for the last one begins, once the loop has turned.
  func endUse(of object: ObjectKey, by record: CallRecord) {
    let ready = objects.end(record, of: object)
    guard !ready.isEmpty else { return }
    let work = UncheckedSendable((self, ready))  // touched again on the loop's thread only
    loop.post { for closing in work.value.1 { work.value.0.begin(closing) } }
  }

  private func begin(_ closing: Closing) {
    closing.input.withUnsafeBufferPointer { text in
      do { try run(closing, WireInput(text: text, attachments: [])) } catch {
        deliver(closing.record, .failure(error))
      }
    }
  }

  private func run(_ closing: Closing, _ input: WireInput) throws {
    let record = closing.record
    if let body = closing.action.asyncAction {
      switch host.taskPool.run(body, input, nil) {
      case .answered(let answer): record.finish(answer)
      case .away(let pooled):
        record.task = pooled.task
        pooled.call = record
      }
    } else if let instance = record.instance {
      let request = LoadedCall(record.action.index, record.state.number, nil, session: number)
      guard let output = try instance.begin(request, input, host.sink) else {
        return instance.await(record.state.number, record)
      }
      record.finish(.success(output))
    } else {
      throw BridgeError(.unavailable, "'\(record.action.name)' is not started")
    }
  }

  /// Closes the objects in an answer that nobody takes: its call was cancelled or came too late.
  func letGo(of result: Result<Reply, any Error>, _ action: BoundAction) {
    guard case .success(let reply) = result else { return }
    for handle in reply.handles where handle.service == action.service { close(handle) }
  }

  /// Closes an object that the client has lost.
  package func letGo(_ object: Reply.Handle) { close(object) }

  /// Begins the call that closes an object; nobody waits for it, and no recording has it.
  private func close(_ handle: Reply.Handle) {
    guard let closing = try? action(handle.service, "\(handle.type).close") else { return }
    let text = Array("[\(handle.number)]".utf8)
    let begun = text.withUnsafeBufferPointer {
      dispatch(closing, WireInput(text: $0, attachments: []), .none)
    }
    // Its reply is dropped, as that of a call whose caller has gone.
    guard case .pending(let slot) = begun, let record = calls[slot], record.life.abandon() else { return }
    if record.holds { loop.holds -= 1 }
  }
}

extension Reply {
  /// An object of a plugin, as an answer names it.
  package struct Handle: Hashable {
    package let number: UInt64
    package let service: String
    package let type: String

    package init(number: UInt64, service: String, type: String) {
      (self.number, self.service, self.type) = (number, service, type)
    }
  }

  /// The objects in an answer.
  package var handles: [Handle] {
    switch payload {
    case .text(let text) where kind == .tagged: Self.handles(in: text, [])
    case .mixed(let text, let bytes): Self.handles(in: text, bytes)
    default: []
    }
  }

  private static func handles(in text: [UInt8], _ bytes: [Bytes]) -> [Handle] {
    text.withUnsafeBufferPointer { text in
      guard let source = try? WireSource(text, attachments: bytes) else { return [] }
      return (0..<source.tape.count).compactMap { node in
        guard let (tag, payload) = source.tag(at: node), tag == .handle,
          let number = source.tape.integer(payload, as: UInt64.self),
          let service = try? source.tape.string(payload + 1), let type = try? source.tape.string(payload + 2)
        else { return nil }
        return Handle(number: number, service: service, type: type)
      }
    }
  }
}

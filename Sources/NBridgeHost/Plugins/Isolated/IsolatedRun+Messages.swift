// SPDX-License-Identifier: MIT

internal import CNBridgePlugin
internal import Glibc
internal import NBridgeIsolation
internal import NBridgePlugin
internal import Synchronization

/// What an isolated plugin's process says: each message is a call of the host's functions, as the plugin made
/// it there.
extension IsolatedRun {
  func take(_ frame: Frame) {
    let head = frame.head
    switch head.kind {
    case .settle:
      if !open.contains(head.id), isTooMany() { return }
      close(head.id)
      frame.withValue(isOwned: true, isOnly: true) { host.settle(context, head.id, $0) }
    case .emit: frame.withValue(isOwned: true) { _ = host.emit(context, head.id, $0) }
    case .log: log(frame.text, head.first)
    case .record: record(frame)
    case .invoke: invoke(frame)
    case .cancelInvocation:
      if let number = invocations.withLock({ $0[head.id] }) { host.cancel_invocation?(context, number) }
    case .exit: exit(head)
    case .allows: answer(frame)
    case .pull: host.pull?(context, head.id, head.first, head.second)
    case .callBack:
      frame.withValue(isOwned: true) { host.call_back?(context, head.id, head.first, head.number, $0) }
    case .failed:
      hasStarted ? end(forSaying: "that it failed to start, after it had") : startFailed(frame.failure)
    default: break
    }
  }

  /// So many answers to calls that are over are told of, as of a plugin that answers twice.
  private static let mostStrays = 100

  private func isTooMany() -> Bool {
    strays += 1
    if strays == Self.mostStrays { end(forSaying: "\(strays) answers to calls that are over") }
    return strays >= Self.mostStrays
  }

  /// The program's end is its script's to say, or that of a plugin that is part of it.
  private func exit(_ head: FrameHead) {
    guard process?.access != nil else { return host.exit(context, Int32(bitPattern: head.first)) }
    note("may not end the program: that takes --grant \(service):everything")
  }

  private func answer(_ question: Frame) {
    var head = FrameHead(.allowed, id: question.head.id)
    head.first = question.text.withMemoryRebound(to: CChar.self) { text in
      text.baseAddress.map { host.allows(context, $0, UInt64(text.count)) } ?? 0
    }
    _ = try? process?.channel.put(head)
    answered()
  }

  /// Calls another plugin for this one.
  private func invoke(_ frame: Frame) {
    guard let channel = process?.channel, let begin = host.begin_invocation else { return }
    if let denial = denial(of: frame) { return answer(frame.head.id, denial) }
    // Balanced by `done`.
    let waiting = Unmanaged.passRetained(Waiting(frame.head.id, channel, self))
    let number = frame.words.0.withMemoryRebound(to: CChar.self) { service in
      frame.words.1.withMemoryRebound(to: CChar.self) { action in
        frame.withValue(isOwned: false) { option -> UInt64 in
          guard let service = service.baseAddress, let action = action.baseAddress else { return 0 }
          var invocation = nbridge_invocation(
            size: UInt32(MemoryLayout<nbridge_invocation>.size), reserved: 0, service: service,
            service_size: UInt64(frame.words.0.count), action: action,
            action_size: UInt64(frame.words.1.count), option: option, deadline: frame.head.number,
            done: Self.done, data: waiting.toOpaque())
          return begin(context, &invocation)
        }
      }
    }
    invocations.withLock { $0[frame.head.id] = number }
  }

  /// Why a plugin may not make a call: what it calls can do what its sandbox keeps it from.
  private func denial(of frame: Frame) -> BridgeError? {
    guard let access = process?.access else { return nil }
    let called = String(decoding: frame.words.0, as: UTF8.self)
    let action = "\(called).\(String(decoding: frame.words.1, as: UTF8.self))"
    if access.contains(.call(called)) || access.contains(.call(action)) { return nil }
    return BridgeError(
      .permissionDenied,
      "the plugin '\(service)' may not call '\(action)': grant it with --grant \(service):call:\(called)")
  }

  private func answer(_ invocation: UInt64, _ error: BridgeError) {
    let sink = WireSink()
    withExtendedLifetime(sink) {
      var answer = nbridge_value()
      answer.fill(failure: error, sink)
      _ = try? process?.channel.put(FrameHead(.invoked, id: invocation), &answer)
    }
    answered()
  }

  /// A call of another plugin that a process waits for.
  private final class Waiting: Sendable {
    let number: UInt64
    let channel: Channel
    let run: IsolatedRun
    init(_ number: UInt64, _ channel: Channel, _ run: IsolatedRun) {
      (self.number, self.channel, self.run) = (number, channel, run)
    }
  }

  /// On the engine's thread.
  private func isOver(_ invocation: Waiting) {
    // A process that was started since has numbers of its own.
    guard process?.channel === invocation.channel else { return }
    invocations.withLock { _ = $0.removeValue(forKey: invocation.number) }
    // What did not go out at once, the loop sees to.
    answered()
  }

  private static let done: @convention(c) (UnsafeMutableRawPointer?, UnsafePointer<nbridge_value>) -> Void = {
    data, answer in
    guard let data else { return }
    let waiting = Unmanaged<Waiting>.fromOpaque(data).takeRetainedValue()
    _ = try? waiting.channel.put(FrameHead(.invoked, id: waiting.number), answer)
    waiting.channel.flush()
    waiting.run.loop.post { waiting.run.isOver(waiting) }
  }

  // MARK: - Calls that get no answer

  func rejectAll(_ error: BridgeError) {
    for (call, _) in open.takeAll() { reject(call, error) }
  }

  func reject(_ call: UInt64, _ error: BridgeError) {
    let sink = WireSink()
    withExtendedLifetime(sink) {
      var answer = nbridge_value()
      answer.fill(failure: error, sink)
      host.settle(context, call, &answer)
    }
  }

  /// The plugin could not be started again.
  func startFailed(_ error: BridgeError) {
    var reason = error
    reason.message = "the plugin '\(service)' did not start again: \(error.message)"
    isStopping = true
    rejectAll(reason)
    process?.signal(SIGKILL)
  }
}

// SPDX-License-Identifier: MIT

package import NBridgePlugin

/// What runs the calls of a plugin that answers by itself: a library's. Confined to the engine's thread.
package protocol PluginInstance: AnyObject {
  /// A number that no other call has had.
  func nextCall() -> UInt64
  /// Begins a call. nil when the answer comes later: then
  /// ``await(_:_:)`` names the receiver.
  func begin(_ request: LoadedCall, _ input: WireInput, _ sink: WireSink) throws -> WireOutput?
  func await(_ call: UInt64, _ waiting: any AwaitingReply)
  /// The caller no longer waits.
  func cancel(_ call: UInt64)
}

/// A call as a plugin that answers by itself is told of it.
package struct LoadedCall {
  /// The action's place in the declaration.
  let action: UInt32
  /// ``PluginInstance/nextCall()``.
  let call: UInt64
  let deadline: ContinuousClock.Instant?
  /// The client that calls.
  let session: UInt32

  init(_ action: UInt32, _ call: UInt64, _ deadline: ContinuousClock.Instant?, session: UInt32) {
    (self.action, self.call, self.deadline, self.session) = (action, call, deadline, session)
  }

  /// The same of a call that has a number.
  init(_ action: UInt32, _ call: Call) {
    self.init(action, call.state?.number ?? 0, call.state?.deadline, session: call.session)
  }
}

/// A call that waits for the reply of a plugin that answers by itself.
package protocol AwaitingReply: AnyObject {
  func finish(_ answer: Result<Reply, any Error>)
}

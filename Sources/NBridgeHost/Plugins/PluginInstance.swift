// SPDX-License-Identifier: MIT

package import NBridgePlugin

/// What runs the calls of a plugin that answers by itself: a library's. Confined to the engine's thread.
package protocol PluginInstance: AnyObject {
  /// A number that no other call has had.
  func nextCall() -> UInt64
  /// Begins the call of an action, by its place in the declaration. nil when the answer comes later: then
  /// ``await(_:_:)`` names the receiver.
  func begin(
    _ action: UInt32, _ call: UInt64, _ deadline: ContinuousClock.Instant?, _ input: WireInput,
    _ sink: WireSink
  ) throws -> WireOutput?
  func await(_ call: UInt64, _ waiting: any AwaitingReply)
  /// The caller no longer waits.
  func cancel(_ call: UInt64)
}

/// A call that waits for the reply of a plugin that answers by itself.
package protocol AwaitingReply: AnyObject {
  func finish(_ answer: Result<Reply, any Error>)
}

// SPDX-License-Identifier: MIT

package import NBridgePlugin

/// Stands between a session and the plugins: it writes down what crosses, or answers in their place. Confined
/// to the engine's thread.
package protocol SessionTap: AnyObject {
  /// A call begins. `dispatch` asks the plugin; what it answers, or the tap's own answer, goes to the client.
  func begin(
    _ action: SessionAction, _ input: WireInput, _ control: CallControl, in session: CallSession,
    _ dispatch: () -> Begun
  ) -> Begun
  /// The client does not wait any more.
  func cancelled(slot: Int)
  /// The client took events of a watch.
  func granted(slot: Int, count: Int)
  /// Replies and events go to the client, together.
  func delivers(_ replies: [SlotReply])
}

// SPDX-License-Identifier: MIT

package import NBridgeHost
internal import NBridgePlugin

/// What stands between a script and the world while it is recorded, or replayed: everything that a script is
/// given passes here. Confined to the engine's thread.
package protocol ProgramTape: SessionTap {
  /// What the program takes for its own of the time of the recording.
  var header: RecordingHeader { get }
  /// The object of a service: the source that makes it.
  func facade(_ service: String, _ make: () throws -> String) throws -> String
  /// An action that a script looks up.
  func bound(
    _ service: String, _ name: String, forPlugin: Bool, in session: CallSession,
    _ find: () throws -> SessionAction
  ) throws -> SessionAction
  /// A number that the script asks for; `real` is only looked for where it counts.
  func number(_ kind: InputKind, _ real: () -> Double) -> Double
  /// The same for a text; `question` is what a person is asked.
  func text(_ kind: InputKind, asking question: String?, _ real: () -> String?) -> String?
  /// Random bytes: those that lie in `memory`, or others in their place.
  func random(_ memory: UnsafeMutableRawBufferPointer)
  /// A task that the loop runs later. Answers what the loop is to run, and nil when it is told by other
  /// means.
  func later(_ body: @escaping () -> Void) -> (() -> Void)?
  /// The script's timers are looked through.
  func timers(at time: Double)
  /// The script had its say, the program goes on to its next part.
  func settled()
  /// Something outside of the script ends the program.
  func ended(_ ending: RecordedEnding)
  /// The program is over.
  func finished(status: Int)
}

// SPDX-License-Identifier: MIT

internal import CNBridgeJavaScriptCore
internal import Glibc

/// Looks about two hundred times a second where a machine is, while it runs something. Confined to the
/// machine's thread.
///
/// The engine stops its thread for each look, so a script is slower meanwhile: about a tenth.
public final class SamplingProfiler {
  private let machine: JSVirtualMachine

  /// Makes a machine whose looks are five milliseconds apart. To look at a stack of nine thousand functions
  /// takes two or three: at the engine's own pace of one, the script would hardly run between the looks, nor
  /// be asked to hand over what was seen, which fills the memory.
  ///
  /// The engine reads its options from the environment when the process makes its first machine. Not to be
  /// called while other threads may read the environment.
  public static func withPace<R, E>(_ makeMachine: () throws(E) -> R) throws(E) -> R {
    setenv("JSC_sampleInterval", "5000", 0)
    defer { unsetenv("JSC_sampleInterval") }
    return try makeMachine()
  }

  /// Begins. Nil when the engine has none.
  public init?(_ machine: JSVirtualMachine) {
    guard let enable = PrivateAPI.enableProfiler, PrivateAPI.takeSamples != nil, enable(machine.group) else {
      return nil
    }
    self.machine = machine
  }

  /// What was seen since the last call: JSON of the engine's, an object with `traces` (each a `timestamp` in
  /// seconds and `frames`, the innermost first) and `sources` (the URL of each `sourceID`). Nil for more than
  /// so many UTF-16 units: the stack was very deep.
  public func take(upTo limit: Int) -> String? {
    guard let samples = PrivateAPI.takeSamples?(machine.group) else { return "" }
    defer { JSStringRelease(samples) }
    return JSStringGetLength(samples) > limit ? nil : JSString.text(samples)
  }

  /// Ends it.
  public func stop() { PrivateAPI.disableProfiler?(machine.group) }
}

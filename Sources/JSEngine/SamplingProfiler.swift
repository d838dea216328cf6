// SPDX-License-Identifier: MIT

internal import CJavaScriptCore

/// Looks about once a millisecond where a machine is, while it runs something. Confined to the machine's
/// thread.
///
/// The engine stops its thread for each look, so a script is slower meanwhile: about a tenth.
public final class SamplingProfiler {
  private let machine: JSVirtualMachine

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

// SPDX-License-Identifier: MIT

internal import CNBridgeJavaScriptCore

/// Keeps a JavaScript value alive across turns.
///
/// Made and read on the engine's thread. It may end on any thread: the value is then let go of at the next
/// turn of the engine's loop (``JSVirtualMachine/drainReleases(in:)``).
public final class JSHandle {
  private let ref: OpaquePointer
  /// The context that it was made in, which lives as long.
  public let context: JSContext

  /// Protects `value` until the handle ends.
  public init(_ value: JSValue, in context: JSContext) {
    ref = value.ref
    self.context = context
    JSValueProtect(context.ref, ref)  // balanced by `ReleaseQueue.drain`, through `deinit`
  }

  deinit { context.machine.releases.add(ref) }

  /// The value, valid for the current turn.
  public var value: JSValue { JSValue(ref, context.ref) }
}

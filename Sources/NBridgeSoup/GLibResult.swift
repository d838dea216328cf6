// SPDX-License-Identifier: MIT

package import CNBridgeGLib
package import NBridgePlugin

/// Waits for GLib's callbacks, which come on the engine's thread.
package enum GLibResult {
  /// Waits for an operation, whose result `finish` takes in the callback: what comes between would find an
  /// object that nobody has.
  package static func wait<Value>(
    _ start: (@escaping GAsyncReadyCallback, UnsafeMutableRawPointer) -> Void,
    finish: @escaping (OpaquePointer) -> Value
  ) async -> UncheckedSendable<Value> {  // it stays on the engine's thread
    await withCheckedContinuation { continuation in
      let pending = Pending { result in continuation.resume(returning: UncheckedSendable(finish(result))) }
      start(
        { _, result, data in
          guard let result, let data else { return }
          Unmanaged<Pending>.fromOpaque(data).takeRetainedValue().take(result)
        }, Unmanaged.passRetained(pending).toOpaque())
    }
  }

  private final class Pending {
    let take: (OpaquePointer) -> Void
    init(_ take: @escaping (OpaquePointer) -> Void) { self.take = take }
  }

  /// Waits until a stream can be read, has ended or failed, or is cancelled.
  package static func waitToRead(
    _ stream: UnsafeMutablePointer<GInputStream>, _ cancellable: UnsafeMutablePointer<GCancellable>?
  ) async {
    await withCheckedContinuation { (continuation: CheckedContinuation<Void, Never>) in
      let source = g_pollable_input_stream_create_source(OpaquePointer(stream), cancellable)
      typealias Ready = @convention(c) (UnsafeMutableRawPointer?, UnsafeMutableRawPointer?) -> gboolean
      let ready: Ready = { _, data in
        if let data { Unmanaged<Waiter<Void>>.fromOpaque(data).takeRetainedValue().continuation.resume() }
        return 0  // G_SOURCE_REMOVE
      }
      let waiter = Unmanaged.passRetained(Waiter(continuation)).toOpaque()
      // GPollableSourceFunc, which the source calls (gio/gpollableinputstream.h).
      g_source_set_callback(source, unsafeBitCast(ready, to: GSourceFunc.self), waiter, nil)
      g_source_set_priority(source, EventPriority.script)
      g_source_attach(source, g_main_context_get_thread_default())
      g_source_unref(source)
    }
  }

  private final class Waiter<Value: Sendable> {
    let continuation: CheckedContinuation<Value, Never>
    init(_ continuation: CheckedContinuation<Value, Never>) { self.continuation = continuation }
  }
}

/// The priorities of GLib's sources.
package enum EventPriority {
  /// That of the script's loop: a source before it, which is always ready, would keep the script from
  /// running; one behind it waits for as long as the script has something to do.
  package static let script: Int32 = 200
  /// Before what libsoup does by itself, which is at 0: a request whose kept connection the server has just
  /// closed hears of that before libsoup sends it again. Else that takes the old error for the new one's, and
  /// reads what it has let go of (3.2.3; `run_until_read_done` in its session).
  package static let beforeSoup: Int32 = -1
  /// Before all that reads: who is told of a connection has it before its first bytes come.
  package static let first: Int32 = -100
}

/// The `GMainContext` of the thread that made this, for what ends on another one.
package final class LoopContext: @unchecked Sendable {
  // A constant; GLib's contexts may be woken from any thread.
  private let context = g_main_context_ref_thread_default()

  package init() {}

  deinit { g_main_context_unref(context) }

  /// Lets go of GLib's objects on their thread, soon; their connections must not go before. Where that never
  /// comes again, the program has ended.
  package func release(_ objects: [UnsafeMutableRawPointer], keeping session: AnyObject?) {
    later(milliseconds: 0) {
      for object in objects { g_object_unref(object) }
      withExtendedLifetime(session) {}
    }
  }

  /// Runs something on the loop's thread, soon.
  package func run(keeping object: AnyObject, _ body: @escaping @Sendable () -> Void) {
    later(milliseconds: 0) { withExtendedLifetime(UncheckedSendable(object)) { body() } }
  }

  /// Lets the script, its timers and all that is ready have their turn.
  package func turn() async {
    await withCheckedContinuation { continuation in
      let turn = Turn(continuation)
      later(milliseconds: 0) { withExtendedLifetime(turn) {} }
    }
  }

  /// Goes on when its source goes, which is also when the loop ends.
  private final class Turn {
    private let continuation: CheckedContinuation<Void, Never>
    init(_ continuation: CheckedContinuation<Void, Never>) { self.continuation = continuation }
    deinit { continuation.resume() }
  }

  /// Runs something on the loop's thread after a while.
  package func later(milliseconds: UInt32, _ body: @escaping () -> Void) {
    let source = milliseconds == 0 ? g_idle_source_new() : g_timeout_source_new(milliseconds)
    let step = Unmanaged.passRetained(Step(body)).toOpaque()
    // A loop that ends first drops its sources, and what they hold with them.
    g_source_set_callback(
      source,
      { data in
        if let data { Unmanaged<Step>.fromOpaque(data).takeUnretainedValue().body() }
        return 0  // G_SOURCE_REMOVE
      }, step, { data in if let data { Unmanaged<Step>.fromOpaque(data).release() } })
    // Behind what libsoup's servers do; not behind the script, which may never come to rest.
    g_source_set_priority(source, EventPriority.script)
    g_source_attach(source, context)
    g_source_unref(source)
  }

  private final class Step {
    let body: () -> Void
    init(_ body: @escaping () -> Void) { self.body = body }
  }
}

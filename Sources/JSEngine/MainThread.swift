// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import CNBridgeJavaScriptCore
internal import Glibc

/// Gives WTF the main thread that the C API forgets to initialise.
///
/// Without one, JavaScriptCore's full-collection timer dereferences null as soon as the main context that it
/// is bound to is iterated: the process dies within seconds. The thread that is WTF's main thread has to
/// iterate its `GMainContext`, for as long as the process lives.
enum MainThread {
  /// Makes sure that WTF's main thread exists. Idempotent, callable from any thread.
  ///
  /// The first caller decides: on the process's main thread, that thread is it (its loop is the default
  /// `GMainContext`). From any other thread, a thread of its own takes the part, because the caller may end
  /// and the process's main thread need not run a GLib loop.
  static func prepare() { _ = prepared }

  private static let prepared: Void = {
    guard let initialize = PrivateAPI.initializeMainThread else {
      // A later library without the symbol: no timer, no crash; collections then follow allocation alone.
      PrivateAPI.disableGCTimer?()
      return
    }
    if isProcessMainThread {
      initialize()
    } else {
      startStandIn()
    }
    // Strict code drops the caller of `return f()` from the stack (ECMA-262, 15.10), and with it the line
    // that an error should name. No other engine of the field does.
    _ = jsc_options_set_boolean("useTailCalls", 0)
    // Else the engine stops a script by a signal to the thread that it ran on, and waits for that to come. A
    // thread that has ended meanwhile takes none, which the C library no longer tells (glibc 2.34 and later):
    // with it would wait all that suspends threads or frees memory, of every engine of the process. Loops
    // look for a stop by themselves instead.
    _ = jsc_options_set_boolean("usePollingTraps", 1)
    // What the language has since lately and this engine keeps back: DisposableStack and its kin, and
    // Iterator.concat. An engine without these options has them anyway, or never.
    _ = jsc_options_set_boolean("useExplicitResourceManagement", 1)
    _ = jsc_options_set_boolean("useIteratorSequencing", 1)
  }()

  static var isProcessMainThread: Bool { getpid() == gettid() }

  /// Starts the thread that stands in for the main thread, and waits until WTF knows it.
  private static func startStandIn() {
    let ready = UnsafeMutablePointer<sem_t>.allocate(capacity: 1)
    sem_init(ready, 0, 0)
    var thread = pthread_t()
    pthread_create(
      &thread, nil,
      { ready in
        pthread_setname_np(pthread_self(), "js-main")
        let context = g_main_context_new()
        g_main_context_push_thread_default(context)
        PrivateAPI.initializeMainThread?()
        if let ready { sem_post(ready.assumingMemoryBound(to: sem_t.self)) }
        while true { g_main_context_iteration(context, 1) }
      }, ready)
    sem_wait(ready)
    sem_destroy(ready)
    ready.deallocate()
  }
}

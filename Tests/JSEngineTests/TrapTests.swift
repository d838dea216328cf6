// SPDX-License-Identifier: MIT

import CNBridgeGLib
import Glibc
import Testing

@testable import JSEngine

/// The three traps of embedding the engine in a GLib program, each with what goes wrong without its cure.
@Suite struct TrapTests {
  /// Without a WTF main thread, the full collection's timer dereferences null within seconds of an idle loop.
  /// Not in a process of its own: the library's monitor of such processes spins for ever, and the run with
  /// it, when another test's child has ended and that test has not waited for it yet.
  @Test func anIdleLoopSurvivesCollections() async throws {
    try await onEngineThread { context in
      let end = g_get_monotonic_time() + 4_000_000
      while g_get_monotonic_time() < end {
        try context.evaluate(
          "for (let i = 0; i < 2000; i++) globalThis.kept = new Array(500).fill({})", url: "t.js")
        context.collectGarbage()
        for _ in 0..<50 { g_main_context_iteration(context.machine.mainContext, 0) }
      }
    }
  }

  /// Without a context of its own to iterate, WebAssembly.compile never settles.
  @Test func webAssemblyCompiles() async throws {
    try await onEngineThread { context in
      try context.evaluate(
        "WebAssembly.compile(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])).then(m => globalThis.done = "
          + "m instanceof WebAssembly.Module)",
        url: "t.js")
      iterate(context, until: { context.global["done"].bool })
      #expect(context.global["done"].bool)
    }
  }

  /// Without iteration, finalizers never run.
  @Test func finalizationRegistryFires() async throws {
    try await onEngineThread { context in
      try context.evaluate(
        """
        globalThis.fired = 0;
        const registry = new FinalizationRegistry(() => fired++);
        for (let i = 0; i < 1000; i++) registry.register({}, i);
        """, url: "t.js")
      iterate(context) {
        context.collectGarbage()
        return context.global["fired"].number > 0
      }
      #expect(context.global["fired"].number > 0)
    }
  }
}

/// Turns the engine's GLib context for at most ten seconds.
func iterate(_ context: JSContext, until done: () -> Bool) {
  let end = g_get_monotonic_time() + 10_000_000
  while !done(), g_get_monotonic_time() < end {
    g_main_context_iteration(context.machine.mainContext, 0)
    usleep(1000)
  }
}

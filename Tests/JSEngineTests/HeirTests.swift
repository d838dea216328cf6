// SPDX-License-Identifier: MIT

import Testing

@testable import JSEngine

/// What a context leaves to another one of its machine.
@Suite struct HeirTests {
  /// Not inlined: the collector takes what it finds on the stack for values.
  @inline(never) private static func use(_ script: String, _ heir: JSContext) throws {
    let context = JSContext(in: heir.machine)
    context.heir = heir
    let hook = JSFunction.make(in: context) { $0.undefined }
    _ = context.onUnhandledRejection(hook)
    let function = JSHandle(try context.evaluate("(x) => x", url: "a.js"), in: context)
    _ = try context.call(function.value, count: 1) { _ in context.make("text") }
    try context.evaluate(script, url: "b.js")
  }

  @Test(arguments: [
    "let left = []",
    // What is compiled meanwhile.
    "const many = Array.from({ length: 1e5 }, (_, i) => ({ i })); many.forEach(() => {}); 0",
    "try { null.x } catch {} new WeakRef({}); Promise.reject(1); 0",
  ]) func allOfItIsCollected(_ script: String) async throws {
    try await onEngineThread { heir in
      for _ in 0..<3 {
        try Self.use(script, heir)
        heir.collectInherited()
      }
      #expect(heir.memory("globalObjectCount") == 1)
    }
  }
}

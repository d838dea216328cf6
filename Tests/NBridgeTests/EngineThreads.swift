// SPDX-License-Identifier: MIT

import JSEngine
import NBridgePlugin

@testable import NBridgeSystem

/// Runs `body` on a thread of its own with an engine that is its own.
func withEngine<R: Sendable>(_ body: @escaping @Sendable (JSContext) throws -> R) async throws -> R {
  try await onThread {
    let machine = JSVirtualMachine()
    return try body(JSContext(in: machine))
  }
}

/// Runs `body` on a thread that ends with it.
func onThread<R: Sendable>(_ body: @escaping @Sendable () throws -> R) async throws -> R {
  try await withCheckedThrowingContinuation { continuation in
    PlainThread.start("nb-test", stackSize: 8 << 20) { continuation.resume(with: Result { try body() }) }
  }
}

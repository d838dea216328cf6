// SPDX-License-Identifier: MIT

import Glibc
import Synchronization

@testable import JSEngine

/// Runs `body` with a fresh engine on a thread of its own, and rethrows what it throws.
func onEngineThread(_ body: @escaping @Sendable (JSContext) throws -> Void) async throws {
  let result: Result<Void, any Error> = await withCheckedContinuation { continuation in
    let start = Start {
      continuation.resume(returning: Result { try body(JSContext(in: JSVirtualMachine())) })
    }
    var thread = pthread_t()
    pthread_create(
      &thread, nil,
      { argument in
        Unmanaged<Start>.fromOpaque(argument.unsafelyUnwrapped).takeRetainedValue().body()
        return nil
      }, Unmanaged.passRetained(start).toOpaque())
    pthread_detach(thread)
  }
  try result.get()
}

private final class Start: Sendable {
  let body: @Sendable () -> Void
  init(_ body: @escaping @Sendable () -> Void) { self.body = body }
}

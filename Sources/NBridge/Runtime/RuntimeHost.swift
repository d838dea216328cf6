// SPDX-License-Identifier: MIT

internal import JSEngine
internal import NBridgePlugin
internal import Synchronization

/// What plugins and other threads may ask of a runtime. Sendable: each request travels to the engine's thread.
final class RuntimeHost: AppHost {
  private let loop: EventLoop
  private let output: any ScriptOutput
  private let state = Mutex<State>(State())

  private struct State {
    var lifecycle = LifecycleState.active
    var readers: [Int: AsyncStream<LifecycleState>.Continuation] = [:]
    var lastReader = 0
  }

  // Set and read on the engine's thread only.
  private nonisolated(unsafe) weak var runtime: Runtime?

  init(loop: EventLoop, output: any ScriptOutput) {
    self.loop = loop
    self.output = output
  }

  func attach(_ runtime: Runtime) { self.runtime = runtime }
  func detach() { state.withLock { $0.readers }.values.forEach { $0.finish() } }

  func requestExit(_ code: Int32) { request(.exited(code)) }

  /// Ends the program at the loop's next turn, unless it has ended. Callable from any thread.
  func request(_ ending: Ending) {
    loop.post { [self] in
      if runtime?.ending == nil { runtime?.ending = ending }
    }
  }

  func note(_ line: String) { output.writeError(line + "\n") }

  // MARK: - Lifecycle

  func lifecycle() -> AsyncStream<LifecycleState> {
    let (stream, continuation) = AsyncStream.makeStream(of: LifecycleState.self)
    let id = state.withLock { state in
      state.lastReader += 1
      state.readers[state.lastReader] = continuation
      continuation.yield(state.lifecycle)
      return state.lastReader
    }
    continuation.onTermination = { [weak self] _ in
      _ = self?.state.withLock { $0.readers.removeValue(forKey: id) }
    }
    return stream
  }

  /// Changes the state and tells every reader. Answers false when it stood there already.
  @discardableResult
  func enter(_ next: LifecycleState) -> Bool {
    let readers = state.withLock { state -> [AsyncStream<LifecycleState>.Continuation]? in
      guard state.lifecycle != next else { return nil }
      state.lifecycle = next
      return Array(state.readers.values)
    }
    for reader in readers ?? [] { reader.yield(next) }
    return readers != nil
  }

  // MARK: - Calls between plugins

  func invoke(_ service: String, _ action: String, _ options: Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
      loop.post { [self] in
        guard let bridge = runtime?.bridge else {
          return continuation.resume(throwing: BridgeError(.cancelled, "the program has ended"))
        }
        bridge.invoke(service, action, options) { continuation.resume(with: $0) }
      }
    }
  }
}

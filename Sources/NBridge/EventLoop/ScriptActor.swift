// SPDX-License-Identifier: MIT

/// The engine's thread as Swift concurrency sees it: what is isolated to this actor runs between the
/// script's turns, on the thread that owns the engine.
public actor ScriptActor {
  private nonisolated let loop: EventLoop

  init(_ loop: EventLoop) { self.loop = loop }

  /// The engine's loop.
  public nonisolated var unownedExecutor: UnownedSerialExecutor { loop.asUnownedSerialExecutor() }
}

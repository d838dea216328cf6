// SPDX-License-Identifier: MIT

internal import JSEngine
internal import NBridgeHost

/// Stops an entry from any thread.
package struct SessionInterrupter: Sendable {
  let interrupter: JSInterrupter
  let loop: EventLoop
  let control: RuntimeControl

  /// Stops what runs within 0.3 s, then runs `body` on the session's thread. What is being saved is not
  /// stopped.
  package func interrupt(by signal: Int32 = 2, then body: @escaping @Sendable () -> Void) {
    control.note(signal: signal)
    control.stopScript()
    loop.post(body)
  }

  /// Whether something is unsaved that must not be lost.
  package var isGuarded: Bool { control.isGuarded }
  /// Whether it is being saved.
  package var isSaving: Bool { control.isSaving }

  /// Whether a stop is under way.
  package var isRequested: Bool { interrupter.isRequested }

  /// Runs `body` on the session's thread.
  package func post(_ body: @escaping @Sendable () -> Void) { loop.post(body) }
}

// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// What is known of a call that settled: names, sizes and times, never values.
package struct CallObservation: Sendable {
  let service: String
  let action: String
  let kind: String
  let microseconds: Int
  let failed: Bool
  let code: String?
  /// The plugin that called; nil for a script.
  let caller: String?
}

/// Watches calls pass. `--trace` and `--audit` are made of it.
package protocol CallObserver: AnyObject {
  /// A call was let through.
  func received(_ action: BoundAction)
  /// A call settled: its handler answered, or its signal, its deadline or the program's end came first.
  func settled(_ call: CallObservation)
}

extension CallRecord {
  func observation(_ reply: Reply, at now: Int) -> CallObservation {
    CallObservation(
      service: action.service, action: action.declaration.key, kind: action.declaration.kind.rawValue,
      microseconds: now - started, failed: reply.kind == .failure, code: reply.failureCode, caller: caller)
  }
}

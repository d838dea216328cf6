// SPDX-License-Identifier: MIT

import AuthPlugin
import Glibc
import NBridge
import NBridgePlugin
import NBridgeTesting
import Synchronization
import Testing

/// A clock that tests set; what sleeps is over at once, after so long on the clock.
final class TestClock: AuthClock {
  private let times = Mutex((wall: 1_800_000_000_000, sinceStart: 5_000))

  var wall: Int { times.withLock(\.wall) }
  var sinceStart: Int { times.withLock(\.sinceStart) }

  /// Sets the wall clock, as an administrator may; the other clock can't be set.
  func setWall(by milliseconds: Int) { times.withLock { $0.wall += milliseconds } }
  func pass(milliseconds: Int) {
    times.withLock { ($0.wall, $0.sinceStart) = ($0.wall + milliseconds, $0.sinceStart + milliseconds) }
  }
  func sleep(milliseconds: Int) async throws {
    pass(milliseconds: milliseconds)
    try Task.checkCancellation()
  }
}

/// A person who lets in when the test says so, by the reason that is asked for; asked before, he waits.
final class Gate: AuthPrompter {
  private struct State {
    var opened: Set<String> = []
    var cancelled: Set<String> = []
    var waiting: [String: CheckedContinuation<Void, Never>] = [:]
  }
  private let state = Mutex(State())
  let canAsk = true

  func open(_ reason: String) {
    state.withLock { state in
      state.opened.insert(reason)
      return state.waiting.removeValue(forKey: reason)
    }?.resume()
  }

  func ask(_ question: AuthQuestion) async -> AuthAnswer {
    let reason = question.reason
    await withTaskCancellationHandler {
      await withCheckedContinuation { continuation in
        let goesOn = state.withLock { state in
          if state.opened.contains(reason) || state.cancelled.contains(reason) { return true }
          state.waiting[reason] = continuation
          return false
        }
        if goesOn { continuation.resume() }
      }
    } onCancel: {
      state.withLock { state in
        state.cancelled.insert(reason)
        return state.waiting.removeValue(forKey: reason)
      }?.resume()
    }
    return AuthAnswer(.pass, .biometrics)
  }
}

struct GateOptions: Codable, Sendable {
  var reason: String
}

/// `nbridge.gate.open({ reason })`.
struct GatePlugin: Plugin {
  static let manifest = PluginManifest(service: "gate", version: "1.0.0")
  let gate: Gate
  var body: PluginBody {
    Immediate("open", "Lets in who waits.") { (options: GateOptions, call) in gate.open(options.reason) }
  }
}

/// `nbridge.other.fails()`: another app of the user's, in which five evaluations of biometrics fail.
struct OtherAppPlugin: Plugin {
  static let manifest = PluginManifest(service: "other", version: "1.0.0")
  let folder: String
  var body: PluginBody {
    Action("fails", "Locks biometrics.") { call in
      var harness = ScriptHarness(plugins: [AuthPlugin(AuthSetup(always: .fail))])
      (harness.container, harness.options.app.id) = (folder, "org.other")
      let result = await harness.run(
        """
        for (let i = 0; i < 5; i++) await nbridge.auth.evaluatePolicy({ policy: 'biometrics',
          reason: 'x' }).catch(() => {});
        """
      )
      if result.status != .success { throw BridgeError(.unknownError, result.errors) }
    }
  }
}

// SPDX-License-Identifier: MIT

internal import JSEngine
package import NBridgeHost
internal import NBridgeRecording

/// What wakes the script's timers: one alarm of the loop for all that timers.js has. Confined to the engine's
/// thread.
package final class ScriptTimers {
  private let loop: EventLoop
  private let services: BuiltinServices
  private var alarm: TimerQueue.ID?
  /// Runs between two timers: what the first one answered goes out before the second.
  package var betweenTimers: () -> Void = {}
  /// Whether the recording says which turns the timers get.
  package var isReplaying = false

  package init(_ loop: EventLoop, _ services: BuiltinServices) {
    (self.loop, self.services) = (loop, services)
  }

  /// Wakes them at a time of the clock, in milliseconds; never for a negative one. Replaces the time before.
  ///
  /// - Parameter holds: whether the program waits for any of them.
  func arm(milliseconds: Double, holds: Bool) {
    if let alarm { loop.cancel(alarm) }
    alarm = nil
    guard milliseconds >= 0, !isReplaying else { return }
    let deadline = Int(exactly: (milliseconds * 1000).rounded(.up)) ?? .max
    alarm = loop.schedule(at: deadline, holding: holds) { [unowned self] in
      alarm = nil
      fireAll()
    }
  }

  /// Runs what is due, one call each, so that microtasks run between timers as the standard wants.
  private func fireAll() {
    let now = Double(loop.clock.now) / 1000
    var wakes = true
    while services.faults?.isOver == false, fire(at: now, wakes: wakes) {
      wakes = false
      betweenTimers()
    }
  }

  /// Runs the first timer that is due. Answers whether there was one.
  ///
  /// - Parameter wakes: whether it is the first one that is asked for since the loop has woken.
  package func fire(at time: Double, wakes: Bool = true) -> Bool {
    guard let builtins = services.builtins, builtins.isLoaded("timers") else { return false }
    services.inputs.tape?.timers(at: time)
    let context = services.context
    do throws(JSException) {
      return try context.call(builtins.load("timers")["fire"], context.make(time), context.make(wakes)).bool
    } catch {
      services.faults?.fail(error, unhandled: false)
      return false
    }
  }

  /// After a callback was stopped from outside, which no `finally` sees.
  package func recover() {
    guard let builtins = services.builtins, builtins.isLoaded("timers") else { return }
    _ = try? services.context.call(builtins.load("timers")["recover"])
  }
}

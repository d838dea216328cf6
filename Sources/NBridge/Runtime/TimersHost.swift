// SPDX-License-Identifier: MIT

internal import JSEngine

extension Runtime {
  /// What timers.js needs: a clock, one alarm, and a way to report what a microtask throws.
  func timersHost() -> JSValue {
    let host = HostObject(context)
    addClock(host)
    host.function("arm") { [unowned self] frame throws(JSException) in
      arm(milliseconds: frame[0].number)
      return frame.undefined
    }
    addReport(host)
    return host.value
  }

  /// Keeps timers.js's `fire`, and answers the functions that scripts see.
  func connectTimers(_ exports: JSValue) -> JSValue {
    timerFire = JSHandle(exports["fire"], in: context)
    timerRecover = JSHandle(exports["recover"], in: context)
    let library = exports["library"]
    libraries[.timers] = JSHandle(library, in: context)
    return library
  }

  /// After a callback was stopped from outside, which no `finally` sees.
  func recoverTimers() {
    guard let timerRecover else { return }
    _ = try? context.call(timerRecover.value)
  }

  private func arm(milliseconds: Double) {
    if let timer { loop.cancel(timer) }
    timer = nil
    guard milliseconds >= 0, replayer == nil else { return }
    timer = loop.schedule(at: Int((milliseconds * 1000).rounded(.up)), holding: true) { [unowned self] in
      timer = nil
      fireTimers()
    }
  }

  /// Runs what is due, one call each, so that microtasks run between timers as the standard wants.
  private func fireTimers() {
    let now = Double(loop.clock.now) / 1000
    while ending == nil, fireTimer(at: now) { session.flush() }
  }

  /// Runs the first timer that is due. Answers whether there was one.
  func fireTimer(at time: Double) -> Bool {
    guard let timerFire else { return false }
    tape?.timers(at: time)
    do throws(JSException) { return try context.call(timerFire.value, context.make(time)).bool } catch {
      fail(error)
      return false
    }
  }
}

// SPDX-License-Identifier: MIT

internal import JSEngine
internal import NBridgeHost
internal import NBridgeRecording

/// What `nbridge test` puts in place for a file of tests. The runner is in `js/test.js`; what a test calls is
/// in the others.
package enum TestModules {
  package static let all: [BuiltinModule] = [
    BuiltinModule(
      name: "equality", source: { Scripts.equality_js },
      needs: [
        .module("primordials", as: "primordials"), .exports(["contentsIn", "contentsOf"], of: "contents"),
        .exports(["interfaceOf"], of: "idl"), .later("slotsOf", of: "engineobjects", as: "slotsOf"),
      ]
    ) { host, services throws(JSException) in
      let peek = JSPromisePeek(services.context)
      let ordinary = JSOrdinaryPeek(services.context)
      host.function("isOrdinary") { frame throws(JSException) in
        frame.make(ordinary?.isOrdinary(frame[0]) ?? false)
      }
      host.function("isPromise") { frame throws(JSException) in
        frame.make(frame[0].isObject && peek?.look(at: frame[0]) != nil)
      }
    },
    BuiltinModule(
      name: "settling", source: { Scripts.settling_js }, needs: [.exports(["told"], of: "caught")]),
    BuiltinModule(name: "bodies", source: { Scripts.bodies_js }),
    BuiltinModule(
      name: "suites", source: { Scripts.suites_js },
      needs: [.exports(["inspect"], of: "inspect")]),
    BuiltinModule(
      name: "tables", source: { Scripts.tables_js },
      needs: [.exports(["brief"], of: "failures"), .exports(["needBody"], of: "bodies")]),
    BuiltinModule(name: "awaited", source: { Scripts.awaited_js }),
    BuiltinModule(
      name: "failures", source: { Scripts.failures_js },
      needs: [.exports(["inspect"], of: "inspect")]
    ) { host, services throws(JSException) in
      host.addMessages(services)
      host.function("diff") { frame throws(JSException) in
        frame.make(
          LineDifference.text(actual: frame[0].string ?? "", expected: frame[1].string ?? ""))
      }
    },
    BuiltinModule(
      name: "assertions", source: { Scripts.assertions_js },
      needs: [
        .exports(["inspect"], of: "inspect"), .exports(["brief"], of: "failures"),
        .module("equality", as: "equality"), .module("refusals", as: "refusals"),
        .exports(["awaited"], of: "awaited"), .exports(["own", "outcomeOf", "told"], of: "settling"),
      ]),
    BuiltinModule(
      name: "refusals", source: { Scripts.refusals_js },
      needs: [.exports(["inspect"], of: "inspect")]),
    BuiltinModule(
      name: "timersources", source: { Scripts.timersources_js },
      needs: [.module("timers", as: "timers")]),
    BuiltinModule(
      name: "clocks", source: { Scripts.clocks_js },
      needs: [.module("refusals", as: "refusals"), .exports(["sources"], of: "timersources")]),
    BuiltinModule(
      name: "mock", source: { Scripts.mock_js },
      needs: [
        .exports(["add"], of: "suites"), .exports(["makeTimers"], of: "clocks"),
        .module("refusals", as: "refusals"),
      ]),
    BuiltinModule(
      name: "matchers", source: { Scripts.matchers_js },
      needs: [
        .exports(["brief"], of: "failures"), .module("assertions", as: "assertions"),
        .module("mock", as: "mocks"),
      ]),
    BuiltinModule(
      name: "placeholders", source: { Scripts.placeholders_js },
      needs: [
        .exports(["inspect"], of: "inspect"), .exports(["Matching"], of: "equality"),
        .module("assertions", as: "assertions"), .exports(["isClose"], of: "matchers"),
      ]),
    BuiltinModule(
      name: "expect", source: { Scripts.expect_js },
      needs: [
        .exports(["inspect"], of: "inspect"), .exports(["brief"], of: "failures"),
        .exports(["awaited", "takeUnawaited"], of: "awaited"),
        .exports(["Matching", "isClosed", "standsForValues", "hiddenIn"], of: "equality"),
        .exports(["own", "outcomeOf"], of: "settling"),
        .module("failures", as: "failures"), .module("assertions", as: "assertions"),
        .module("matchers", as: "matchers"), .module("placeholders", as: "placeholders"),
      ], host: SnapshotHost.add),
    BuiltinModule(
      name: "leaks", source: { Scripts.leaks_js },
      needs: [
        .module("suites", as: "suites"), .module("settling", as: "settling"),
        .exports(["unheld"], of: "timersources"),
      ], host: TestHost.addOpen),
    BuiltinModule(
      name: "contexts", source: { Scripts.contexts_js },
      needs: [
        .module("suites", as: "suites"), .module("bodies", as: "bodies"), .module("mock", as: "mocks"),
        .module("plans", as: "plans"),
      ]),
    BuiltinModule(name: "testasserts", source: { Scripts.testasserts_js }),
    BuiltinModule(
      name: "plans", source: { Scripts.plans_js },
      needs: [
        .module("refusals", as: "refusals"), .export("assert", of: "assertions", as: "own"),
        .module("testasserts", as: "nodes"),
      ]),
    BuiltinModule(
      name: "test", source: { Scripts.test_js },
      needs: [
        .exports(["inspect"], of: "inspect"),
        .module("failures", as: "failures"), .module("expect", as: "expectations"),
        .module("assertions", as: "assertions"), .module("mock", as: "mocks"),
        .module("bodies", as: "bodies"), .module("suites", as: "suites"), .module("tables", as: "tables"),
        .module("contexts", as: "contexts"), .module("settling", as: "settling"),
        .module("leaks", as: "leaks"), .module("plans", as: "plans"),
      ], host: TestHost.add),
  ]
}

/// The native half of the test runner: where each step goes, and what is open.
enum TestHost {
  static let add: BuiltinModule.Host = { host, services throws(JSException) in
    host.addClock(services)
    addSteps(host, services)
    addTurns(host, services)
  }

  static let addOpen: BuiltinModule.Host = { host, services throws(JSException) in
    let timers = try services.load("timers")
    host.set("setTimer", timers["setTimeout"])
    host.set("clearTimer", timers["clearTimeout"])
    host.function("openCalls") { [unowned services] frame throws(JSException) in
      list(services.openCalls().map { ($0.id, "\($0)") }, services.context)
    }
    host.function("openWorkers") { [unowned services] frame throws(JSException) in
      let running = services.workers?.running ?? []
      return list(running.map { ("\($0.number)", "a worker of \($0.address.prefix(80))") }, services.context)
    }
    host.function("endWorker") { [unowned services] frame throws(JSException) in
      services.workers?.terminate(frame[0].integer)
      return frame.undefined
    }
    _ = try services.kept("openTimers") { timers["open"] }
    host.function("openTimers") { [unowned services] frame throws(JSException) in
      let open = try services.kept("openTimers") { services.context.undefined }
      let timers = try services.context.call(open)
      return list(
        (0..<timers["length"].integer).map { index in
          let timer = timers["\(index)"]
          let name = timer["2"].bool ? "setInterval" : "setTimeout"
          return ("\(timer["0"].integer)", "a \(name) of \(timer["1"].integer) ms")
        }, services.context)
    }
  }

  /// `[{ id, text }]`.
  private static func list(_ open: [(id: String, text: String)], _ context: JSContext) -> JSValue {
    context.makeArray(count: open.count) { index in
      let object = HostObject(context)
      object.set("id", context.make(open[index].id))
      object.set("text", context.make(open[index].text))
      return object.value
    }
  }

  private static func addSteps(_ host: HostObject, _ services: BuiltinServices) {
    host.function("declare") { [unowned services] frame throws(JSException) in
      let number =
        services.tests?.declare(
          frame[0].string ?? "", stack: frame[1].string ?? "", partOf: frame[2].integer) ?? 0
      return frame.make(Double(number))
    }
    host.function("isChosen") { [unowned services] frame throws(JSException) in
      frame.make(services.tests?.isChosen(frame[0].integer) ?? true)
    }
    host.function("begin") { [unowned services] frame throws(JSException) in
      services.tests?.begin(frame[0].integer, isPart: frame[1].bool)
      return frame.undefined
    }
    host.function("end") { [unowned services] frame throws(JSException) in
      services.tests?.end(
        frame[0].integer, outcome: frame[1].string ?? "fail", isComplete: frame[4].bool,
        milliseconds: frame[2].number, notes: frame[3].string ?? "")
      return frame.undefined
    }
    // blame(number, name, message, code, stack, difference, whether a value was thrown, the value)
    host.function("blame") { [unowned services] frame throws(JSException) in
      guard let tests = services.tests else { return frame.undefined }
      let difference = frame[5].string ?? ""
      let exception = frame[6].bool ? services.context.exception(of: frame[7]) : nil
      tests.blame(
        frame[0].integer,
        TestLine.Failure(
          name: frame[1].string ?? "Error", message: frame[2].string ?? "", code: frame[3].string,
          stack: tests.authored(frame[4].string ?? "", message: frame[2].string ?? ""),
          difference: difference.isEmpty ? nil : difference),
        of: exception)
      return frame.undefined
    }
    host.function("isOver") { [unowned services] frame throws(JSException) in
      frame.make(services.tests?.isOver ?? false)
    }
  }

  /// How much longer than its limit a function may hold the thread before the engine stops it, in
  /// microseconds: a timer ends what waits.
  private static let grace = 500_000
  private static let maxMilliseconds = 1e9

  private static func addTurns(_ host: HostObject, _ services: BuiltinServices) {
    let interrupter = services.context.machine.interrupter
    // attempt(callback, limit): calls it in a turn of its own, which the engine stops after the limit.
    host.function("attempt") { [unowned services] frame throws(JSException) in
      let callback = JSHandle(frame[0], in: services.context)
      let limit = frame[1].number
      services.inputs.runLater(after: 0, holding: true) { [unowned services] in
        if limit < maxMilliseconds { interrupter.setDeadline(in: Int(limit * 1000) + grace) }
        services.call(callback)
      }
      return frame.undefined
    }
    // settled(): what was attempted has come to its end.
    host.function("settled") { frame throws(JSException) in
      interrupter.endDeadline()
      return frame.undefined
    }
  }
}

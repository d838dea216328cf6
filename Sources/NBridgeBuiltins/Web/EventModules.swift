// SPDX-License-Identifier: MIT

internal import JSEngine
internal import NBridgeRecording
internal import NBridgeScript

/// Events, uncaught errors, signals, messages, clones.
package enum EventModules {
  package static let all: [BuiltinModule] = [
    BuiltinModule(name: "lists", source: { Scripts.lists_js }),
    BuiltinModule(
      name: "platform", source: { Scripts.platform_js },
      needs: [.exports(["append"], of: "lists"), .exports(["Table", "isInterface"], of: "idl")]),
    BuiltinModule(
      name: "domexception", source: { Scripts.domexception_js }, globals: ["DOMException"]),
    BuiltinModule(
      name: "idl", source: { Scripts.idl_js }, needs: [.exports(["append"], of: "lists")]),
    BuiltinModule(
      name: "listeners", source: { Scripts.listeners_js },
      needs: [.exports(["Table", "isObject"], of: "idl")]),
    BuiltinModule(
      name: "events", source: { Scripts.events_js },
      globals: ["Event", "CustomEvent", "EventTarget"],
      needs: [
        .exports(["append"], of: "lists"), .exports(["showsFields"], of: "contents"),
        .exports(["DOMException"], of: "domexception"), .exports(["notCloneable"], of: "platform"),
        .module("idl", as: "idl"), .module("listeners", as: "listeners"),
      ]
    ) { host, services throws(JSException) in
      let inputs = services.inputs
      host.addClock(services)
      host.addReport(services)
      host.set("timeOrigin", host.make(inputs.number(.origin) { Double(inputs.startTime) / 1000 }))
    },
    // The global object's own half of it.
    BuiltinModule(
      name: "target", source: { Scripts.target_js },
      globals: [
        "addEventListener", "removeEventListener", "dispatchEvent", "onerror", "onunhandledrejection",
        "onrejectionhandled",
      ],
      needs: [.exports(["makeGlobalTarget"], of: "events")]),
    BuiltinModule(
      name: "reports", source: { Scripts.reports_js },
      globals: ["ErrorEvent", "PromiseRejectionEvent", "MessageEvent", "reportError"],
      needs: [
        .exports(["Event", "internals"], of: "events"), .exports(["showsFields"], of: "contents"),
        .later("describe", of: "domexception", as: "describeDOMException"),
        .later("internals", of: "messaging", as: "messaging"),
      ]
    ) { host, services throws(JSException) in
      host.addFailure(services)
      host.function("judge") { [unowned services] frame throws(JSException) in
        services.faults?.judge(frame[0]).map { frame.make($0) } ?? frame.undefined
      }
      host.function("placeOf") { [unowned services] frame throws(JSException) in
        let sources = services.sources
        guard let found = sources.frames(of: frame[0].string ?? "").first else { return frame.undefined }
        let place = sources.told(found, message: "")
        let context = services.context
        return context.makeArray(count: 3) {
          $0 == 0 ? context.make(place.url) : context.make(Double($0 == 1 ? place.line : place.column))
        }
      }
      host.function("isEnding") { [unowned services] frame throws(JSException) in
        frame.make(services.faults?.isOver ?? true)
      }
    },
    BuiltinModule(
      name: "progressevents", source: { Scripts.progressevents_js },
      globals: ["ProgressEvent", "CloseEvent"],
      needs: [.exports(["Event", "internals"], of: "events"), .exports(["showsFields"], of: "contents")]),
    BuiltinModule(
      name: "abort", source: { Scripts.abort_js }, globals: ["AbortController", "AbortSignal"],
      needs: [
        .exports(["append"], of: "lists"),
        .exports(["DOMException"], of: "domexception"), .exports(["notCloneable"], of: "platform"),
        .exports(["EventTarget", "Event", "internals"], of: "events"),
        .exports(["showsFields"], of: "contents"),
      ]
    ) { host, services throws(JSException) in
      host.addHold(services)
      host.addDelay(services)
    },
    BuiltinModule(
      name: "locks", source: { Scripts.locks_js }, globals: ["Lock", "LockManager"],
      needs: [
        .exports(["append"], of: "lists"), .exports(["finish", "isObject", "need"], of: "idl"),
        .exports(["DOMException"], of: "domexception"), .exports(["notCloneable"], of: "platform"),
        .exports(["showsFields"], of: "contents"), .later("internals", of: "abort", as: "signals"),
        .exports(["Table"], of: "idl"), .module("textbytes", as: "texts"),
      ],
      host: LockHost.add),
    BuiltinModule(
      name: "clone", source: { Scripts.clone_js }, globals: ["structuredClone"],
      needs: [
        .exports(["append"], of: "lists"),
        .exports(["DOMException"], of: "domexception"),
        .exports(["isNotCloneable", "isPlatform"], of: "platform"),
        .exports(["Table"], of: "idl"), .module("clonevalues", as: "values"),
      ]
    ) { host, _ throws(JSException) in
      host.function("isProxy") { frame throws(JSException) in frame.make(frame[0].proxyTarget != nil) }
    },
    BuiltinModule(
      name: "clonevalues", source: { Scripts.clonevalues_js },
      needs: [
        .exports(["append"], of: "lists"),
        .exports(["DOMException", "isDOMException", "describe"], of: "domexception"),
      ]),
    BuiltinModule(
      name: "messaging", source: { Scripts.messaging_js },
      globals: ["MessageChannel", "MessagePort"],
      needs: [
        .exports(["append"], of: "lists"),
        .exports(["DOMException"], of: "domexception"), .exports(["EventTarget", "Event"], of: "events"),
        .export("internals", of: "events", as: "events"), .later("internals", of: "reports", as: "reports"),
        .export("internals", of: "clone", as: "clone"), .later("links", of: "links", as: "links"),
      ]
    ) { host, services throws(JSException) in
      host.addTask(services)
      host.addHold(services)
    },
  ]
}

// SPDX-License-Identifier: MIT

internal import JSEngine
internal import NBridgeHost
internal import NBridgePlugin
internal import NBridgeRecording
internal import NBridgeScript

/// What every program has beside the web's globals: console, timers, dialogs, and what pages and prompts
/// need.
package enum GlobalModules {
  /// Puts the globals in place; evaluated at every start.
  package static let boot = BuiltinModule(name: "boot", source: { Scripts.boot_js })

  /// What the bridge takes of an engine before other code runs, as a text.
  package static var intrinsicsText: String { "\(Scripts.intrinsics_js)" }

  package static let all: [BuiltinModule] = common + ShowingModules.all

  private static let common: [BuiltinModule] = [
    BuiltinModule(name: "intrinsics", source: { Scripts.intrinsics_js }),
    BuiltinModule(
      name: "originals", source: { Scripts.originals_js },
      needs: [.module("intrinsics", as: "intrinsics")]),
    BuiltinModule(name: "primordials", source: { Scripts.primordials_js }),
    BuiltinModule(name: "seed", source: { Scripts.seed_js }),
    BuiltinModule(name: "modules", source: { Scripts.modules_js }),
    BuiltinModule(
      name: "circles", source: { Scripts.circles_js },
      needs: [.module("intrinsics", as: "intrinsics")]),
    BuiltinModule(
      name: "requires", source: { Scripts.requires_js },
      needs: [.module("intrinsics", as: "intrinsics")]
    ) { host, services throws(JSException) in
      // Node's modules are libraries, too.
      host.function("pristinely") { [unowned services] frame throws(JSException) in
        let body = frame[0]
        guard let builtins = services.builtins else { return try services.context.call(body) }
        return try builtins.pristinely { () throws(JSException) in try builtins.context.call(body) }
      }
    },
    BuiltinModule(
      name: "caught", source: { Scripts.caught_js }, needs: [.module("intrinsics", as: "intrinsics")]
    ) { host, _ throws(JSException) in
      host.function("authoredMessage") { frame throws(JSException) in
        frame.make(AuthoredMessage.of(frame[0].string ?? ""))
      }
    },
    BuiltinModule(
      name: "callsites", source: { Scripts.callsites_js },
      needs: [.module("intrinsics", as: "intrinsics")]),
    BuiltinModule(
      name: "waits", source: { Scripts.waits_js }, needs: [.module("intrinsics", as: "intrinsics")]),
    BuiltinModule(
      name: "namespaces", source: { Scripts.namespaces_js },
      needs: [
        .module("intrinsics", as: "intrinsics"), .later("noteNamespace", of: "looking", as: "noteNamespace"),
      ]),
    BuiltinModule(
      name: "timers", source: { Scripts.timers_js },
      globals: ["setTimeout", "clearTimeout", "setInterval", "clearInterval", "queueMicrotask"]
    ) { host, services throws(JSException) in
      host.addClock(services)
      host.addReport(services)
      host.function("arm") { [unowned services] frame throws(JSException) in
        services.timers?.arm(milliseconds: frame[0].number, holds: frame[1].bool)
        return frame.undefined
      }
    },
    BuiltinModule(name: "finalization", source: { Scripts.finalization_js }) { host, services in
      host.addReport(services)
      host.function("isOver") { [unowned services] frame throws(JSException) in
        services.context.make(services.faults?.isOver != false)
      }
    },
    BuiltinModule(name: "decorators", source: { Scripts.decorators_js }),
    BuiltinModule(
      name: "language", source: { Scripts.language_js },
      needs: [.later("makeState", of: "decorators", as: "makeState")]),
    BuiltinModule(
      name: "disposal", source: { Scripts.disposal_js }, globals: ["AsyncDisposableStack"],
      needs: [
        .exports(["scope"], of: "language"), .exports(["declareInterface"], of: "idl"),
        .exports(["notCloneable"], of: "platform"),
      ]),
    BuiltinModule(name: "contents", source: { Scripts.contents_js }),
    BuiltinModule(
      name: "console", source: { Scripts.console_js }, globals: ["console"],
      needs: [.later("formatter", of: "format", as: "formatter"), .module("contents", as: "contents")],
      host: ConsoleHost.add),
    BuiltinModule(
      name: "dialogs", source: { Scripts.dialogs_js }, globals: ["alert", "confirm", "prompt"],
      host: DialogsHost.add),
    BuiltinModule(
      name: "repl", source: { Scripts.repl_js },
      needs: [
        .exports(["inspect"], of: "inspect"), .exports(["append"], of: "lists"),
        .module("intact", as: "primordials"),
      ]
    ) { host, services throws(JSException) in host.addLooks(services) },
    // Not `document`: programs tell a browser by it. A page gets it when it starts (DocumentModules).
    BuiltinModule(
      name: "page", source: { Scripts.page_js }, globals: ["window", "nBridge"], host: addToPage),
    // Loaded only while a program is recorded or replayed.
    BuiltinModule(name: "tape", source: { Scripts.tape_js }) { host, services throws(JSException) in
      host.function("date") { [unowned inputs = services.inputs] frame throws(JSException) in
        frame.make(inputs.date)
      }
    },
  ]
}

extension GlobalModules {
  /// The bridge, and a way to tell what a page did in vain.
  static let addToPage: BuiltinModule.Host = { host, services throws(JSException) in
    if let builtins = services.builtins { host.set("nativeBridge", builtins.helper(.nativeBridge)) }
    host.function("warn") { [output = services.output] frame throws(JSException) in
      output.writeError("nbridge: \(frame[0].string ?? "")\n")
      return frame.undefined
    }
  }
}

/// Where `console` prints.
enum ConsoleHost {
  static let add: BuiltinModule.Host = { host, services throws(JSException) in
    let output = services.output
    host.set("colours", host.make(output.colours && services.log == nil))
    host.set("errorColours", host.make(output.errorColours && services.log == nil))
    host.addClock(services)
    host.addFrames(services)
    if services.log != nil { addLog(host, services) }
    host.function("write") { frame throws(JSException) in
      output.write(frame[0].string ?? "")
      return frame.undefined
    }
    host.function("writeError") { frame throws(JSException) in
      output.writeError(frame[0].string ?? "")
      return frame.undefined
    }
  }

  /// Puts what is printed into the program's log: level, text, the stack of the call.
  private static func addLog(_ host: HostObject, _ services: BuiltinServices) {
    host.function("log") { [unowned services] frame throws(JSException) in
      let level = LogLevel(rawValue: frame[0].string ?? "") ?? .info
      let place = services.place(ofCall: frame[2].string ?? "")
      services.log?(
        LogRecord(level: level, service: "console", message: frame[1].string ?? "", place: place))
      return frame.undefined
    }
  }
}

/// Connects `alert`, `confirm` and `prompt` with what answers them.
enum DialogsHost {
  static let add: BuiltinModule.Host = { host, services throws(JSException) in
    let (output, dialogs) = (services.output, services.dialogs)
    host.function("print") { frame throws(JSException) in
      output.write((frame[0].string ?? "") + "\n")
      return frame.undefined
    }
    host.function("confirm") { [unowned inputs = services.inputs] frame throws(JSException) in
      output.flush()
      let question = frame[0].string ?? ""
      return frame.make(inputs.number(.confirmed) { dialogs.confirm(question) ? 1 : 0 } == 1)
    }
    host.function("prompt") { [unowned inputs = services.inputs] frame throws(JSException) in
      output.flush()
      let question = frame[0].string ?? "", proposal = frame[1].string ?? ""
      let answer = inputs.text(.typed, asking: question) { dialogs.prompt(question, default: proposal) }
      return answer.map { frame.make($0) } ?? frame.null
    }
  }
}

// SPDX-License-Identifier: MIT

internal import JSEngine
internal import NBridgeRecording

/// What scripts with engines of their own say to each other.
package enum WorkerModules {
  package static let all: [BuiltinModule] = [
    BuiltinModule(
      name: "wire", source: { Scripts.wire_js },
      needs: [
        .exports(["append"], of: "lists"), .exports(["wiring"], of: "clone"),
        .later("framesOf", of: "errors", as: "framesOf"),
      ],
      host: LinkHost.addTypes),
    BuiltinModule(
      name: "links", source: { Scripts.links_js },
      needs: [
        .exports(["append"], of: "lists"), .export("internals", of: "messaging", as: "messaging"),
        .module("wire", as: "wire"), .export("Table", of: "idl", as: "Table"),
      ],
      host: LinkHost.add),
    BuiltinModule(
      name: "broadcast", source: { Scripts.broadcast_js }, globals: ["BroadcastChannel"],
      needs: [
        .exports(["DOMException"], of: "domexception"), .exports(["EventTarget"], of: "events"),
        .export("internals", of: "events", as: "events"), .export("internals", of: "clone", as: "clone"),
        .export("internals", of: "messaging", as: "messaging"), .exports(["links"], of: "links"),
        .module("textbytes", as: "texts"),
      ]),
    BuiltinModule(
      name: "worker", source: { Scripts.worker_js }, globals: ["Worker"],
      needs: [
        .exports(["DOMException"], of: "domexception"), .exports(["EventTarget"], of: "events"),
        .later("ErrorEvent", of: "reports", as: "ErrorEvent"), .later("URL", of: "url", as: "URL"),
        .later("shownBase", of: "url", as: "shownBase"), .later("urls", of: "url", as: "urls"),
        .later("concealed", of: "textbytes", as: "concealed"),
        .export("internals", of: "events", as: "events"), .later("internals", of: "reports", as: "reports"),
        .export("internals", of: "messaging", as: "messaging"), .exports(["links"], of: "links"),
        .export("internals", of: "clone", as: "clone"),
        .later("blobURLs", of: "bloburls", as: "blobURLs"),
      ],
      host: WorkerHost.add),
    // Loaded in a worker, before its script.
    BuiltinModule(
      name: "workerscope", source: { Scripts.workerscope_js },
      needs: [
        .exports(["append"], of: "lists"), .exports(["EventTarget", "makeGlobalTarget"], of: "events"),
        .later("URL", of: "url", as: "URL"), .later("urls", of: "url", as: "urls"),
        .export("internals", of: "events", as: "events"),
        .export("internals", of: "messaging", as: "messaging"), .exports(["links"], of: "links"),
        .later("linesOf", of: "errors", as: "linesOf"),
        .later("blobURLs", of: "bloburls", as: "blobURLs"),
      ],
      host: WorkerHost.addScope),
  ]
}

/// The native half of channels to other engines.
enum LinkHost {
  /// Loads what knows a class of platform objects, by its module's name.
  static let addTypes: BuiltinModule.Host = { host, services throws(JSException) in
    host.function("loadType") { [unowned services] frame throws(JSException) in
      try services.load(frame[0].string ?? "")
    }
    addKeep(host, try services.openLinks())
  }

  /// `keep(bytes)`: what stands for the bytes of a Blob from now on.
  private static func addKeep(_ host: HostObject, _ links: MessageLinks) {
    host.function("keep") { [unowned links] frame throws(JSException) in try links.keep(frame[0]) }
  }

  static let add: BuiltinModule.Host = { host, services throws(JSException) in
    let links = try services.openLinks()
    let native = HostObject(services.context)
    host.addTask(services)
    addEnds(native, links, services)
    native.function("hand") { [unowned links] frame throws(JSException) in
      links.hand(frame[0])
      return frame.undefined
    }
    native.function("handThing") { [unowned links] frame throws(JSException) in
      links.handThing(frame[0])
      return frame.undefined
    }
    native.function("thing") { [unowned links] frame throws(JSException) in links.thing() }
    native.function("handPort") { [unowned links] frame throws(JSException) in
      links.handPort(number(frame[0]))
      return frame.undefined
    }
    native.function("send") { [unowned links] frame throws(JSException) in
      links.send(number(frame[0]), frame[1])
      return frame.undefined
    }
    native.function("take") { [unowned links] frame throws(JSException) in
      links.take(number(frame[0]), frame)
    }
    native.function("block") { [unowned links] frame throws(JSException) in
      links.block(isFrozen: frame[0].bool)
    }
    native.function("port") { [unowned links] frame throws(JSException) in
      frame.make(Double(links.port()))
    }
    native.function("done") { [unowned links] frame throws(JSException) in
      links.done()
      return frame.undefined
    }
    host.set("native", native.value)
  }

  private static func addEnds(_ native: HostObject, _ links: MessageLinks, _ services: BuiltinServices) {
    native.function("open") { [unowned links, unowned services] frame throws(JSException) in
      let arrive = JSHandle(frame[0], in: services.context)
      let tape = services.inputs.tape.map { tape in { tape.later($0) } }
      links.open(tape: tape) { [unowned services] number in services.tell(arrive, Double(number)) }
      return frame.undefined
    }
    native.function("pair") { [unowned links, unowned context = services.context] _ throws(JSException) in
      let (first, second) = links.pair()
      return context.makeArray(count: 2) { context.make(Double($0 == 0 ? first : second)) }
    }
    native.function("join") { [unowned links] frame throws(JSException) in
      frame.make(Double(links.join(frame[0].string ?? "")))
    }
    native.function("close") { [unowned links] frame throws(JSException) in
      links.close(number(frame[0]))
      return frame.undefined
    }
    native.function("putBack") { [unowned links] frame throws(JSException) in
      links.putBack(number(frame[0]), frame[1])
      return frame.undefined
    }
    native.function("isOver") { [unowned links] frame throws(JSException) in
      frame.make(links.isOver(number(frame[0])))
    }
    native.function("tellAgain") { [unowned links] frame throws(JSException) in
      links.tellAgain(number(frame[0]))
      return frame.undefined
    }
  }

  /// `publish(url, bytes, type)`, `withdraw(url)`, `published(url)`: the URLs of blobs that all engines have.
  static func addBlobs(_ host: HostObject, _ links: MessageLinks) {
    addKeep(host, links)
    host.function("publish") { [unowned links] frame throws(JSException) in
      links.publish(frame[0].string ?? "", frame[1], frame[2].string ?? "")
      return frame.undefined
    }
    host.function("withdraw") { [unowned links] frame throws(JSException) in
      links.withdraw(frame[0].string ?? "")
      return frame.undefined
    }
    host.function("published") { [unowned links] frame throws(JSException) in
      links.published(frame[0].string ?? "")
    }
  }

  private static func number(_ value: JSValue) -> UInt32 { UInt32(clamping: value.integer) }
}

extension BuiltinServices {
  /// Calls a function with a number in a turn of its own, unless the program is over.
  func tell(_ callback: JSHandle, _ number: Double) {
    guard faults?.isOver == false else { return }
    do throws(JSException) { try context.call(callback.value, context.make(number)) } catch {
      faults?.fail(error, unhandled: false)
    }
  }
}

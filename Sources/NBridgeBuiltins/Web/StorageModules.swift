// SPDX-License-Identifier: MIT

internal import JSEngine
internal import NBridgeHost
internal import NBridgePlugin
internal import NBridgeRecording
internal import NBridgeScript

/// What the web keeps by names: for a run, and for an app.
package enum StorageModules {
  package static let all: [BuiltinModule] = [
    BuiltinModule(
      name: "storage", source: { Scripts.storage_js }, globals: ["Storage", "sessionStorage"],
      needs: [
        .exports(["append"], of: "lists"), .exports(["finish", "need"], of: "idl"),
        .exports(["DOMException"], of: "domexception"), .exports(["notCloneable"], of: "platform"),
        .exports(["showsPairs"], of: "contents"),
      ]),
    BuiltinModule(
      name: "localstorage", source: { Scripts.localstorage_js }, globals: ["localStorage"],
      needs: [
        .export("internals", of: "storage", as: "storage"), .exports(["DOMException"], of: "domexception"),
      ],
      host: LocalStorageHost.add),
    BuiltinModule(
      name: "storageevent", source: { Scripts.storageevent_js }, globals: ["StorageEvent"],
      needs: [
        .exports(["Event"], of: "events"), .export("internals", of: "events", as: "events"),
        .export("internals", of: "storage", as: "storage"), .exports(["showsFields"], of: "contents"),
      ]),
  ]
}

/// The native half of localStorage. Each function answers "=" and what it found, "!" and why it could not, or
/// undefined; a replay has the same from its recording, and touches no file.
enum LocalStorageHost {
  static let add: BuiltinModule.Host = { host, services throws(JSException) in
    let keeper = Keeper(services)
    host.function("denial") { [unowned services] frame in
      services.denial(RuntimePermission.localStorage).map { frame.make($0.message) } ?? frame.undefined
    }
    host.function("count") { _ in keeper.answer { try "\($0.count())" } }
    host.function("keys") { _ in
      keeper.answer { "[" + (try $0.keys()).map(ValueText.quoted).joined(separator: ",") + "]" }
    }
    host.function("key") { frame in
      let index = frame[0].integer
      return keeper.answer { try $0.key(at: index) }
    }
    host.function("read") { frame in
      let key = frame[0].string ?? ""
      return keeper.answer(asking: key) { try $0.read(key) }
    }
    // write(key, value, their size, the limit of all): "full" where there is no room.
    host.function("write") { frame in
      let (key, value) = (frame[0].string ?? "", frame[1].string ?? "")
      let (size, limit) = (frame[2].integer, frame[3].integer)
      return keeper.answer { try $0.write(key, value, size: size, limit: limit) ? nil : "full" }
    }
    host.function("remove") { frame in
      let key = frame[0].string ?? ""
      return keeper.answer {
        try $0.remove(key)
        return nil
      }
    }
    host.function("clear") { _ in
      keeper.answer {
        try $0.clear()
        return nil
      }
    }
  }

  /// Opens the items when they are first asked for.
  private final class Keeper {
    private unowned let services: BuiltinServices
    private var items: LocalItems?

    init(_ services: BuiltinServices) { self.services = services }

    /// - Parameter key: what is asked for: of the value of a secret a recording keeps nothing.
    func answer(asking key: String? = nil, _ use: (LocalItems) throws -> String?) -> JSValue {
      let text = services.inputs.text(.items, asking: key) {
        do { return try use(opened()).map { "=" + $0 } } catch {
          return "!" + ((error as? BridgeError)?.message ?? "\(error)")
        }
      }
      return text.map { services.context.make($0) } ?? services.context.undefined
    }

    private func opened() -> LocalItems {
      if let items { return items }
      let made = LocalItems(services.container()) { [output = services.output] in
        output.writeError($0 + "\n")
      }
      items = made
      return made
    }
  }
}

// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import NBridgeScript

/// What `modules.js` knows of modules, as JSON. Written by hand: an encoder looks up conformances while the
/// program starts.
struct ModuleLinksText {
  private let sink = WireSink()

  init(_ modules: ArraySlice<ModuleGraph.Module>) { put(modules, put) }

  var text: String { String(decoding: sink.text, as: UTF8.self) }

  private func put(_ module: ModuleGraph.Module) {
    sink.put(#"{"kind":"#)
    sink.write(module.kind.rawValue)
    sink.put(#","needs":"#)
    put(module.needs) { sink.write(Double($0)) }
    sink.put(#","stars":"#)
    put(module.stars) { sink.write(Double($0)) }
    sink.put(#","imports":"#)
    put(module.imports) { put(#"{"local":"#, $0.local, $0.module, $0.name) }
    sink.put(#","names":"#)
    put(module.names) { put(#"{"exported":"#, $0.exported, $0.module, $0.name) }
    sink.put(#","calls":{"#)
    list(module.calls) {
      sink.write($0.key)
      sink.put(":")
      sink.write(Double($0.value))
    }
    sink.put(#"},"awaits":"#)
    sink.write(module.awaits)
    sink.put(#","isCalledEarly":"#)
    sink.write(module.isCalledEarly)
    sink.put(#","usesMeta":"#)
    sink.write(module.usesMeta)
    sink.put(#","usesRequire":"#)
    sink.write(module.usesRequire)
    sink.put(#","isNodeModule":"#)
    sink.write(module.isNodeModule)
    // Most programs have none, and are told nothing of them.
    if module.path.utf8.containsText("/node_modules/") { sink.put(#","isPackage":true"#) }
    sink.put("}")
  }

  private func put<Item>(_ items: some Collection<Item>, _ each: (Item) -> Void) {
    sink.put("[")
    list(items, each)
    sink.put("]")
  }

  private func list<Item>(_ items: some Collection<Item>, _ each: (Item) -> Void) {
    for (index, item) in items.enumerated() {
      if index > 0 { sink.put(",") }
      each(item)
    }
  }

  private func put(_ head: StaticString, _ own: String, _ module: Int, _ name: String?) {
    sink.put(head)
    sink.write(own)
    sink.put(#","module":"#)
    sink.write(Double(module))
    if let name {
      sink.put(#","name":"#)
      sink.write(name)
    }
    sink.put("}")
  }
}

// SPDX-License-Identifier: MIT

internal import JSEngine
internal import NBridgeScript

/// The document of a page that runs without a window. None of it is loaded for another program, and no name
/// of it is a global of one: programs tell a browser by them.
package enum DocumentModules {
  package static let all: [BuiltinModule] = tree + elements + window

  private static let intrinsics = BuiltinModule.Need.module("intrinsics", as: "intrinsics")
  private static let idl = BuiltinModule.Need.module("idl", as: "idl")
  private static let lists = BuiltinModule.Need.module("nodelists", as: "lists")
  private static let nodes = BuiltinModule.Need.exports(["nodes", "elements"], of: "nodes")
  private static let exception = BuiltinModule.Need.exports(["DOMException"], of: "domexception")
  private static let contents = BuiltinModule.Need.exports(["showsFields"], of: "contents")
  private static let events = BuiltinModule.Need.export("internals", of: "events", as: "events")
  private static let uiEvents = BuiltinModule.Need.module("uievents", as: "uievents")
  private static let element = BuiltinModule.Need.exports(["Element"], of: "elements")
  private static let html = BuiltinModule.Need.module("htmlelements", as: "html")
  private static let controls = BuiltinModule.Need.module("formcontrols", as: "controls")

  private static let tree: [BuiltinModule] = [
    BuiltinModule(
      name: "nodelists", source: { Scripts.nodelists_js }, needs: [intrinsics, idl, contents]),
    BuiltinModule(
      name: "nodes", source: { Scripts.nodes_js },
      needs: [
        intrinsics, idl, lists, exception, contents, events, .exports(["EventTarget"], of: "events"),
        .exports(["notCloneable"], of: "platform"),
      ]),
    BuiltinModule(
      name: "pseudoclasses", source: { Scripts.pseudoclasses_js }, needs: [idl, lists, nodes]),
    BuiltinModule(
      name: "selectors", source: { Scripts.selectors_js },
      needs: [
        intrinsics, idl, lists, nodes, exception, .module("pseudoclasses", as: "pseudoclasses"),
      ]),
    BuiltinModule(
      name: "parentnodes", source: { Scripts.parentnodes_js },
      needs: [intrinsics, lists, nodes, .module("selectors", as: "selectors")]),
    BuiltinModule(
      name: "attributes", source: { Scripts.attributes_js },
      needs: [intrinsics, idl, lists, exception, contents]),
    BuiltinModule(
      name: "elements", source: { Scripts.elements_js },
      needs: [
        intrinsics, idl, lists, nodes, .module("selectors", as: "selectors"),
        .exports(["Node", "CharacterData", "DocumentFragment", "DocumentType"], of: "nodes"),
        .module("attributes", as: "attributes"), .module("parentnodes", as: "parentnodes"),
      ]),
    BuiltinModule(
      name: "serializing", source: { Scripts.serializing_js }, needs: [intrinsics, nodes, element]),
    BuiltinModule(
      name: "markup", source: { Scripts.markup_js }, needs: [intrinsics, idl, lists, nodes, element],
      host: MarkupHost.add),
  ]

  private static let elements: [BuiltinModule] = [
    BuiltinModule(
      name: "uievents", source: { Scripts.uievents_js },
      needs: [intrinsics, contents, events, .exports(["Event"], of: "events")]),
    BuiltinModule(
      name: "handlers", source: { Scripts.handlers_js }, needs: [intrinsics, idl, nodes, events]
    ) { host, services throws(JSException) in host.addReport(services) },
    BuiltinModule(
      name: "htmlelements", source: { Scripts.htmlelements_js },
      needs: [
        intrinsics, idl, lists, nodes, contents, events, uiEvents, .exports(["Event"], of: "events"),
        element, .module("attributes", as: "attributes"), .module("handlers", as: "handlers"),
      ]),
    BuiltinModule(
      name: "formcontrols", source: { Scripts.formcontrols_js }, needs: [intrinsics, lists, nodes, html]),
    BuiltinModule(
      name: "selects", source: { Scripts.selects_js }, needs: [intrinsics, lists, nodes, html, controls]),
    BuiltinModule(
      name: "forms", source: { Scripts.forms_js },
      needs: [
        intrinsics, lists, nodes, html, controls, events, uiEvents, .exports(["Event"], of: "events"),
        .module("selects", as: "selects"),
      ]),
  ]

  private static let window: [BuiltinModule] = [
    BuiltinModule(
      name: "navigation", source: { Scripts.navigation_js },
      needs: [
        intrinsics, idl, exception, contents, events, uiEvents, .later("URL", of: "url", as: "URL"),
        .later("structuredClone", of: "clone", as: "structuredClone"),
      ]
    ) { host, services throws(JSException) in
      try GlobalModules.addToPage(host, services)
      host.addTask(services)
    },
    BuiltinModule(
      name: "documents", source: { Scripts.documents_js },
      needs: [
        intrinsics, idl, lists, nodes, contents, events, uiEvents,
        .exports(["Node", "Comment"], of: "nodes"),
        .exports(["Event", "CustomEvent"], of: "events"), .module("parentnodes", as: "parentnodes"),
        .module("handlers", as: "handlers"), .module("markup", as: "markup"), html, controls,
      ]),
    BuiltinModule(
      name: "document", source: { Scripts.document_js },
      needs: [
        intrinsics, lists, nodes, events, uiEvents, html, .exports(["Event"], of: "events"),
        .module("nodes", as: "tree"), .module("elements", as: "elementClasses"),
        .module("attributes", as: "attributes"), .module("selects", as: "selects"),
        .module("forms", as: "forms"), .module("documents", as: "documents"),
        .module("handlers", as: "handlers"), .module("navigation", as: "navigation"),
        .module("markup", as: "markup"), .module("serializing", as: "serializing"),
        // What a page's script throws is an event of the window.
        .module("target", as: "target"),
      ]
    ) { host, services throws(JSException) in host.addTask(services) },
  ]
}

/// Reads markup.
private enum MarkupHost {
  static let add: BuiltinModule.Host = { host, _ throws(JSException) in
    host.function("pieces") { frame throws(JSException) in
      frame.make(HTMLPieces(of: frame[0].string ?? "").text)
    }
    host.function("references") { frame throws(JSException) in
      frame.make(HTMLReferences.resolved(in: frame[0].string ?? ""))
    }
  }
}

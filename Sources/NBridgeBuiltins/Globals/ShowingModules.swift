// SPDX-License-Identifier: MIT

internal import JSEngine
internal import NBridgePlugin
internal import NBridgeScript

/// What shows values as text. These modules have a global object of their own, so that a script that changes
/// the engine's prototypes changes none of theirs; they are loaded when the first value is shown.
enum ShowingModules {
  static let all: [BuiltinModule] = [
    BuiltinModule(name: "intact", source: { Scripts.primordials_js }, isApart: true),
    BuiltinModule(
      name: "engineobjects", source: { Scripts.engineobjects_js },
      needs: [.exports(["proxyTarget"], of: "looking")], isApart: true),
    BuiltinModule(
      name: "looking", source: { Scripts.looking_js },
      needs: [.module("intact", as: "primordials")], isApart: true
    ) { host, services throws(JSException) in
      host.addLooks(services)
      host.set("object", services.context.makeObject())
    },
    BuiltinModule(
      name: "iterators", source: { Scripts.iterators_js },
      needs: [.module("intact", as: "primordials")], isApart: true
    ) { host, services throws(JSException) in host.addIterators(services) },
    BuiltinModule(
      name: "layout", source: { Scripts.layout_js }, needs: [.module("looking", as: "looking")],
      isApart: true),
    BuiltinModule(
      name: "stacks", source: { Scripts.stacks_js },
      needs: [
        .module("intrinsics", as: "intrinsics"),
        .later("headOf", of: "errors", as: "headOf"), .later("linesOf", of: "errors", as: "linesOf"),
        .later("isEngines", of: "errors", as: "isEngines"),
      ]),
    BuiltinModule(
      name: "errors", source: { Scripts.errors_js },
      needs: [.module("intact", as: "primordials"), .module("looking", as: "looking")], isApart: true
    ) { host, services throws(JSException) in
      host.addFrames(services)
      host.addMessages(services)
      host.function("describeDOMException") { [unowned services] frame throws(JSException) in
        // Where the library was never loaded, nothing can be one.
        guard services.builtins?.isLoaded("domexception") == true else { return frame.undefined }
        return try services.context.call(services.load("domexception")["describe"], frame[0])
      }
    },
    BuiltinModule(
      name: "listing", source: { Scripts.listing_js },
      needs: [.module("intact", as: "primordials"), .module("looking", as: "looking")], isApart: true),
    BuiltinModule(
      name: "custom", source: { Scripts.custom_js },
      needs: [.module("intact", as: "primordials"), .module("looking", as: "looking")], isApart: true),
    BuiltinModule(
      name: "inspect", source: { Scripts.inspect_js },
      needs: [
        .module("intact", as: "primordials"), .module("looking", as: "looking"),
        .exports(["contentsOf"], of: "contents"), .exports(["layOut"], of: "layout"),
        .exports(["keysOf", "findNext"], of: "listing"),
        .later("restOf", of: "iterators", as: "restOf"), .later("standIn", of: "custom", as: "standIn"),
        .module("errors", as: "errors"),
      ], isApart: true),
    BuiltinModule(
      name: "format", source: { Scripts.format_js },
      needs: [
        .exports(["inspect"], of: "inspect"), .module("intact", as: "primordials"),
        .module("looking", as: "looking"),
      ], isApart: true),
    BuiltinModule(
      name: "examine", source: { Scripts.examine_js },
      needs: [
        .exports(["inspect"], of: "inspect"), .exports(["json"], of: "format"),
        .module("errors", as: "errors"), .module("intact", as: "primordials"),
        .module("looking", as: "looking"),
      ], isApart: true),
  ]
}

extension HostObject {
  /// `prove(map, entries, over, set, values)`: iterators of known state, before the first look.
  /// `look(value)`: where an iterator of a Map or a Set stands; undefined for what is none.
  /// `placeIn(iterator, other)`: how many places of the table of `other` it has behind it; undefined where
  /// its own is not that one.
  func addIterators(_ services: BuiltinServices) {
    let engine = IteratorLooks()
    function("prove") { frame throws(JSException) in
      engine.peek = JSIteratorPeek(
        .init(map: frame[0], entries: frame[1], over: frame[2], set: frame[3], values: frame[4]))
      return frame.undefined
    }
    function("look") { [unowned context = services.context] frame throws(JSException) in
      guard let place = engine.peek?.look(at: frame[0]) else { return frame.undefined }
      let found = context.makeBareObject()
      context.set(found, "isMap", frame.make(place.isMap))
      context.set(found, "collection", place.collection)
      context.set(found, "part", frame.make(Double(place.part.rawValue)))
      context.set(found, "isOver", frame.make(place.isOver))
      return found
    }
    function("placeIn") { frame throws(JSException) in
      guard let place = engine.peek?.look(at: frame[0]), let other = engine.peek?.look(at: frame[1]),
        // One that has given nothing yet has all before it, whatever the table.
        place.position == 0 || place.hasTable(of: other)
      else { return frame.undefined }
      return frame.make(Double(place.position))
    }
  }

  /// `framesOf(stack, makers)`: the author's frames, a line each; `makers` are the names of classes, a line
  /// each, whose constructors stand first.
  func addFrames(_ services: BuiltinServices) {
    function("framesOf") { [unowned services] frame throws(JSException) in
      let makers = (frame[1].string ?? "").split(separator: "\n").map(String.init)
      let lines = services.sources.frameLines(
        of: frame[0].string ?? "", makers: makers, message: frame[2].string ?? "")
      return services.context.make(lines.joined(separator: "\n"))
    }
    // `isFrame(line)`: whether the file of a frame is one that ran.
    function("isFrame") { [unowned services] frame throws(JSException) in
      services.context.make(services.sources.isFrame(frame[0].string ?? ""))
    }
  }
}

/// What looks at iterators, once it is proven. Of the engine's thread.
private final class IteratorLooks {
  var peek: JSIteratorPeek?
}

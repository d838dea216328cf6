// SPDX-License-Identifier: MIT

internal import JSEngine
internal import NBridgePlugin
internal import NBridgeScript

/// What shows values as text. These modules have a global object of their own, so that a script that changes
/// the engine's prototypes changes none of theirs; they are loaded when the first value is shown.
enum ShowingModules {
  static let all: [BuiltinModule] = [
    BuiltinModule(name: "intact", source: { PackageResources.primordials_js }, isApart: true),
    BuiltinModule(
      name: "looking", source: { PackageResources.looking_js },
      needs: [.module("intact", as: "primordials")], isApart: true
    ) { host, services throws(JSException) in
      host.addLooks(services)
      host.set("object", services.context.makeObject())
    },
    BuiltinModule(
      name: "layout", source: { PackageResources.layout_js }, needs: [.module("looking", as: "looking")],
      isApart: true),
    BuiltinModule(
      name: "errors", source: { PackageResources.errors_js },
      needs: [.module("intact", as: "primordials"), .module("looking", as: "looking")], isApart: true
    ) { host, services throws(JSException) in
      host.addFrames(services)
      host.function("messageFor") { [unowned services] frame throws(JSException) in
        guard let text = frame[0].string else { return frame[0] }
        let message = AuthoredMessage.of(text)
        return services.context.make(message + services.missed.hint(for: message))
      }
      host.function("describeDOMException") { [unowned services] frame throws(JSException) in
        // Where the library was never loaded, nothing can be one.
        guard services.builtins?.isLoaded("domexception") == true else { return frame.undefined }
        return try services.context.call(services.load("domexception")["describe"], frame[0])
      }
    },
    BuiltinModule(
      name: "inspect", source: { PackageResources.inspect_js },
      needs: [
        .module("intact", as: "primordials"), .module("looking", as: "looking"),
        .exports(["contentsOf"], of: "contents"), .exports(["layOut"], of: "layout"),
        .module("errors", as: "errors"),
      ], isApart: true),
    BuiltinModule(
      name: "format", source: { PackageResources.format_js },
      needs: [
        .exports(["inspect"], of: "inspect"), .module("intact", as: "primordials"),
        .module("looking", as: "looking"),
      ], isApart: true),
    BuiltinModule(
      name: "examine", source: { PackageResources.examine_js },
      needs: [
        .exports(["inspect"], of: "inspect"), .exports(["json"], of: "format"),
        .module("errors", as: "errors"), .module("intact", as: "primordials"),
        .module("looking", as: "looking"),
      ], isApart: true),
  ]
}

extension HostObject {
  /// `framesOf(stack, makers)`: the author's frames, a line each; `makers` are the names of classes, a line
  /// each, whose constructors stand first.
  func addFrames(_ services: BuiltinServices) {
    function("framesOf") { [unowned services] frame throws(JSException) in
      let makers = (frame[1].string ?? "").split(separator: "\n").map(String.init)
      let lines = services.sources.frameLines(of: frame[0].string ?? "", makers: makers)
      return services.context.make(lines.joined(separator: "\n"))
    }
  }
}

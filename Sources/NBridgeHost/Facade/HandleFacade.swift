// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// The types of objects that a plugin answers, as its facade and its TypeScript tell them.
enum HandleFacade {
  /// One type with its methods.
  struct HandleType {
    let name: String
    let help: String
    /// Without the one that closes, which all have.
    let methods: [Declaration]
    /// Whether only the plugin's own script has such objects.
    let isHidden: Bool
  }

  /// The types in a declaration, in its order.
  static func types(in members: [Declaration]) -> [HandleType] {
    var names: [String] = []
    for member in members {
      if let name = member.handle?.type, !names.contains(name) { names.append(name) }
    }
    return names.map { name in
      let own = members.filter { $0.handle?.type == name }
      return HandleType(
        name: name, help: own.first?.handle?.help ?? "", methods: own.filter { $0.handle?.closes != true },
        isHidden: own.allSatisfy(\.isHidden))
    }
  }

  /// The statement of the facade that makes the class of a type: see `Bridge/js/handles.js`.
  static func definition(_ type: HandleType) throws -> String {
    let bindings = type.methods.map { method in
      "    const \(FacadeGenerator.bound(method)) = find(\(FacadeGenerator.arguments(method)));\n"
    }
    let methods = try type.methods.map { try FacadeGenerator.method($0) }
    return
      "  handle(\"\(type.name)\", (find) => {\n\(bindings.joined())    return {\n\(methods.joined())    };\n"
      + "  }\(type.isHidden ? ", true" : ""));\n"
  }

  /// The name of a type's class in TypeScript.
  static func className(_ type: String, of service: String) -> String {
    "NBridge\(service.capitalisedFirst)\(type.capitalisedFirst)"
  }
}

extension String {
  var capitalisedFirst: String { prefix(1).uppercased() + dropFirst() }
}

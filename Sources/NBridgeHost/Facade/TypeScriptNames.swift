// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// Which names the declarations have by now. A name that is taken gets another end.
final class TypeScriptNames {
  private var taken: Set<String>
  private var services: [String: String] = [:]
  private var handles: [String: String] = [:]

  init(_ contracts: [PluginContract]) {
    let scripts = contracts.compactMap { $0.manifest.script?.types }
    taken = Self.declared(in: TypeScriptGenerator.header)
    taken.formUnion(["NBridge", "NBridgeErrorCodes", "NBridgeErrorOf"])
    for contract in contracts {
      services[contract.service] = take("NBridge" + contract.service.capitalisedFirst, or: "Service")
    }
    for contract in contracts {
      for type in HandleFacade.types(in: contract.members) {
        let name = HandleFacade.className(type.name, of: contract.service)
        handles["\(contract.service).\(type.name)"] = take(name, or: "Object")
      }
    }
    // What plugins' own scripts declare is added to interfaces above, and is not the name of another type.
    for script in scripts { taken.formUnion(Self.declared(in: script)) }
  }

  /// A name that nothing else has.
  func take(_ name: String, or end: String) -> String {
    var free = name
    var number = 2
    if taken.contains(free) { free = name + end }
    while taken.contains(free) {
      free = "\(name)\(end)\(number)"
      number += 1
    }
    taken.insert(free)
    return free
  }

  func service(_ name: String) -> String { services[name] ?? "NBridge" + name.capitalisedFirst }

  func handle(_ type: String, _ service: String) -> String {
    handles["\(service).\(type)"] ?? HandleFacade.className(type, of: service)
  }

  /// The types that some declarations name.
  private static func declared(in text: String) -> Set<String> {
    var names: Set<String> = []
    var words = TypeTokens(text).words[...]
    while let word = words.popFirst() {
      if ["interface", "type", "class", "enum", "namespace"].contains(word), let name = words.first {
        names.insert(name)
      }
    }
    return names
  }
}

/// The declarations of one plugin, in which its types have names.
final class TypeScriptScope {
  let service: String
  private let names: TypeScriptNames
  /// The interfaces that its types needed.
  private(set) var interfaces = ""
  /// Their names, by what they are called in Swift and by what is in them.
  private var known: [String: String] = [:]

  init(_ service: String, _ names: TypeScriptNames) { (self.service, self.names) = (service, names) }

  /// The name of the service's own interface.
  var name: String { names.service(service) }

  func handle(_ type: String) -> String { names.handle(type, service) }

  /// The name of the interface for a type: two types of one name that differ get two.
  func interface(_ name: String, _ shape: Schema) -> String {
    let ascii = name.filter { $0.isASCII && ($0.isLetter || $0.isNumber) }
    guard case .object(let fields) = shape.bare, !ascii.isEmpty else {
      return TypeScriptType.of(shape.bare, in: self)
    }
    let members = fields.map { field in
      (field.facts.isEmpty ? "" : "  \(Comment.line(field.facts))\n")
        + "  \(TypeScriptType.member(field, in: self));\n"
    }
    let body = " {\n\(members.joined())}\n\n"
    if let known = known[ascii + body] { return known }
    let (own, type) = (service.capitalisedFirst, ascii.capitalisedFirst)
    // `AppInfo` of the service `app` says once what it is of.
    let isOwn = type.hasPrefix(own) && type.dropFirst(own.count).first?.isUppercase == true
    let name = names.take("NBridge\(isOwn ? "" : own)\(type)", or: "")
    known[ascii + body] = name
    interfaces += "interface \(name)\(body)"
    return name
  }
}

// SPDX-License-Identifier: MIT

internal import NBridgeHost
internal import NBridgePlugin

/// What a session knows of the methods that plugins' own scripts add.
extension InteractiveSession {
  /// Everything that can be called on `nbridge.<path>`: of a service its actions and what its script adds; of
  /// a property of those (`process.stdin`) its own methods.
  package func methods(of path: String) -> [Action] {
    let parts = path.split(separator: ".").map(String.init)
    guard let service = parts.first else { return [] }
    let declared = parts.count == 1 ? actions(of: service) : []
    let known = Set(declared.map(\.name))
    return declared + added(to: parts).filter { !known.contains($0.name) }
  }

  /// One of them by its whole name, as `documents.write` or `process.stdin.lines`.
  package func method(_ name: String) -> Action? {
    guard let point = name.lastIndex(of: ".") else { return nil }
    let path = name[..<point]
    return methods(of: String(path)).first { $0.name == name }
      ?? objectMethods(of: String(path.prefix { $0 != "." })).first { $0.name == name }
  }

  private func added(to path: [String]) -> [Action] {
    guard let script = scriptInterface(of: path[0]) else { return [] }
    var members = script.members
    for name in path.dropFirst() {
      members = members.filter { $0.name == name }.flatMap { script.members(of: $0.type) }
    }
    var order: [String] = []
    let ways = members.reduce(into: [String: [ScriptInterface.Member]]()) { ways, member in
      if ways[member.name] == nil { order.append(member.name) }
      ways[member.name, default: []].append(member)
    }
    let whole = path.joined(separator: ".")
    return order.map { describe("\(whole).\($0)", ways[$0] ?? [], script) }
  }

  private func scriptInterface(of service: String) -> ScriptInterface? {
    if let known = scriptInterfaces[service] { return known }
    guard let script = (try? runtime.plugins.entry(service))?.manifest.script else { return nil }
    let interface = ScriptInterface(script)
    scriptInterfaces[service] = interface
    return interface
  }

  /// One method from the ways in which it can be called.
  private func describe(
    _ name: String, _ ways: [ScriptInterface.Member], _ script: ScriptInterface
  ) -> Action {
    let comment = ways.map(\.comment).first { $0 != MemberComment("") } ?? MemberComment("")
    let count = ways.map { $0.parameters?.count ?? 0 }.max() ?? 0
    let fields = (0..<count).map { place in
      merged(
        ways.compactMap { place < $0.parameters?.count ?? 0 ? $0.parameters?[place] : nil }, comment, script)
    }
    return Action(
      name: name, signatures: ways.map(signature), help: comment.text, kind: Action.scripted,
      permission: comment.permission,
      isAllowed: comment.needed.isEmpty || runtime.permissions.allows(comment.needed),
      fields: fields.flatMap(\.self), argumentFields: fields, errors: [])
  }

  /// The keys that an argument may have, in whichever way it is called.
  private func merged(
    _ parameters: [ScriptInterface.Parameter], _ comment: MemberComment, _ script: ScriptInterface
  ) -> [Action.Field] {
    var fields: [Action.Field] = []
    for parameter in parameters where parameter.type != "NBridgeControl" {
      for member in script.members(of: parameter.type) {
        let values = script.values(of: member.type)
        if let place = fields.firstIndex(where: { $0.name == member.name }) {
          fields[place].values += values.filter { !fields[place].values.contains($0) }
          continue
        }
        let told = comment.parameters["\(parameter.name).\(member.name)"] ?? member.comment.text
        fields.append(
          Action.Field(
            name: member.name, type: member.type, isOptional: member.isOptional, values: values, help: told))
      }
    }
    return fields
  }

  /// As those of actions are written: without what every call has.
  private func signature(_ member: ScriptInterface.Member) -> String {
    guard let parameters = member.parameters else { return "\(member.name): \(member.type)" }
    let shown = parameters.filter { $0.type != "NBridgeControl" }.map { parameter in
      let mark = parameter.isOptional && !parameter.name.hasPrefix(".") ? "?" : ""
      return "\(parameter.name)\(mark): \(parameter.type)"
    }
    return "\(member.name)(\(shown.joined(separator: ", "))): \(Self.awaited(member.type))"
  }

  private static func awaited(_ type: String) -> String {
    for (wrapper, word) in [("Promise<", ""), ("NBridgeWatch<", "watch of ")]
    where type.hasPrefix(wrapper) && type.hasSuffix(">") {
      return word + type.dropFirst(wrapper.count).dropLast()
    }
    return type
  }
}

// SPDX-License-Identifier: MIT

package import NBridgePlugin

/// What a plugin's own script adds to its face, as far as help and completion need it: read from the
/// TypeScript that the plugin declares for that, which `nbridge types` prints.
package struct ScriptInterface: Sendable {
  /// A parameter of a method.
  package struct Parameter: Sendable, Equatable {
    package let name: String
    /// As TypeScript.
    package let type: String
    package let isOptional: Bool
  }

  /// One way to call a method, or a property.
  package struct Member: Sendable, Equatable {
    package let name: String
    /// A method's, in order; nil of a property.
    package let parameters: [Parameter]?
    /// What it answers, or what it is, as TypeScript.
    package let type: String
    package let isOptional: Bool
    package let comment: MemberComment
  }

  private let own: [Member]
  /// The bodies of interfaces with a name, those of one name after each other, and the types of aliases.
  private var bodies: [String: [TypeTokens]] = [:]
  private var extended: [String: [TypeTokens]] = [:]
  private var aliases: [String: TypeTokens] = [:]
  /// How deep types are followed: they may name themselves.
  private static let limit = 8

  package init(_ script: PluginScript) { self.init(members: script.members, types: script.types) }

  package init(members: String, types: String) {
    own = TypeTokens(members).members.compactMap(Self.member)
    var rest = TypeTokens(types)
    while let declaration = Self.firstDeclaration(in: &rest) { add(declaration) }
  }

  /// The members that the script adds, in order. A method that can be called in several ways comes as often.
  package var members: [Member] { own.map { method($0) } }

  /// The members of a type: of an interface, an object, several of them at once.
  package func members(of type: String) -> [Member] {
    fields(of: TypeTokens(type), 0).map { method($0) }
  }

  /// The texts that a type allows, when it names some; `true` and `false` for a boolean.
  package func values(of type: String) -> [String] { values(of: TypeTokens(type), 0) }

  // MARK: - Reading

  /// Takes the next `interface … { … }` or `type … = …;` out.
  private static func firstDeclaration(in rest: inout TypeTokens) -> TypeTokens? {
    while let word = rest.first, !["interface", "type"].contains(word) {
      rest = rest.group?.rest ?? rest.dropping(1)
    }
    guard !rest.isEmpty else { return nil }
    let found = rest
    let isInterface = rest.first == "interface"
    rest = (isInterface ? rest.from("{")?.group?.rest : rest.behind(";")) ?? TypeTokens("")
    return found
  }

  private mutating func add(_ declaration: TypeTokens) {
    guard let name = declaration.words.dropFirst().first else { return }
    if declaration.first == "type" {
      aliases[name] = declaration.before(";").behind("=")
    } else if let body = declaration.from("{")?.group?.inside {
      bodies[name, default: []].append(body)
      let parents = declaration.before("{").behind("extends")
      extended[name, default: []] += parents?.split(at: [","]) ?? []
    }
  }

  private static func member(_ text: TypeTokens) -> Member? {
    let comment = MemberComment(text.comment)
    let modifiers = text.words.prefix { ["readonly", "static", "get"].contains($0) }
    // The last of them may be the name itself, as in `get(key)`.
    let isName = ["(", "?", ":", "<"].contains(text.words.dropFirst(modifiers.count).first ?? "(")
    var rest = text.dropping(isName ? max(0, modifiers.count - 1) : modifiers.count)
    guard let name = rest.first, let start = name.first, start.isLetter || "_$\"'".contains(start) else {
      return nil
    }
    rest = rest.dropping(1)
    let isOptional = rest.first == "?"
    if isOptional { rest = rest.dropping(1) }
    if rest.first == "<" { rest = rest.group?.rest ?? rest }
    let parameters = rest.first == "(" ? rest.group.map { $0.inside.split(at: [","]) } : nil
    let type = rest.behind(":")?.text ?? "any"
    return Member(
      name: name.unquoted, parameters: parameters?.compactMap(Self.parameter), type: type,
      isOptional: isOptional, comment: comment)
  }

  private static func parameter(_ text: TypeTokens) -> Parameter? {
    let start = text.words.prefix { $0 == "." }.joined()
    let rest = text.dropping(start.count)
    guard let name = rest.first else { return nil }
    let isOptional = rest.dropping(1).first == "?"
    return Parameter(
      name: start + name, type: rest.behind(":")?.text ?? "any", isOptional: isOptional || !start.isEmpty)
  }

  // MARK: - Types

  /// A property that is a function is called as a method is.
  private func method(_ member: Member) -> Member {
    guard member.parameters == nil, let (parameters, rest) = function(TypeTokens(member.type), 0) else {
      return member
    }
    return Member(
      name: member.name, parameters: parameters.split(at: [","]).compactMap(Self.parameter), type: rest.text,
      isOptional: member.isOptional, comment: member.comment)
  }

  private func function(_ type: TypeTokens, _ depth: Int) -> (parameters: TypeTokens, result: TypeTokens)? {
    if type.first == "(", let (inside, rest) = type.group, rest.first == "=>" {
      return (inside, rest.dropping(1))
    }
    guard depth < Self.limit, type.words.count == 1, let alias = aliases[type.text] else { return nil }
    return function(alias, depth + 1)
  }

  private func fields(of type: TypeTokens, _ depth: Int) -> [Member] {
    guard depth < Self.limit, let first = type.first else { return [] }
    let parts = type.split(at: ["&", "|"])
    if parts.count > 1 || parts.first?.words.count != type.words.count {
      return parts.flatMap { fields(of: $0, depth + 1) }
    }
    if first == "{" { return type.group?.inside.members.compactMap(Self.member) ?? [] }
    if first == "(" { return type.group.map { fields(of: $0.inside, depth + 1) } ?? [] }
    let arguments = type.dropping(1).group?.inside.split(at: [","]) ?? []
    if let wrapped = arguments.first, ["Omit", "Partial", "Readonly", "Required"].contains(first) {
      let left = Set(arguments.dropFirst().flatMap { $0.split(at: ["|"]) }.map { $0.text.unquoted })
      return fields(of: wrapped, depth + 1).filter { !left.contains($0.name) }
    }
    if let alias = aliases[first] { return fields(of: alias, depth + 1) }
    return (bodies[first] ?? []).flatMap { $0.members.compactMap(Self.member) }
      + (extended[first] ?? []).flatMap { fields(of: $0, depth + 1) }
  }

  private func values(of type: TypeTokens, _ depth: Int) -> [String] {
    guard depth < Self.limit else { return [] }
    let parts = type.split(at: ["|"])
    let texts = parts.flatMap { part -> [String] in
      guard part.words.count == 1 else { return [] }
      if part.text.isQuoted { return [part.text.unquoted] }
      return aliases[part.text].map { values(of: $0, depth + 1) } ?? []
    }
    let isBoolean = parts.contains { ["boolean", "true", "false"].contains($0.text) }
    return texts.isEmpty && isBoolean ? ["true", "false"] : texts
  }
}

extension String {
  fileprivate var isQuoted: Bool { count > 1 && (first == "\"" || first == "'") && first == last }
  fileprivate var unquoted: String { isQuoted ? String(dropFirst().dropLast()) : self }
}

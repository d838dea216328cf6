// SPDX-License-Identifier: MIT

/// A plugin's declaration as JSON: what a loaded plugin tells of itself, and what
/// `nbridge plugin describe --json` prints.
package struct PluginDescriptor: Codable, Sendable {
  package var service: String
  package var version: String
  package var help: String?
  package var script: PluginScript?
  package var members: [Member]

  /// One action or watch.
  package struct Member: Codable, Sendable {
    package var name: String
    /// `immediate`, `async`, `detached` or `watch`.
    package var kind: Declaration.Kind
    package var help: String?
    /// A JSON Schema, not looked into before it is asked for; nil for no options.
    package var options: Value?
    /// The same; nil for no result; of a watch, its events.
    package var result: Value?
    /// What calls tell of their progress, as a JSON Schema; nil for nothing.
    package var progress: Value?
    package var positional: [String]?
    /// Whether one object of options may stand in the place of the first positional one; by default false.
    package var takesObject: Bool?
    /// Options that errors name without `option.` before them.
    package var spoken: [String]?
    package var parameters: [String: String]?
    /// By default the action's name.
    package var permission: String?
    package var errors: [String]?
    /// Of a detached action: whether it mostly waits; by default false.
    package var blocking: Bool?
    /// By default false.
    package var hidden: Bool?
    package var behind: String?
    /// Whether recordings keep only the shape of what crosses; by default false.
    package var confidential: Bool?
    /// Of a method of an object that scripts hold.
    package var handle: HandleMember?
    /// What a mocked answer says of itself; by default nothing.
    package var mockMark: MockMark?
    /// Of a watch; by default true.
    package var holdsOpen: Bool?
    package var buffering: Buffer?
  }

  /// How a watch buffers; by default `wait` with 128.
  package struct Buffer: Codable, Sendable {
    package var policy: String
    package var limit: Int
  }

  /// Describes a declaration. Throws for a type that can't be described without guessing.
  package init(_ manifest: PluginManifest, _ declarations: [Declaration]) throws {
    service = manifest.service
    version = manifest.version
    help = manifest.help.isEmpty ? nil : manifest.help
    script = manifest.script
    members = try declarations.map { declaration in
      do { return try Member(declaration) } catch {
        throw SchemaError("'\(manifest.service).\(declaration.key)': \(error)")
      }
    }
  }

  /// Throws for what decodes and still has no meaning.
  package func check() throws {
    for member in members {
      do { try member.check() } catch {
        let reason = (error as? BridgeError)?.message ?? "\(error)"
        throw SchemaError("'\(service).\(member.name)': \(reason)")
      }
    }
    try checkClosing()
  }

  /// Each type of objects has what closes one: an answer that hands one over could not be taken else.
  private func checkClosing() throws {
    let closed = members.filter { $0.name == "close" && $0.handle?.closes == true }.compactMap(\.handle?.type)
    for type in members.compactMap(\.handle?.type) where !closed.contains(type) {
      throw SchemaError(
        "the type '\(type)' has no member 'close' whose \"closes\" is true, and nothing could close an "
          + "object of it")
    }
  }

  package var manifest: PluginManifest {
    PluginManifest(service: service, version: version, help: help ?? "", script: script)
  }
}

extension PluginDescriptor.Member {
  init(_ declaration: Declaration) throws {
    name = declaration.name
    kind = declaration.kind
    help = declaration.help
    options = declaration.options.isNone ? nil : try Value(encoding: declaration.options.namedSchema())
    result = declaration.result.isNone ? nil : try Value(encoding: declaration.result.namedSchema())
    progress = declaration.progress.isNone ? nil : try Value(encoding: declaration.progress.namedSchema())
    positional = declaration.positional.isEmpty ? nil : declaration.positional
    takesObject = declaration.takesObject ? true : nil
    spoken = declaration.spoken.isEmpty ? nil : declaration.spoken
    parameters = declaration.parameters.isEmpty ? nil : declaration.parameters
    permission = declaration.permission
    errors = declaration.errors.isEmpty ? nil : declaration.errors.map(\.rawValue)
    blocking = declaration.isBlocking ? true : nil
    hidden = declaration.isHidden ? true : nil
    behind = declaration.spokenName
    confidential = declaration.isConfidential ? true : nil
    handle = declaration.handle
    mockMark = declaration.mockMark
    guard kind == .watch else { return }
    holdsOpen = declaration.holdsOpen ? nil : false
    buffering = .init(policy: declaration.buffering.policy, limit: declaration.buffering.limit)
  }

  /// Types whose JSON Schema means something, parameters that are fields of the options, a buffer that can
  /// be.
  fileprivate func check() throws {
    let answer = try result?.decode(Schema.self).bare
    if let mockMark { try check(mockMark, answer) }
    let shape = try options?.decode(Schema.self).bare
    if progress != nil, kind == .immediate || kind == .watch {
      throw SchemaError("progress is told by an Action or a Detached, which take their time")
    }
    if kind == .immediate, let name = shape?.inlets.keys.min() {
      throw SchemaError("'\(name)' comes from the script bit by bit, which an Immediate can't await")
    }
    if case .object(let fields) = shape ?? .object([]) {
      for name in (positional ?? []) + (spoken ?? []) + (parameters ?? [:]).keys.sorted()
      where !fields.contains(where: { $0.name == name }) {
        let known = fields.isEmpty ? "has none" : "has \(fields.map(\.name).joined(separator: ", "))"
        throw SchemaError("'\(name)' is named as a parameter, and is no field of the options, which \(known)")
      }
    }
    if let positional,
      let twice = positional.indices.first(where: { positional[..<$0].contains(positional[$0]) })
    {
      throw SchemaError("'\(positional[twice])' is named twice as a parameter")
    }
    if let buffering {
      guard ["wait", "dropOldest", "dropNewest"].contains(buffering.policy), buffering.limit > 0 else {
        throw SchemaError(
          "the buffering '\(buffering.policy)' of \(buffering.limit) can't be: the policy is wait, "
            + "dropOldest or "
            + "dropNewest, and the limit at least 1")
      }
    }
  }

  /// The mark must be something that the answer may say.
  private func check(_ mark: MockMark, _ answer: Schema?) throws {
    guard case .object(let fields)? = answer, let field = fields.first(where: { $0.name == mark.member })
    else { throw SchemaError("'\(mark.member)' marks mocked answers, and is no member of the answer") }
    switch field.schema {
    case .string: return
    case .oneOf(let values) where values.contains(mark.value): return
    default: throw SchemaError("'\(mark.member)' can't say '\(mark.value)' of a mocked answer")
    }
  }

  /// The declaration that the description stands for, run by `runner`.
  package func declaration(_ runner: Runner) -> Declaration {
    var declaration = Declaration(
      name: name, help: help ?? "", options: TypeReference(options), result: TypeReference(result),
      runner: runner)
    declaration.progress = TypeReference(progress)
    declaration.positional = positional ?? []
    declaration.takesObject = takesObject ?? false
    declaration.spoken = spoken ?? []
    declaration.parameters = parameters ?? [:]
    declaration.permission = permission
    declaration.errors = (errors ?? []).map { BridgeError.Code($0) }
    declaration.holdsOpen = holdsOpen ?? true
    declaration.isBlocking = blocking ?? false
    declaration.isHidden = hidden ?? false
    declaration.spokenName = behind
    declaration.isConfidential = confidential ?? false
    declaration.handle = handle
    declaration.hasRules = options.map { Schema.mayHaveRules($0.text) } ?? false
    declaration.mockMark = mockMark
    if let buffering { declaration.buffering = .init(buffering) }
    return declaration
  }
}

extension Buffering {
  package init(_ buffer: PluginDescriptor.Buffer) {
    switch buffer.policy {
    case "dropOldest": self = .dropOldest(buffer.limit)
    case "dropNewest": self = .dropNewest(buffer.limit)
    default: self = .wait(buffer.limit)
    }
  }
}

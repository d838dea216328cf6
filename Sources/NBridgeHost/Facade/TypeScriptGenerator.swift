// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// Makes the TypeScript declarations of the bridge and its plugins: `nbridge.d.ts`.
enum TypeScriptGenerator {
  static func declarations(_ contracts: [PluginContract]) throws -> String {
    let names = TypeScriptNames(contracts)
    let services = try contracts.map { try service($0, TypeScriptScope($0.service, names)) }
    let members = contracts.map { contract in
      "  \(Comment.line(contract.help))\n"
        + "  readonly \(contract.service): \(names.service(contract.service));\n"
    }
    return header + services.joined() + errors(contracts)
      + "/** The bridge. */\ninterface NBridge extends NBridgeCore {\n"
      + members.joined() + "}\n\ndeclare const nbridge: NBridge;\n"
  }

  /// The codes that each action declares, by its full name.
  private static func errors(_ contracts: [PluginContract]) -> String {
    let rows = contracts.flatMap { contract in
      contract.members.filter { !$0.errors.isEmpty }.map { member in
        let codes = member.errors.map(\.rawValue.quotedForScript).joined(separator: " | ")
        return "  \"\(contract.service).\(member.key)\": \(codes);\n"
      }
    }
    return "/** The codes that an action may reject with, besides those of the bridge itself. */\n"
      + "interface NBridgeErrorCodes {\n" + rows.joined() + "}\n\n"
        + """
        /**
         * What a call rejects with:
         * `catch (error) { const failure = error as NBridgeErrorOf<"app.openURL">; … }`
         */
        type NBridgeErrorOf<Call extends keyof NBridgeErrorCodes> =
          NBridgeError & { readonly code: NBridgeErrorCodes[Call] | NBridgeCommonCode };


        """
  }

  private static func service(_ contract: PluginContract, _ scope: TypeScriptScope) throws -> String {
    let types = HandleFacade.types(in: contract.members).filter { !$0.isHidden }
    let handles = try types.map { try handle($0, scope) }.joined()
    let methods = try contract.members.filter(\.isPublic).map { try method(named: $0, scope) }.joined()
    let comment = Comment.line("\(contract.help) (version \(contract.version))")
    return scope.interfaces + handles + (contract.manifest.script?.types ?? "")
      + "\(comment)\ninterface \(scope.name) {\n\(methods)\(contract.manifest.script?.members ?? "")}\n\n"
  }

  /// The interface of a type of objects.
  private static func handle(_ type: HandleFacade.HandleType, _ scope: TypeScriptScope) throws -> String {
    let methods = try type.methods.filter { !$0.isHidden }.map { try method(named: $0, scope) }.joined()
    let name = scope.handle(type.name)
    return "\(Comment.line(type.help))\ninterface \(name) extends NBridgeHandle {\n\(methods)}\n\n"
  }

  private static func method(named member: Declaration, _ scope: TypeScriptScope) throws -> String {
    do {
      try OptionRules.check(member)
      return try method(member, scope)
    } catch { throw PluginError("'\(scope.service).\(member.key)': \(error)") }
  }

  private static func method(_ member: Declaration, _ scope: TypeScriptScope) throws -> String {
    let signature = try FacadeSignature(member)
    let fields = try optionFields(member)
    var parameters = zip(signature.positional, signature.parameters).map { name, parameter in
      let field = fields.first { $0.name == name }
      let optional = field.map(\.isOptional) ?? true
      let type = field.map { TypeScriptType.of($0.schema, in: scope) } ?? "NBridgeValue"
      return "\(parameter)\(optional ? "?" : ""): \(type)"
    }
    if signature.hasOption {
      let rest = fields.filter { !member.positional.contains($0.name) }
      let optional = rest.allSatisfy(\.isOptional)
      let type =
        rest.count == fields.count
        ? TypeScriptType.of(try member.options.namedSchema(), in: scope)
        : TypeScriptType.object(rest, in: scope)
      parameters.append("option\(optional && !fields.isEmpty ? "?" : ""): \(type)")
    }
    let comment = Comment.lines(try lines(member, signature, fields, scope), indent: "  ")
    var text = comment + (try signatures(member, parameters, scope))
    if signature.wholeOption != nil {
      text += try signatures(member, ["option: \(TypeScriptType.object(fields, in: scope))"], scope)
    }
    return text
  }

  /// The ways to call a method whose parameters these are, besides those that every method has.
  private static func signatures(
    _ member: Declaration, _ parameters: [String], _ scope: TypeScriptScope
  ) throws -> String {
    // Without quotes it would be what `new` makes.
    let name = member.name == "new" ? "\"new\"" : member.name
    let result = TypeScriptType.of(try member.result.namedSchema(), in: scope)
    guard member.kind == .watch else {
      let progressed = member.progress.isNone ? nil : try member.progress.namedSchema()
      let told = progressed.map { TypeScriptType.of($0, in: scope) }
      let progress = told.map { " & { progress?: (value: \($0)) => void }" } ?? ""
      let list = (parameters + ["control?: NBridgeControl\(progress)"]).joined(separator: ", ")
      return "  \(name)(\(list)): Promise<\(result)>;\n"
    }
    let streaming = (parameters + ["callback?: undefined", "control?: NBridgeControl"]).joined(
      separator: ", ")
    let calling =
      (parameters.map { $0.replacingOptional() } + [
        "callback: (event: \(result)) => void", "control?: NBridgeControl",
      ])
      .joined(separator: ", ")
    return "  \(name)(\(streaming)): NBridgeWatch<\(result)>;\n"
      + "  \(name)(\(calling)): Promise<void>;\n"
  }

  private static func optionFields(_ member: Declaration) throws -> [Schema.Field] {
    if case .object(let fields) = try member.options.schema() { return fields }
    return []
  }

  private static func lines(
    _ member: Declaration, _ signature: FacadeSignature, _ fields: [Schema.Field], _ scope: TypeScriptScope
  ) throws -> [String] {
    var lines = [member.help]
    for name in Set(member.parameters.keys).union(fields.filter { !$0.facts.isEmpty }.map(\.name)).sorted() {
      let place = signature.positional.firstIndex(of: name)
      let facts = fields.first { $0.name == name }?.facts ?? ""
      let help = [member.parameters[name] ?? "", facts].filter { !$0.isEmpty }.joined(separator: " ")
      lines.append("@param \(place.map { signature.parameters[$0] } ?? name) \(help)")
    }
    lines.append("Permission: `\(scope.service).\(member.permission ?? member.name)`.")
    if !member.errors.isEmpty {
      lines.append("Errors: \(member.errors.map { "`\($0)`" }.joined(separator: ", ")).")
    }
    return lines
  }
}

extension String {
  /// TypeScript wants no optional parameter before a required one.
  fileprivate func replacingOptional() -> String {
    guard let mark = firstIndex(of: "?"), let colon = firstIndex(of: ":"), mark < colon else { return self }
    var text = self
    text.remove(at: mark)
    return text + " | undefined"
  }
}

// SPDX-License-Identifier: MIT

package import NBridgePlugin

/// Makes the JavaScript face of a plugin from its declaration.
package enum FacadeGenerator {
  /// An expression: a function of the bridge's inner parts that answers the service's object.
  package static func expression(_ members: [Declaration], _ script: PluginScript?) throws -> String {
    let types = try HandleFacade.types(in: members).map { try HandleFacade.definition($0) }.joined()
    let handle = types.isEmpty ? "" : ", handle"
    let actions = members.filter { $0.handle == nil }
    let bindings = types + actions.map { "  const \(bound($0)) = action(\(arguments($0)));\n" }.joined()
    let methods = try actions.filter { !$0.isHidden }.map { try method($0) }.joined()
    guard let script else {
      return "(({ action, call, watch\(handle) }) => {\n\(bindings)  return {\n\(methods)  };\n})"
    }
    let hidden = try actions.filter(\.isHidden).map { try method($0) }.joined()
    return "(({ action, call, watch\(handle), BridgeError, program }) => {\n\(bindings)"
      + "  const facade = {\n\(methods)  };\n  const hidden = {\n\(hidden)  };\n"
      + "  (\(script.source))(facade, hidden, BridgeError, program);\n  return facade;\n})"
  }

  /// The action's name and, for its errors, the names of what stands at a place of its own.
  static func arguments(_ member: Declaration) -> String {
    let names = (member.positional + member.spoken).map(\.quotedForScript).joined(separator: ", ")
    return names.isEmpty ? "\"\(member.name)\"" : "\"\(member.name)\", [\(names)]"
  }

  static func bound(_ member: Declaration) -> String { "$" + member.name }

  /// A method of the service's object, or of an object of the plugin.
  static func method(_ member: Declaration) throws -> String {
    // Of an object: the action of the one that it is called on.
    let action = member.handle == nil ? bound(member) : "\(bound(member))(this)"
    let signature = try FacadeSignature(member)
    let names = signature.parameters.joined(separator: ", ")
    let target = member.kind == .watch ? "watch" : "call"
    let tail = member.kind == .watch ? "callback, control" : "control"
    let option = signature.optionExpression
    let whole = signature.wholeOption.map { name in
      let rest = member.kind == .watch ? "arguments[1], arguments[2]" : "arguments[1]"
      return "if (typeof \(name) === \"object\") "
        + "return \(target)(\(action), \(name), \(rest));"
    }
    guard signature.spreadsOption else {
      let body = [whole, "return \(target)(\(action), \(option), \(tail));"].compactMap { $0 }
      return "    \(member.name)(\(names)) { \(body.joined(separator: " ")) },\n"
    }
    // What throws when it is spread rejects that call, as a getter that throws does.
    return "    \(member.name)(\(names)) {\n      \(whole.map { $0 + "\n      " } ?? "")let given;\n"
      + "      try { given = \(option); } catch (error) { given = { get option() { throw error; } }; }\n"
      + "      return \(target)(\(action), given, \(tail));\n    },\n"
  }
}

/// The parameters of a facade's method: first the positional ones, then an object with the other options,
/// then for a watch the callback, at last `{signal, timeout}`.
package struct FacadeSignature {
  package let positional: [String]
  private let positionalParameters: [String]
  let hasOption: Bool
  package let isWatch: Bool
  /// The parameter that may be an object with all options.
  let wholeOption: String?
  /// Whether the first positional one may be left out.
  private let isFirstOptional: Bool

  package init(_ member: Declaration) throws {
    positional = member.positional
    positionalParameters = Self.parameters(positional)
    isWatch = member.kind == .watch
    wholeOption = member.takesObject ? positionalParameters.first : nil
    if member.options.isNone {
      (hasOption, isFirstOptional) = (false, false)
    } else if !positional.isEmpty, case .object(let fields) = try member.options.schema() {
      hasOption = fields.contains { !member.positional.contains($0.name) }
      isFirstOptional = fields.first { $0.name == member.positional.first }?.isOptional ?? false
    } else {
      (hasOption, isFirstOptional) = (true, false)
    }
  }

  package var names: [String] {
    positional + (hasOption ? ["option"] : []) + (isWatch ? ["callback"] : []) + ["control"]
  }

  /// The same as JavaScript can have them: an option may be named like a word of the language, like what the
  /// method itself uses, or in a way that no variable can be.
  package var parameters: [String] { positionalParameters + names.dropFirst(positional.count) }

  private static func parameters(_ names: [String]) -> [String] {
    var used = taken
    return names.map { name in
      var parameter = name.asScriptName
      while !used.insert(parameter).inserted { parameter += "_" }
      return parameter
    }
  }

  /// Reserved words (ECMA-262, 12.7.2, strict code), and the names in a generated method.
  private static let taken: Set<String> = [
    "arguments", "async", "await", "break", "case", "catch", "class", "const", "continue", "debugger",
    "default",
    "delete", "do", "else", "enum", "eval", "export", "extends", "false", "finally", "for", "function", "if",
    "implements", "import", "in", "instanceof", "interface", "let", "new", "null", "package", "private",
    "protected", "public", "return", "static", "super", "switch", "this", "throw", "true", "try", "typeof",
    "undefined", "var", "void", "while", "with", "yield", "action", "call", "watch", "handle", "find",
    "option", "callback",
    "control", "BridgeError", "program", "facade", "hidden", "given", "error",
  ]

  /// Whether an object of the script's is looked through for that.
  var spreadsOption: Bool { hasOption && !positional.isEmpty }

  /// How the method makes the option that crosses.
  var optionExpression: String {
    if positional.isEmpty { return hasOption ? "option" : "undefined" }
    let start = hasOption ? "...option, " : ""
    // `undefined` is left out rather than tagged: a parameter that was not given.
    let members = zip(positional, positionalParameters).enumerated().map { index, pair in
      let (name, parameter) = pair
      let member = parameter == name && name != "__proto__" ? name : "[\(name.quotedForScript)]: \(parameter)"
      return index == 0 ? member : "...(\(parameter) === undefined ? undefined : { \(member) })"
    }
    let option = "{ \(start)\(members.joined(separator: ", ")) }"
    guard let wholeOption, isFirstOptional, positional.count == 1, !hasOption else { return option }
    return "\(wholeOption) === undefined ? undefined : \(option)"
  }
}

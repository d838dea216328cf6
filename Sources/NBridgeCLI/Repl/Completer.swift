// SPDX-License-Identifier: MIT

internal import NBridge

/// What can stand at the cursor, and what the call around it wants.
struct Completer {
  let session: InteractiveSession
  /// Whether what is entered runs in a page: what that has, only it knows.
  var isElsewhere = false

  /// Names that could stand at the cursor, and how many characters of them stand there.
  struct Candidates: Equatable {
    var names: [String]
    var typed: Int

    /// What all of them begin with.
    var common: String {
      guard var common = names.first else { return "" }
      for name in names { common = String(zip(common, name).prefix { $0 == $1 }.map(\.0)) }
      return common
    }
  }

  func candidates(_ before: String) -> Candidates {
    if before.hasPrefix(".") { return commandCandidates(before) }
    let context = EntryContext(before)
    if let call = context.call, context.path?.isEmpty != false, let action = action(call.path) {
      let options = optionCandidates(call, action, context)
      if !options.names.isEmpty { return options }
    }
    if context.isInModuleName {
      return matching(FileNames.importable(context.partial), context.partial)
    }
    if context.isInString || context.isInComment { return Candidates(names: [], typed: 0) }
    return matching(names(context), context.partial)
  }

  private func names(_ context: EntryContext) -> [String] {
    if let literal = context.literal { return session.members(ofKind: literal) }
    guard let path = context.path else { return [] }
    if isElsewhere, path.first != "nbridge" { return path.isEmpty ? ["nbridge"] + Self.keywords : [] }
    if path == ["nbridge"] { return session.services.map(\.name) + session.members(of: path) }
    if path.count > 1, path[0] == "nbridge" {
      let inner = path.dropFirst().joined(separator: ".")
      let names = session.methods(of: inner).map { String($0.name.dropFirst(inner.count + 1)) }
        .filter(\.isName)
      if !names.isEmpty {
        let everyObjects = Set(session.members(of: ["Object", "prototype"]))
        return names + session.members(of: path).filter { !everyObjects.contains($0) }
      }
    }
    return session.members(of: path) + (path.isEmpty ? Self.keywords : [])
  }

  private static let keywords = [
    "async", "await", "class", "const", "delete", "false", "for", "function", "if", "import", "instanceof",
    "let", "new",
    "null", "return", "switch", "this", "throw", "true", "try", "typeof", "undefined", "var", "void", "while",
  ]

  func matching(_ names: [String], _ typed: String) -> Candidates {
    let found = Set(names.filter { $0.hasPrefix(typed) && (!typed.isEmpty || !$0.hasPrefix("_")) })
    return Candidates(names: found.sorted(), typed: typed.count)
  }

  // MARK: - Calls

  /// The action or the script's method that a path of names calls, when it is one.
  func action(_ path: [String]) -> InteractiveSession.Action? {
    guard path.count > 2, path[0] == "nbridge" else { return nil }
    return session.method(path.dropFirst().joined(separator: "."))
  }

  private func optionCandidates(
    _ call: EntryContext.Call, _ action: InteractiveSession.Action, _ context: EntryContext
  ) -> Candidates {
    let fields = action.fields(at: call.argument)
    if call.isAtKey { return matching(fields.map { $0.name + ": " }, context.partial) }
    guard let key = call.key, let field = fields.first(where: { $0.name == key }) else {
      return Candidates(names: [], typed: 0)
    }
    let isText = field.values != ["true", "false"]
    return matching(field.values.map { isText && !context.isInString ? "\"\($0)\"" : $0 }, context.partial)
  }

  /// The signature of the call around the cursor, and on a line of its own its help and what it needs; nil
  /// when there is none.
  func hint(_ before: String) -> String? {
    if before.hasPrefix(".") { return commandHint(before) }
    guard before.contains("nbridge.") else { return nil }
    let context = EntryContext(before)
    let named = context.path.map { $0 + [context.partial] }
    return (context.call.flatMap({ action($0.path) }) ?? named.flatMap(action)).map(hint)
  }

  func hint(_ action: InteractiveSession.Action) -> String {
    "\(action.signature)\n\(action.help.isEmpty ? "" : action.help + " ")(\(action.terms))"
  }
}

extension String {
  /// Whether it can stand behind a dot.
  fileprivate var isName: Bool {
    first?.isNumber == false && allSatisfy { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "$" }
  }
}

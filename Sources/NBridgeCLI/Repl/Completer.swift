// SPDX-License-Identifier: MIT

internal import CGLib
internal import Glibc
internal import NBridge
internal import NBridgeTerminal

/// What can stand at the cursor, and what the call around it wants.
struct Completer {
  let session: InteractiveSession

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
    if context.isInString || context.isInComment { return Candidates(names: [], typed: 0) }
    return matching(names(context), context.partial)
  }

  private func names(_ context: EntryContext) -> [String] {
    if let literal = context.literal { return session.members(ofKind: literal) }
    guard let path = context.path else { return [] }
    if path == ["nbridge"] { return session.services.map(\.name) + session.members(of: path) }
    if path.count == 2, path[0] == "nbridge" {
      let actions = session.actions(of: path[1])
      // What the plugin's own script adds is there, too.
      if !actions.isEmpty {
        let everyObjects = Set(session.members(of: ["Object", "prototype"]))
        return actions.map { String($0.name.dropFirst(path[1].count + 1)) }
          + session.members(of: path).filter { !everyObjects.contains($0) }
      }
    }
    return session.members(of: path) + (path.isEmpty ? Self.keywords : [])
  }

  private static let keywords = [
    "async", "await", "class", "const", "delete", "false", "for", "function", "if", "import", "instanceof",
    "let", "new",
    "null", "return", "switch", "this", "throw", "true", "try", "typeof", "undefined", "var", "void", "while",
  ]

  private func matching(_ names: [String], _ typed: String) -> Candidates {
    let found = Set(names.filter { $0.hasPrefix(typed) && (!typed.isEmpty || !$0.hasPrefix("_")) })
    return Candidates(names: found.sorted(), typed: typed.count)
  }

  // MARK: - Calls

  /// The action that a path of names calls, when it is one.
  func action(_ path: [String]) -> InteractiveSession.Action? {
    guard path.count == 3, path[0] == "nbridge" else { return nil }
    return session.actions(of: path[1]).first { $0.name == "\(path[1]).\(path[2])" }
  }

  private func optionCandidates(
    _ call: EntryContext.Call, _ action: InteractiveSession.Action, _ context: EntryContext
  ) -> Candidates {
    if call.isAtKey { return matching(action.fields.map { $0.name + ": " }, context.partial) }
    guard let key = call.key, let field = action.fields.first(where: { $0.name == key }) else {
      return Candidates(names: [], typed: 0)
    }
    let isText = field.values != ["true", "false"]
    return matching(field.values.map { isText && !context.isInString ? "\"\($0)\"" : $0 }, context.partial)
  }

  /// The signature of the call around the cursor, and on a line of its own its help and what it needs; nil
  /// when there is none.
  func hint(_ before: String) -> String? {
    guard before.contains("nbridge.") else { return nil }
    let context = EntryContext(before)
    let named = context.path.map { $0 + [context.partial] }
    guard let action = context.call.flatMap({ action($0.path) }) ?? named.flatMap(action) else { return nil }
    let denied = action.isAllowed ? "" : ", which is denied"
    return "\(action.signature)\n\(action.help) (\(action.kind), needs \(action.permission)\(denied))"
  }

  // MARK: - Commands

  private func commandCandidates(_ before: String) -> Candidates {
    let words = before.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard words.count == 2 else { return matching(DotCommand.all.map { "." + $0.name }, before) }
    switch DotCommand.named(String(words[0].dropFirst()))?.operand {
    case .action?: return matching(actionNames { _ in true }, words[1])
    case .watch?: return matching(actionNames { $0.kind == "watch" }.filter { $0.contains(".") }, words[1])
    case .running?: return matching(session.watchNames, words[1])
    case .service?: return matching(session.services.map(\.name), words[1])
    case .call?: return callCandidates(words[1])
    case .permission?: return matching(session.allPermissions, words[1])
    case .file?: return fileCandidates(words[1])
    case .code?: return candidates(words[1])
    case .choice(let choices)?: return matching(choices, words[1])
    case nil, .some(.none): return Candidates(names: [], typed: 0)
    }
  }

  private func actionNames(_ isWanted: (InteractiveSession.Action) -> Bool) -> [String] {
    session.services.flatMap { service in
      [service.name] + session.actions(of: service.name).filter(isWanted).map(\.name)
    }
  }

  /// `service action`, one after the other.
  private func callCandidates(_ typed: String) -> Candidates {
    let parts = typed.split(separator: " ", omittingEmptySubsequences: false).map(String.init)
    switch parts.count {
    case 1: return matching(session.services.map { $0.name + " " }, parts[0])
    case 2:
      let names = session.actions(of: parts[0]).map { String($0.name.dropFirst(parts[0].count + 1)) + " " }
      return matching(names, parts[1])
    default:
      guard let action = session.actions(of: parts[0]).first(where: { $0.name == "\(parts[0]).\(parts[1])" }),
        let last = parts.last, last.isEmpty || last.hasPrefix("{")
      else { return Candidates(names: [], typed: 0) }
      return matching(action.fields.map { "{\"\($0.name)\": " }, last)
    }
  }

  private func fileCandidates(_ typed: String) -> Candidates {
    let folder = typed.lastIndex(of: "/").map { String(typed[...$0]) } ?? ""
    guard let stream = opendir(folder.isEmpty ? "." : folder) else { return Candidates(names: [], typed: 0) }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      let isFolder = entry.pointee.d_type == UInt8(DT_DIR)
      if !name.hasPrefix(".") { names.append(TextWidth.visible(folder + name) + (isFolder ? "/" : "")) }
    }
    return matching(names, typed)
  }
}

// SPDX-License-Identifier: MIT

internal import NBridge

/// What can stand in a dot-command.
extension Completer {
  func commandCandidates(_ before: String) -> Candidates {
    let words = before.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard words.count == 2 else { return matching(DotCommand.all.map { "." + $0.name }, before) }
    switch DotCommand.named(String(words[0].dropFirst()))?.operand {
    case .help?:
      let commands = words[1].hasPrefix(".") ? DotCommand.all.map { "." + $0.name } : []
      return commands.isEmpty ? matching(methodNames(words[1]), words[1]) : matching(commands, words[1])
    case .method?: return matching(methodNames(words[1]), words[1])
    case .watch?: return matching(watchNames, words[1])
    case .running?: return matching(session.watchNames, words[1])
    case .service?: return matching(session.services.map(\.name), words[1])
    case .call?: return callCandidates(words[1])
    case .permission?: return matching(session.allPermissions, words[1])
    case .file?: return matching(FileNames.beginning(as: words[1]), words[1])
    // A command is no code: a thousand of them behind each other are not looked through one in the other.
    case .code? where words[1].hasPrefix("."): return Candidates(names: [], typed: 0)
    case .code?: return candidates(words[1])
    case .choice(let choices)?: return matching(choices, words[1])
    case nil, .some(.none): return Candidates(names: [], typed: 0)
    }
  }

  private var watchNames: [String] {
    session.services.flatMap { session.actions(of: $0.name) }.filter { $0.kind == "watch" }.map(\.name)
  }

  /// The services, and behind a service's dot what can be called on it.
  private func methodNames(_ typed: String) -> [String] {
    guard let point = typed.lastIndex(of: ".") else { return session.services.map(\.name) }
    return session.methods(of: String(typed[..<point])).map(\.name)
  }

  // MARK: - Calls

  /// `service.action key=value`; the service and the action may stand apart, too.
  private func callCandidates(_ typed: String) -> Candidates {
    guard let space = typed.firstIndex(of: " ") else {
      guard let point = typed.firstIndex(of: ".") else {
        return matching(session.services.map { $0.name + "." }, typed)
      }
      return matching(session.actions(of: String(typed[..<point])).map { $0.name + " " }, typed)
    }
    let line = CallLine(typed)
    if !typed[..<space].contains("."), line.action == nil || !typed.dropLast(line.rest.count).hasSuffix(" ") {
      let names = session.actions(of: line.service).map {
        String($0.name.dropFirst(line.service.count + 1)) + " "
      }
      return matching(names, line.action ?? "")
    }
    guard let action = session.actions(of: line.service).first(where: { $0.name == line.name }) else {
      return Candidates(names: [], typed: 0)
    }
    return optionCandidates(line.rest, action)
  }

  private func optionCandidates(_ text: String, _ action: InteractiveSession.Action) -> Candidates {
    let words = TypedOption.words(text)
    let isNew = text.isEmpty || text.hasSuffix(" ")
    let last = isNew ? "" : words.last ?? ""
    if last.hasPrefix("{") { return matching(action.fields.map { "{\"\($0.name)\": " }, last) }
    if let mark = last.firstIndex(of: "=") {
      let field = action.fields.first { $0.name == last[..<mark] }
      return matching(field?.values ?? [], String(last[last.index(after: mark)...]))
    }
    let given = Set(words.map { String($0.prefix { $0 != "=" }) })
    return matching(
      action.fields.map(\.name).filter { !given.contains($0) || $0 == last }.map { $0 + "=" }, last)
  }

  /// What the action behind `.call` and its like takes.
  func commandHint(_ before: String) -> String? {
    let words = before.split(separator: " ", maxSplits: 1).map(String.init)
    guard words.count == 2 else { return nil }
    switch DotCommand.named(String(words[0].dropFirst()))?.operand {
    case .call?, .watch?:
      let line = CallLine(words[1])
      return session.actions(of: line.service).first { $0.name == line.name }.map(hint)
    case .code? where !words[1].hasPrefix("."): return hint(words[1])
    default: return nil
    }
  }
}

// SPDX-License-Identifier: MIT

internal import NBridge
internal import NBridgePlugin

/// What dot-commands tell of plugins, and how they call them.
extension DotCommands {
  func plugins() {
    prompt.answer(
      HelpTable.rows(session.services.map { ($0.name, "\($0.help) (\($0.version))") }), indent: 14)
  }

  /// A plugin, or one of its methods, `documents.write`; those that its own script adds, too.
  func describe(_ given: String) {
    guard needs(given, "describe what? .describe app, .describe app.appInfo") else { return }
    let name = given.hasPrefix("nbridge.") ? String(given.dropFirst("nbridge.".count)) : given
    let service = String(name.prefix { $0 != "." })
    let methods = session.methods(of: service)
    guard !methods.isEmpty else { return unknown(service, among: session.services.map(\.name), "plugin") }
    guard name.contains(".") else { return list(methods + session.objectMethods(of: service)) }
    guard let method = session.method(name) else {
      let others = session.methods(of: String(name[..<(name.lastIndex(of: ".") ?? name.endIndex)]))
      return unknown(name, among: (others.isEmpty ? methods : others).map(\.name), "action")
    }
    prompt.answer(Self.description(method), indent: 4)
    let inner = session.methods(of: name)
    if !inner.isEmpty { list(inner) }
  }

  private func list(_ methods: [InteractiveSession.Action]) {
    prompt.answer(HelpTable.rows(methods.map { ($0.name, "\($0.help) (\($0.kind))") }), indent: 28)
  }

  private static func description(_ action: InteractiveSession.Action) -> String {
    var text = action.signatures.map { "\($0)\n" }.joined() + "  \(action.help)\n"
    for field in action.fields {
      let help = field.help.isEmpty ? "" : "  \(field.help)"
      text += "  option.\(field.name)\(field.isOptional ? "?" : ""): \(field.type)\(help)\n"
    }
    text += "  \(action.terms)\n"
    if !action.errors.isEmpty { text += "  errors: \(action.errors.joined(separator: ", "))\n" }
    return text
  }

  func unknown(_ name: String, among names: [String], _ kind: String) {
    let near =
      NearestName.of(name, among: names).map { "; did you mean '\($0)'?" }
      ?? "; there is \(names.joined(separator: ", "))"
    prompt.show("there is no \(kind) '\(name)'\(near)\n")
  }

  func reload(_ name: String) {
    guard needs(name, "reload which plugin? .plugins lists them") else { return }
    do {
      guard try session.reload(name) else {
        return unknown(name, among: session.services.map(\.name), "plugin")
      }
      prompt.show("'\(name)' was stopped and started\n")
    } catch { prompt.show("'\(name)' did not start again: \(error)\n") }
  }

  // MARK: - Calls

  func call(_ operand: String) {
    guard needs(operand, "call what? .call preference.get key=colour") else { return }
    guard let (line, action) = find(operand) else { return }
    do throws(TypedOptionProblem) {
      let option = try typed(action).expression(line.rest)
      let (service, name) = (TypedOption.quoted(line.service), TypedOption.quoted(line.action ?? ""))
      let arguments = option.isEmpty ? "" : ", (\(option))"
      prompt.run("nbridge.callToNative(\(service), \(name)\(arguments))", name: nil)
    } catch { prompt.show(error.text + "\n") }
  }

  private func typed(_ action: InteractiveSession.Action) -> TypedOption {
    TypedOption(action: action) { [session] in session.isExpression($0) }
  }

  /// The action that a line names; what is wrong with it is told.
  private func find(_ operand: String) -> (CallLine, InteractiveSession.Action)? {
    let line = CallLine(operand)
    let actions = session.actions(of: line.service)
    guard session.services.contains(where: { $0.name == line.service }) else {
      unknown(line.service, among: session.services.map(\.name), "plugin")
      return nil
    }
    if let action = actions.first(where: { $0.name == line.name }) { return (line, action) }
    if session.objectMethods(of: line.service).contains(where: { $0.name == line.name }) {
      prompt.show("'\(line.name)' is a method of an object that an action answers: call it on the object\n")
    } else if let method = session.method(line.name) {
      prompt.show(
        "'\(line.name)' is a method of the plugin's own script: nbridge.\(line.service).\(method.signature)\n"
      )
    } else if let name = line.action, !name.isEmpty {
      unknown(line.name, among: actions.map(\.name), "action")
    } else {
      let names = actions.map { ".call \($0.name)" }.joined(separator: ", ")
      prompt.show(names.isEmpty ? "'\(line.service)' has no actions\n" : "call which? \(names)\n")
    }
    return nil
  }

  func watch(_ operand: String) {
    guard needs(operand, "watch what? .watch preference.watch; watching: \(watching)") else { return }
    let words = operand.split(separator: " ", maxSplits: 1).map(String.init)
    do {
      var option = words.count > 1 ? words[1] : ""
      if let action = session.method(words[0]), !option.isEmpty {
        option = try typed(action).expression(option)
      }
      try session.watch(words[0], option: option) { [prompt] in
        prompt.show($0 + "\n")
      }
      prompt.show("watching \(words[0]); .unwatch \(words[0]) stops\n")
    } catch { prompt.show("\((error as? TypedOptionProblem)?.text ?? "\(error)")\n") }
  }

  func unwatch(_ name: String) {
    if session.unwatch(name) { return prompt.show("\(name) was stopped\n") }
    prompt.show("'\(name)' is not watched; watching: \(watching)\n")
  }

  private var watching: String {
    session.watchNames.isEmpty ? "nothing" : session.watchNames.joined(separator: ", ")
  }

  func pending() {
    let open = session.pending
    prompt.show(open.isEmpty ? "nothing is open\n" : open.map { "\($0)\n" }.joined())
  }
}

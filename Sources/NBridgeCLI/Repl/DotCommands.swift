// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridge
internal import NBridgeHost
internal import NBridgePlugin
internal import NBridgeScript
internal import NBridgeSystem

/// What a dot-command may do with the prompt it was given at.
protocol PromptActions: AnyObject {
  /// Prints text, with its line end.
  func show(_ text: String)
  /// Prints a long answer: folded between words into column `indent`, a screen at a time.
  func answer(_ text: String, indent: Int)
  /// Says that an entry was stopped, and what is still open.
  func showInterrupt(_ open: [OpenCall])
  /// Runs an entry and shows what it came to; `name` is that of the file it came from.
  func run(_ text: String, name: String?)
  /// Everything that was entered.
  var transcript: [String] { get }
  func startComposing()
  func clearScreen()
  func leave()
}

/// Runs dot-commands.
struct DotCommands {
  let session: InteractiveSession
  unowned let prompt: any PromptActions

  /// Runs one; an unknown name is answered with the nearest.
  func run(_ text: String) {
    let words = text.dropFirst().split(separator: " ", maxSplits: 1)
    let name = words.first.map(String.init) ?? ""
    guard let command = DotCommand.named(name) else {
      let near =
        NearestName.of(name, among: DotCommand.all.map(\.name)).map { "; did you mean '.\($0)'?" } ?? ""
      return prompt.show("there is no '.\(name)'\(near) (.help lists them)\n")
    }
    command.run(self, words.count > 1 ? words[1].trimmed : "")
  }

  private func needs(_ operand: String, _ what: String) -> Bool {
    if operand.isEmpty { prompt.show("\(what)\n") }
    return !operand.isEmpty
  }

  func help(_ operand: String) {
    let rows = DotCommand.all.map { (".\($0.name) \($0.operands)".trimmed, $0.help) }
    prompt.answer(
      HelpTable.rows(rows) + """
        Keys: tab completes, ^R searches the history, alt-enter makes a line,
        ^C drops the entry or stops what runs, ^D leaves.
        _ is the last value, _error the last error.

        """, indent: 30)
  }

  // MARK: - Plugins

  func plugins() {
    prompt.answer(
      HelpTable.rows(session.services.map { ($0.name, "\($0.help) (\($0.version))") }), indent: 14)
  }

  func describe(_ name: String) {
    guard needs(name, "describe what? .describe app, .describe app.appInfo") else { return }
    let service = String(name.prefix { $0 != "." })
    let actions = session.actions(of: service)
    guard !actions.isEmpty else { return unknown(service, among: session.services.map(\.name), "plugin") }
    guard name.contains(".") else {
      return prompt.answer(HelpTable.rows(actions.map { ($0.name, "\($0.help) (\($0.kind))") }), indent: 28)
    }
    guard let action = actions.first(where: { $0.name == name }) else {
      return unknown(name, among: actions.map(\.name), "action")
    }
    prompt.answer(Self.description(action), indent: 4)
  }

  private static func description(_ action: InteractiveSession.Action) -> String {
    var text = "\(action.signature)\n  \(action.help)\n"
    for field in action.fields {
      text += "  option.\(field.name)\(field.isOptional ? "?" : ""): \(field.type)\n"
    }
    text += "  \(action.kind), needs \(action.permission)\(action.isAllowed ? "" : ", which is denied")\n"
    if !action.errors.isEmpty { text += "  errors: \(action.errors.joined(separator: ", "))\n" }
    return text
  }

  private func unknown(_ name: String, among names: [String], _ kind: String) {
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
    let words = operand.split(separator: " ", maxSplits: 2).map(String.init)
    guard words.count >= 2 else { return prompt.show("call what? .call preference get {\"key\": \"k\"}\n") }
    if words.count > 2, !session.isExpression(words[2]) {
      return prompt.show("'\(words[2])' is no option: it must be one JavaScript value, as {\"key\": \"k\"}\n")
    }
    let option = words.count > 2 ? ", (\(words[2]))" : ""
    prompt.run("nbridge.callToNative(\(Self.quoted(words[0])), \(Self.quoted(words[1]))\(option))", name: nil)
  }

  private static func quoted(_ text: String) -> String {
    guard let value = try? Value(encoding: text) else { return "\"\"" }
    return String(decoding: value.text, as: UTF8.self)
  }

  func watch(_ operand: String) {
    guard needs(operand, "watch what? .watch preference.watch; watching: \(watching)") else { return }
    let words = operand.split(separator: " ", maxSplits: 1).map(String.init)
    do {
      try session.watch(words[0], option: words.count > 1 ? words[1] : "") { [prompt] in
        prompt.show($0 + "\n")
      }
      prompt.show("watching \(words[0]); .unwatch \(words[0]) stops\n")
    } catch { prompt.show("\(error)\n") }
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

  func trace(_ operand: String) {
    guard ["on", "off", ""].contains(operand) else {
      return prompt.show(".trace on or .trace off, not '\(operand)'\n")
    }
    if !operand.isEmpty { session.isTracing = operand == "on" }
    prompt.show("trace is \(session.isTracing ? "on" : "off")\n")
  }

  func time(_ code: String) {
    guard needs(code, "time what? .time nbridge.app.appInfo()") else { return }
    let start = ContinuousClock.now
    prompt.run(code, name: nil)
    let (seconds, attoseconds) = (ContinuousClock.now - start).components
    let microseconds = Int(seconds) * 1_000_000 + Int(attoseconds / 1_000_000_000_000)
    prompt.show("\(microseconds / 1000).\(String(1000 + microseconds % 1000).dropFirst()) ms\n")
  }

  func types(_ code: String) {
    guard needs(code, "the types of what? .types preference, .types _") else { return }
    if let types = session.types(of: code) { return prompt.answer(types + "\n", indent: 2) }
    switch session.evaluate(code) {
    case .value: prompt.answer(session.typeOfLast + "\n", indent: 2)
    case .nothing, .neverSettles: prompt.show("undefined\n")
    case .failed(let report): prompt.show(report)
    case .interrupted(let open): prompt.showInterrupt(open)
    case .ended: prompt.leave()
    }
  }

  // MARK: - Permissions

  func permissions() {
    guard let list = session.permissions else {
      return prompt.show("everything is allowed: app.json has no \"permissions\"\n")
    }
    prompt.show(list.isEmpty ? "nothing is allowed\n" : list.map { "\($0)\n" }.joined())
  }

  func grant(_ name: String) {
    guard needs(name, "grant what? .grant preference.set") else { return }
    guard isKnown(name) else { return unknown(name, among: session.allPermissions, "permission") }
    session.grant(name)
    prompt.show("'\(name)' is allowed until you leave\n")
  }

  func deny(_ name: String) {
    guard needs(name, "deny what? .deny preference.set") else { return }
    guard isKnown(name) else { return unknown(name, among: session.allPermissions, "permission") }
    session.deny(name)
    prompt.show("'\(name)' is denied until you leave\n")
  }

  private func isKnown(_ name: String) -> Bool {
    let set = PermissionSet([name])
    return session.allPermissions.contains { set.allows($0) }
  }

  // MARK: - Files and the prompt

  func load(_ path: String) {
    guard needs(path, "load which file? .load script.js") else { return }
    var status = stat()
    // A pipe or a device may never end.
    guard stat(path, &status) != 0 || status.st_mode & S_IFMT == S_IFREG else {
      return prompt.show("'\(path)' is not a file\n")
    }
    do { prompt.run(try session.entry(loading: path), name: path) } catch { prompt.show("\(error)\n") }
  }

  func save(_ path: String) {
    guard needs(path, "save where? .save script.js") else { return }
    let text = prompt.transcript.map { $0 + "\n" }.joined()
    do throws(SystemError) {
      try Descriptor.open(path, O_WRONLY | O_CREAT | O_EXCL).write(Array(text.utf8))
    } catch {
      return prompt.show("can't write '\(path)': \(error.reason)\n")
    }
    let count = prompt.transcript.count
    prompt.show("\(count) \(count == 1 ? "entry" : "entries") in '\(path)'\n")
  }

  func editor() { prompt.startComposing() }

  func clear() {
    session.forgetNames()
    prompt.clearScreen()
  }

  func exit() { prompt.leave() }
}

extension StringProtocol {
  /// Without spaces at both ends.
  var trimmed: String {
    var text = Substring(self)
    while text.last?.isWhitespace == true { text.removeLast() }
    return String(text.drop { $0.isWhitespace })
  }
}

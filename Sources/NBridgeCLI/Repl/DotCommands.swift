// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
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
  /// The page that the prompt serves; nil where it serves none.
  var pages: PagePrompt? { get }
}

extension PromptActions {
  var pages: PagePrompt? { nil }
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

  func needs(_ operand: String, _ what: String) -> Bool {
    if operand.isEmpty { prompt.show("\(what)\n") }
    return !operand.isEmpty
  }

  /// All commands, or one of them; a plugin, or a method of one.
  func help(_ operand: String) {
    let name = operand.hasPrefix(".") ? String(operand.dropFirst()) : operand
    if let command = DotCommand.named(name) {
      return prompt.answer(HelpTable.rows([(command.usage, command.help)]), indent: 30)
    }
    guard operand.isEmpty else { return describe(operand) }
    prompt.answer(
      HelpTable.rows(DotCommand.all.map { ($0.usage, $0.help) }) + """
        Keys: tab completes, ^R searches the history, up walks through what begins
        as the text does, alt-enter makes a line, ^C drops the entry or stops what
        runs, ^D leaves. _ is the last value, _error the last error.

        """, indent: 30)
  }

  // MARK: - Code

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
    guard session.allows(name) else {
      return prompt.show("'\(name)' stays forbidden; .permissions shows by what\n")
    }
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

  /// `.page`, `.page 2`, `.page off`.
  func page(_ operand: String) {
    guard let pages = prompt.pages else {
      return prompt.show("this prompt serves no page: nbridge repl --serve PAGE does\n")
    }
    prompt.show(pages.answer(to: operand))
  }

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

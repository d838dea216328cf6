// SPDX-License-Identifier: MIT

internal import NBridge

/// What a prompt does itself, instead of running it as script: `.help` and its kin.
struct DotCommand: Sendable {
  /// What stands behind the name, for completion.
  enum Operand: Sendable {
    case none, help, method, watch, running, service, call, permission, file, code
    case choice([String])
  }

  let name: String
  let operands: String
  let help: String
  let operand: Operand
  let run: @Sendable (DotCommands, String) -> Void

  init(
    _ name: String, _ operands: String = "", _ operand: Operand = .none, _ help: String,
    _ run: @escaping @Sendable (DotCommands, String) -> Void
  ) {
    (self.name, self.operands, self.operand, self.help, self.run) = (name, operands, operand, help, run)
  }

  static let all: [DotCommand] = [
    DotCommand(
      "help", "[NAME]", .help, "Shows this list; of a plugin or a method what it does: .help documents.write"
    ) {
      $0.help($1)
    },
    DotCommand("plugins", "", "Lists the plugins.") { commands, _ in commands.plugins() },
    DotCommand("describe", "NAME", .method, "Shows a plugin or an action: .describe app.appInfo") {
      $0.describe($1)
    },
    DotCommand(
      "call", "ACTION [OPTION]", .call,
      "Calls the bridge as it is: .call preference.get key=colour, or {\"key\": \"colour\"}"
    ) {
      $0.call($1)
    },
    DotCommand("watch", "NAME [OPTION]", .watch, "Prints a watch's events, until .unwatch NAME.") {
      $0.watch($1)
    },
    DotCommand("unwatch", "NAME", .running, "Stops a watch.") { $0.unwatch($1) },
    DotCommand("pending", "", "Lists what is open: calls, watches.") { commands, _ in commands.pending() },
    DotCommand("trace", "on|off", .choice(["on", "off"]), "Prints each call: its kind, time and outcome.") {
      $0.trace($1)
    },
    DotCommand("time", "CODE", .code, "Runs code and tells how long it took.") { $0.time($1) },
    DotCommand("types", "CODE", .code, "Shows the type of a value, or a plugin's: .types preference") {
      $0.types($1)
    },
    DotCommand("permissions", "", "Lists what scripts may call.") { commands, _ in commands.permissions() },
    DotCommand("grant", "NAME", .permission, "Allows a call: .grant preference.set, .grant app.*") {
      $0.grant($1)
    },
    DotCommand("deny", "NAME", .permission, "Takes a permission away.") { $0.deny($1) },
    DotCommand("reload", "PLUGIN", .service, "Stops a plugin and starts it anew.") { $0.reload($1) },
    DotCommand(
      "page", "[N|off]", .choice(["off"]),
      "Lists the tabs of the page that --serve serves; runs what is entered there in tab N."
    ) {
      $0.page($1)
    },
    DotCommand("load", "FILE", .file, "Runs a script, or a module whose exports become names here.") {
      $0.load($1)
    },
    DotCommand("save", "FILE", .file, "Writes what was entered here to a file.") { $0.save($1) },
    DotCommand("editor", "", "Takes a text of several lines; ^D runs it, ^C drops it.") { commands, _ in
      commands.editor()
    },
    DotCommand("clear", "", "Forgets the names that were declared here, and clears the screen.") {
      commands, _ in commands.clear()
    },
    DotCommand("exit", "", "Leaves, as ^D does.") { commands, _ in commands.exit() },
  ]

  private init(
    _ name: String, _ operands: String, _ help: String,
    _ run: @escaping @Sendable (DotCommands, String) -> Void
  ) {
    self.init(name, operands, .none, help, run)
  }

  /// `.call ACTION [OPTION]`.
  var usage: String { ".\(name) \(operands)".trimmed }

  static func named(_ name: String) -> DotCommand? { all.first { $0.name == name } }

  /// Whether an entry is one: a dot, then a letter. `.5` is a number.
  static func isOne(_ text: String) -> Bool {
    text.hasPrefix(".") && text.dropFirst().first?.isLetter == true && !text.contains("\n")
  }
}

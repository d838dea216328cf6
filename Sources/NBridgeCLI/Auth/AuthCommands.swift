// SPDX-License-Identifier: MIT

internal import AuthPlugin
internal import Glibc
internal import LoggerPlugin
internal import NBridge
internal import NBridgeHost
internal import NBridgeLogs
internal import NBridgePlugin

/// `nbridge auth log`.
enum AuthLogCommand: Command {
  static let name = "auth log"
  static let summary = "Shows what came of each authentication, and whether anybody tampered with that."
  static let operands = ""
  static let options = [
    OptionSpec("verify", "Checks the whole log: status 1 when it was changed."),
    OptionSpec(
      "after", value: "HASH", "Checks only what follows the line with that hash, which must be there."),
    OptionSpec(
      "key", value: "FILE",
      "Checks what was written since that copy of the key was made, which must lie out of reach."),
    OptionSpec("json", "Prints the lines as they are kept."),
    OptionSpec("app", value: "ID", "Shows one app's only."),
  ]
  static let examples: [(line: String, does: String)] = [
    ("nbridge auth log --verify", "looks through the chain of hashes"),
    (
      "nbridge auth log --verify --after $(cat kept-hash)",
      "that this line is still there, and what follows it"
    ),
    ("nbridge auth log --app com.example.vault --json", "for other programs"),
  ]

  static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
    let output = StandardOutput()
    defer { output.flush() }
    let anchor = arguments.last("after")
    guard anchor == nil || arguments.has("verify") else {
      throw UsageError("--after HASH goes with --verify")
    }
    if let anchor, anchor.utf8.count != 64 || !anchor.allSatisfy({ $0.isHexDigit && !$0.isUppercase }) {
      throw UsageError("--after must be a hash as --verify prints it, 64 hexadecimal digits, not '\(anchor)'")
    }
    let kept = AuditLog.Kept(hash: anchor, key: try keptKey(arguments))
    let audit = try AuditLog.read(try LogStore.sharedFolders(), kept: kept) { line in
      guard !arguments.has("verify"), arguments.last("app").map({ $0 == line.app }) ?? true else { return }
      output.write(arguments.has("json") ? line.json : VisibleText.of(line.shown) + "\n")
    }
    guard arguments.has("verify") else {
      if !arguments.has("json") {
        for line in audit.standing where arguments.last("app").map({ $0 == line.app }) ?? true {
          output.write(VisibleText.of(line.shown) + ", not written yet\n")
        }
      }
      return .success
    }
    for problem in audit.problems {
      let place = problem.line.map { "line \($0) " } ?? "it "
      output.write("\(audit.path): \(place)\(VisibleText.of(problem.text))\n")
    }
    if audit.problems.isEmpty {
      output.write(sound(audit))
    } else if audit.endIsSound {
      output.writeError(
        """
        nbridge: once it is known why, look at what follows only: nbridge auth log --verify --after \
        \(audit.lastHash)

        """
      )
    }
    return audit.problems.isEmpty ? .success : .failure
  }

  private static func keptKey(_ arguments: ParsedArguments) throws -> AuditKey? {
    guard let path = arguments.last("key") else { return nil }
    guard arguments.has("verify") else { throw UsageError("--key FILE goes with --verify") }
    guard let key = try SmallFile.read(path, followsLinks: true).flatMap({ AuditKey($0) }) else {
      throw UsageError("'\(path)' is no copy of the audit log's key")
    }
    return key
  }

  private static func sound(_ audit: AuditLog) -> String {
    guard audit.count > 0 else { return "nobody has authenticated yet\n" }
    let count = audit.count - audit.known.lines
    let behind = audit.known.lines > 0 ? " behind that one" : ""
    let before =
      audit.known.problems > 0
      ? "; \(audit.known.problems) earlier problem\(audit.known.problems == 1 ? " is" : "s are") not told"
      : ""
    return
      """
      \(count) line\(count == 1 ? "" : "s")\(behind), nothing was changed\(before); \
      the last one's hash is \(audit.lastHash)

      """
  }
}

/// `nbridge auth status`.
enum AuthStatusCommand: Command {
  static let name = "auth status"
  static let summary = "Shows how many failures were counted, and whether biometrics are locked."
  static let operands = ""
  static let options: [OptionSpec] = []
  static let examples: [(line: String, does: String)] = [
    ("nbridge auth status", "says what holds for all apps")
  ]

  static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
    let output = StandardOutput()
    defer { output.flush() }
    let store = AuthStore(try LogStore.sharedFolders()) { output.writeError($0 + "\n") }
    let (failures, isLocked) = try store.counted()
    output.write(
      isLocked
        ? "biometrics are locked until a passcode is given, as with 'nbridge auth unlock'\n"
        : "biometrics are not locked; failures in a row: \(failures) of \(AuthStore.maxFailures)\n")
    return .success
  }
}

/// `nbridge auth unlock`.
enum AuthUnlockCommand: Command {
  static let name = "auth unlock"
  static let summary = "Asks for the passcode at the terminal, which unlocks biometrics."
  static let operands = ""
  static let options: [OptionSpec] = []
  static let examples: [(line: String, does: String)] = [
    ("nbridge auth unlock", "for when an app that takes biometrics only has locked them")
  ]

  static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
    var options = RuntimeOptions()
    options.app = AppInfo(
      id: "nbridge", name: "nbridge auth unlock", version: NBridgeVersion.current, build: "0")
    options.endProcess = { status in Process.exit(status) }
    let auth = AuthSetup(always: .prompt, prompter: TerminalAuthPrompter())
    Process.blockSignals()
    let runtime = try Runtime(options, plugins: BuiltInPlugins.all(auth: auth))
    Process.watch(runtime.controller, Process.Limits(), output: options.output)
    return runtime.run(.text(unlock, url: "unlock"))
  }

  private static let unlock = """
    try {
      await nbridge.auth.evaluatePolicy({ policy: "passcode", reason: "unlock biometrics" });
      console.log("biometrics are not locked any more");
    } catch (error) {
      console.error(`nbridge: ${error.message}`);
      await nbridge.app.exit(1);
    }
    """
}

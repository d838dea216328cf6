// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridge
internal import NBridgeHost
internal import NBridgeSystem
internal import NBridgeTerminal
internal import Synchronization

/// `nbridge repl`: a prompt for bridge calls.
enum ReplCommand: Command {
  static let name = "repl"
  static let summary = "A prompt: try calls and scripts, with completion from the plugins' declarations."
  static let operands = "[FILE] [ARGUMENT…]"
  static let optionsEndBehind: Int? = 1
  static let options =
    [OptionSpec("eval", short: "e", value: "CODE", "Runs this before the first prompt.")]
    + PagePrompt.options
    + ProgramOptions.specs.filter { !["timeout", "memory-limit", "patience"].contains($0.name) }
  static let examples: [(line: String, does: String)] = [
    ("nbridge repl", "opens a prompt; .help there lists what it can do"),
    ("nbridge repl setup.ts", "runs a file first, whose names are there at the prompt"),
    ("nbridge repl --serve www/sample.html", "serves a page; .page there lets you try things in it"),
    ("echo 'await nbridge.app.appInfo()' | nbridge repl", "runs statements and prints their values"),
  ]

  static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
    let page = try PagePrompt.page(arguments)
    let script = page?.path ?? arguments.operands.first
    var options = try ProgramOptions.read(arguments, script: script ?? "repl", isFile: script != nil)
    ProgramOptions.warn(options)
    options.arguments = Array(arguments.operands.dropFirst())
    ReplSignals.block()
    guard let terminal = Terminal(isPlain: TerminalLook.isDumb) else {
      if page != nil { throw UsageError("--serve needs a terminal; nbridge serve serves a page without one") }
      return try runPiped(options, arguments)
    }
    let output = ReplOutput(terminal)
    options.output = output
    let stop = StopLook()
    if !arguments.has("yes"), !arguments.has("answers") {
      options.dialogs = ReplDialogs(terminal) { stop.isRequested }
    }
    options.endProcess = { status in
      terminal.restore()
      Process.exit(status)
    }
    let asking = AuthAtPrompt(terminal) { stop.isRequested }
    let auth = try AuthChoice.read(arguments, &options, prompter: asking.prompter)
    options.workerPlugins = BuiltInPlugins.ofWorkers(auth: auth)
    let session = try InteractiveSession(options, plugins: BuiltInPlugins.all(auth: auth, lendsInput: false))
    let first = try Self.first(session, arguments)
    let interrupter = session.interrupter
    stop.connect(interrupter)
    asking.connect { interrupter.post($0) }
    let pages = try page.map { try PagePrompt($0, session, options, arguments) }
    if terminal.isPlain { return runPlain(PlainSession(terminal, session, pages), first) }
    let prompt = Prompt(ReplSession(terminal, session, pages, historyPath: ReplHistory.defaultPath))
    output.connect(
      show: { prompt.session.show($0) }, clear: { prompt.session.clearForScript() },
      post: { interrupter.post($0) })
    let signals = ReplSignals(
      interrupter, restore: { terminal.restoreAtOnce() }, enterRawMode: { terminal.enterRawMode() },
      tell: { prompt.session.handle($0) })
    signals.start()
    return prompt.session.run(signals, first: first)
  }

  private static func runPlain(_ session: PlainSession, _ first: [FirstEntry]) -> ExitStatus {
    let plain = PlainPrompt(session)
    let signals = ReplSignals(session.session.interrupter, restore: {}, tell: { plain.session.handle($0) })
    signals.start()
    return plain.session.run(signals, first: first)
  }

  private static func runPiped(_ options: RuntimeOptions, _ arguments: ParsedArguments) throws -> ExitStatus {
    var options = options
    let prompter = TerminalAuthPrompter(flush: { [output = options.output] in output.flush() })
    let auth = try AuthChoice.read(arguments, &options, prompter: prompter)
    options.workerPlugins = BuiltInPlugins.ofWorkers(auth: auth)
    let session = try InteractiveSession(options, plugins: BuiltInPlugins.all(auth: auth, lendsInput: false))
    let piped = PipedSession(session: session, output: options.output)
    let end = PipedEnd(session: piped)
    let output = options.output
    let signals = ReplSignals(
      session.interrupter, restore: {}, flush: { Process.flushOnAlarm(output) },
      tell: { event in
        switch event {
        case .interrupt: end.session.end(by: SIGINT)
        case .end(let number): end.session.end(by: number)
        default: break
        }
      })
    Process.attend(to: options.output, of: session.controller)
    signals.start()
    return piped.run(first: try first(session, arguments))
  }

  private static func first(_ session: InteractiveSession, _ arguments: ParsedArguments) throws
    -> [FirstEntry]
  {
    let file = try arguments.operands.first.map { path in
      FirstEntry(text: try session.entry(loading: path), name: path)
    }
    return (file.map { [$0] } ?? []) + arguments.all("eval").map { FirstEntry(text: $0, name: nil) }
  }
}

/// What is run before the first prompt.
struct FirstEntry {
  let text: String
  /// The file's name; nil for code from the command line.
  let name: String?
}

/// Carries a session to its own thread.
private struct PipedEnd: @unchecked Sendable {
  // Sendable because it is used on the session's thread only.
  let session: PipedSession
}

/// Whether the session is being stopped, for what is made before it.
private final class StopLook: Sendable {
  private let interrupter = Mutex<SessionInterrupter?>(nil)

  func connect(_ interrupter: SessionInterrupter) { self.interrupter.withLock { $0 = interrupter } }

  var isRequested: Bool { interrupter.withLock { $0?.isRequested ?? false } }
}

/// The prompt, for closures that other threads carry.
private final class Prompt: @unchecked Sendable {
  let session: ReplSession  // used on the session's thread only, to which every such closure is posted

  init(_ session: ReplSession) { self.session = session }
}

/// The same of a plain one.
private final class PlainPrompt: @unchecked Sendable {
  let session: PlainSession  // used on the session's thread only, to which every such closure is posted

  init(_ session: PlainSession) { self.session = session }
}

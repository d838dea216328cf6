// SPDX-License-Identifier: MIT

internal import Glibc
internal import LoggerPlugin
internal import NBridge
internal import NBridgeHost
internal import NBridgeLogs
internal import NBridgePlugin
internal import NBridgeSystem
internal import NBridgeTerminal

/// What the commands `nbridge logs …` have in common.
enum LogsOptions {
  static let filter = OptionSpec("filter", value: "FILTER", "Shows only what a filter lets through.")
  static let source = OptionSpec("source", value: "APP", "Shows only what an app or a plugin sent.")
  static let since = OptionSpec(
    "since", value: "TIME", "Shows nothing older: 10m, 2h, 3d, 14:30, 2026-11-22T14:30:00Z.")
  static let until = OptionSpec("until", value: "TIME", "Shows nothing newer.")
  static let json = OptionSpec("json", "Prints each record as a line of JSON.")
  static let notes = """
    A filter is words that must all stand in a record, whatever their case; -word must not. Further:
      "two words"  /regular.expression/  level>=warning  level:error  service:db  source:chat
      user:ada  path:/api/*
    """

  /// The filter that the options make together.
  static func filter(_ arguments: ParsedArguments, _ text: String = "", sources: @escaping (Int) -> String?)
    throws
    -> LogFilter
  {
    var parts = [text, arguments.last("filter") ?? ""]
    if let source = arguments.last("source") { parts.append("source:\(source)") }
    return try LogFilter(parts.filter { !$0.isEmpty }.joined(separator: " "), sources: sources)
  }

  /// In milliseconds since 1970; nil when it was not given.
  static func time(_ name: String, _ arguments: ParsedArguments) throws -> Int? {
    guard let text = arguments.last(name) else { return nil }
    guard let time = LogTime.parse(text, now: Int(Glibc.time(nil))) else {
      throw UsageError(
        "--\(name) must be a time as 10m, 2h, 3d, 14:30 or 2026-11-22T14:30:00Z, not '\(text)'")
    }
    return time * 1000
  }
}

/// `nbridge logs`.
enum LogsCommand: Command {
  static let name = "logs"
  static let mostOperands: Int? = nil
  static let summary = "Shows what programs log, as it comes, and keeps it."
  static let operands = ""
  static let options = [
    OptionSpec("plain", "Prints lines, as it does anyway where stdout is no terminal."), LogsOptions.json,
    LogsOptions.filter, LogsOptions.source, LogsOptions.since, LogsOptions.until,
    OptionSpec("port", value: "PORT", "Listens at this port of 127.0.0.1; by default 2532, 0 for none."),
    OptionSpec("any-user", "Takes lines of other users' programs, too, and of those that close at once."),
    OptionSpec("keep-size", value: "MB", "Keeps so much at most; by default 512."),
    OptionSpec("keep-days", value: "DAYS", "Keeps nothing older; by default 30."),
  ]
  static let notes = LogsOptions.notes
  static let examples: [(line: String, does: String)] = [
    ("nbridge logs", "shows what all programs log; ? shows the keys"),
    ("nbridge logs --filter 'level>=warning service:db'", "begins with a filter"),
    ("nbridge logs --json | jq .message", "feeds another program"),
    ("nbridge logs query 'timeout level:error' --since 2h", "looks in what was kept"),
  ]

  static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
    if let word = arguments.operands.first {
      throw UsageError("unknown command 'logs \(word)'; there are logs, logs query and logs export")
    }
    let port = try arguments.number("port") ?? Double(ViewerWire.port)
    guard port <= 65535, port == port.rounded() else { throw UsageError("--port must be 0 to 65535") }
    let isPlain =
      arguments.has("plain") || arguments.has("json") || arguments.has("until") || TerminalLook.isDumb
      || isatty(STDOUT_FILENO) == 0
      || isatty(STDIN_FILENO) == 0
    let limits = (
      bytes: Int(min(1e6, max(1, try arguments.number("keep-size") ?? 512))) << 20,
      seconds: Int(min(36500, max(0.001, try arguments.number("keep-days") ?? 30)) * 86400)
    )
    let names = SourceNames()
    let filter = try LogsOptions.filter(arguments) { names.app($0) }
    let since = try LogsOptions.time("since", arguments), until = try LogsOptions.time("until", arguments)
    Process.blockSignals()
    let place = try LogEndpoint(port: UInt16(port), takesAnyUser: arguments.has("any-user"))
    let store = try LogStore.ofUser()
    let session = LogSession(place, try LogArchive(store, limits: limits), names)
    signal(SIGPIPE, SIG_IGN)
    if isPlain {
      return try PlainLog(arguments.has("json") ? .json : .pretty, filter, names).run(session, since, until)
    }
    guard let terminal = Terminal() else {
      throw UsageError("stdin and stdout must be a terminal, or use --plain")
    }
    let viewer = try LogViewer(terminal, filter, names, since: since)
    let signal = try viewer.run(session, ends: Process.handled.descriptor(), stop: Process.stop)
    return signal.map { ExitStatus(128 + $0) } ?? .success
  }
}

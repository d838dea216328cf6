// SPDX-License-Identifier: MIT

internal import Glibc
internal import LoggerPlugin
internal import NBridge
internal import NBridgeHost
internal import NBridgeLogs

/// `nbridge logs query`.
enum LogsQueryCommand: Command {
  static let name = "logs query"
  static let summary = "Looks in the records that 'nbridge logs' has kept."
  static let operands = "[FILTER…]"
  static let options = [LogsOptions.json, LogsOptions.source, LogsOptions.since, LogsOptions.until]
  static let notes = LogsOptions.notes
  static let examples: [(line: String, does: String)] = [
    ("nbridge logs query 'timeout level>=warning' --since 2h", "shows what went wrong lately"),
    ("nbridge logs query 'user:ada /conn.*refused/' --json", "for other programs"),
  ]

  static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
    let names = SourceNames()
    let filter = try LogsOptions.filter(arguments, arguments.operands.joined(separator: " ")) {
      names.app($0)
    }
    let plain = PlainLog(arguments.has("json") ? .json : .pretty, try LogFilter(""), names)
    signal(SIGPIPE, SIG_IGN)
    let count = try LogQuery(LogStore.ofUser(), filter).run(
      since: LogsOptions.time("since", arguments), until: LogsOptions.time("until", arguments)
    ) { line in plain.show(line) }
    // As grep: 1 for nothing found.
    return count > 0 ? .success : .failure
  }
}

/// `nbridge logs export`.
enum LogsExportCommand: Command {
  static let name = "logs export"
  static let summary = "Writes kept records to a file, or with - to stdout, as lines of JSON."
  static let operands = "FILE [FILTER…]"
  static let options = [
    LogsOptions.source, LogsOptions.since, LogsOptions.until,
    OptionSpec("format", value: "FORMAT", "json, logfmt or pretty; by default json."),
  ]
  static let notes = LogsOptions.notes
  static let examples: [(line: String, does: String)] = [
    ("nbridge logs export errors.jsonl 'level>=error' --since 1d", "for a bug report")
  ]

  static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
    guard let path = arguments.operands.first else {
      throw UsageError("export where? As in: nbridge logs export FILE")
    }
    guard let format = RecordFormat(rawValue: arguments.last("format") ?? "json") else {
      throw UsageError("--format must be json, logfmt or pretty, not '\(arguments.last("format") ?? "")'")
    }
    let names = SourceNames()
    let filter = try LogsOptions.filter(arguments, arguments.operands.dropFirst().joined(separator: " ")) {
      names.app($0)
    }
    let file = try RecordFile(path, format)
    let count = try LogQuery(LogStore.ofUser(), filter).run(
      since: LogsOptions.time("since", arguments), until: LogsOptions.time("until", arguments)
    ) { line in file.add(line) }
    try file.finish()
    if path != "-" { StandardOutput().writeError("\(count) record(s) in '\(path)'\n") }
    return .success
  }
}

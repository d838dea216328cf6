// SPDX-License-Identifier: MIT

internal import Glibc
internal import LoggerPlugin
internal import NBridge
internal import NBridgePlugin
internal import NBridgeSystem

/// Looks through what was kept.
struct LogQuery {
  private let store: LogStore
  private let filter: LogFilter

  init(_ store: LogStore, _ filter: LogFilter) { (self.store, self.filter) = (store, filter) }

  /// Calls `body` with each record that matches, the oldest first; answers how many there were.
  func run(since: Int?, until: Int?, _ body: (UnsafeBufferPointer<UInt8>) -> Void) throws -> Int {
    let words = filter.words
    let candidates = words.isEmpty ? nil : try store.pages(with: words)
    var count = 0
    for page in try store.summaries(since: since ?? 0) {
      if let candidates, !candidates.contains(page.id) { continue }
      guard zip(page.ranks, filter.ranks).contains(where: { $0 > 0 && $1 }) else { continue }
      try store.text(of: page.id).withUnsafeBufferPointer { text in
        StoredLine.forEach(text) { line in
          guard filter.matches(line), isWithin(line, since, until) else { return }
          count += 1
          body(line)
        }
      }
    }
    return count
  }

  /// Records at the edges tell their own time.
  private func isWithin(_ line: UnsafeBufferPointer<UInt8>, _ since: Int?, _ until: Int?) -> Bool {
    guard since != nil || until != nil, let stored = StoredLine(line) else { return true }
    let text = RecordView(stored.json).time
    guard text.count >= 19, let time = LogTime.parse(String(text.prefix(19)) + "Z", now: 0) else {
      return true
    }
    return time >= (since ?? 0) / 1000 && time <= (until ?? .max) / 1000
  }
}

/// `nbridge logs query`.
enum LogsQueryCommand: Command {
  static let name = "logs query"
  static let summary = "Looks in the records that 'nbridge logs' has kept."
  static let operands = "[FILTER]"
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
  static let summary = "Writes kept records to a file, as lines of JSON."
  static let operands = "FILE [FILTER]"
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
    StandardOutput().writeError("\(count) record(s) in '\(path)'\n")
    return .success
  }
}

/// A new file of records. Takes its place when it is whole.
final class RecordFile {
  private let path: String
  private let temporary: String
  private let format: RecordFormat
  private let file: Descriptor
  private var waiting: [UInt8] = []
  private var failed: SystemError?

  init(_ path: String, _ format: RecordFormat) throws {
    (self.path, self.format) = (path, format)
    temporary = path + "." + RandomName.make().prefix(8)
    do { file = try Descriptor.open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW) } catch {
      throw Self.failure(path, error)
    }
  }

  private static func failure(_ path: String, _ error: SystemError) -> BridgeError {
    BridgeError(SystemError("write", path, code: error.code))
  }

  func add(_ line: UnsafeBufferPointer<UInt8>) {
    guard let stored = StoredLine(line) else { return }
    waiting += format == .json ? JSONLine.of(stored) : Array(format.text(stored.json).utf8)
    waiting.append(0x0A)
    if waiting.count > 1 << 20 { write() }
  }

  private func write() {
    if failed == nil { do { try file.write(waiting) } catch { failed = error } }
    waiting.removeAll(keepingCapacity: true)
  }

  func finish() throws {
    write()
    if failed == nil, rename(temporary, path) != 0 { failed = .last("write", path) }
    guard let failed else { return }
    unlink(temporary)
    throw Self.failure(path, failed)
  }
}

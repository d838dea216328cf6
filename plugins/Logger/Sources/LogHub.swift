// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem
internal import Synchronization

/// The program's log: numbers records, takes secrets out of them, and hands them to the sinks in one order.
final class LogHub: Sendable {
  private struct State {
    var next = 1
    var level = LogLevel.trace
    var sinks: [any LogSink] = []
    var redactor: Redactor
    var rules: RedactionRules
    var isClosed = false
    /// The sinks whose problems the person was told of, as no log took them.
    var told: [String] = []
  }

  let source: String
  private let app: AppEnvironment
  private let state: Mutex<State>
  private let mark: RunMark
  private let earlierRuns = SpooledRunsDelivery()
  private let configuring = Mutex<Void>(())
  /// The level, for callers that ask often.
  private let least = Atomic<Int>(0)

  /// - Throws: `invalid_parameter` for settings that can't be, `io_error` when a place can't be made.
  init(_ settings: LoggerSettings, _ app: AppEnvironment) throws {
    self.app = app
    source = "\(RandomName.make())-\(getpid())"
    let rules = settings.redact ?? RedactionRules()
    state = Mutex(State(redactor: try Redactor(rules), rules: rules))
    mark = RunMark(app.container.path + "/Library/Logs/running", source)
    let (sinks, problems) = makeAll(settings.sinks ?? [SinkSettings(.terminal), SinkSettings(.viewer)])
    for problem in problems { app.note("nbridge: \(problem.message)") }
    state.withLock { state in
      state.sinks = sinks
      state.level = settings.level ?? .trace
    }
    noteLevel()
  }

  /// The state that the script's half has to know.
  var view: LoggerState {
    state.withLock { state in
      let terminals = state.sinks.filter { $0 is TerminalSink }.map(\.level)
      return LoggerState(
        level: LogLevel(rank: min(6, least.load(ordering: .relaxed))) ?? .trace,
        direct: min(terminals.min() ?? .error, .error))
    }
  }

  /// Whether records of a level go to any sink.
  func wants(_ level: LogLevel) -> Bool { level.rank >= least.load(ordering: .relaxed) }

  var statistics: [SinkStatistics] { state.withLock { $0.sinks.map(\.statistics) } }

  // MARK: - Records

  func put(_ record: LogRecord) {
    guard wants(record.level) else { return }
    var line: [UInt8] = []
    RecordText.append(record, time: WallTime.now(), to: &line)
    line.withUnsafeBufferPointer { put($0) }
  }

  /// Takes lines in the form of ``ChunkBuilder``.
  func put(_ lines: UnsafeBufferPointer<UInt8>) {
    if mark.isNew, let left = mark.begin() { tell(left, .warning) }
    // Under the lock, so that every sink gets them in the order of their numbers.
    state.withLock { state in
      guard !state.isClosed else { return }
      var builder = ChunkBuilder(first: state.next, pid: getpid())
      builder.add(lines, state.redactor)
      guard let chunk = builder.finish() else { return }
      state.next = chunk.next
      for sink in state.sinks { sink.put(chunk) }
    }
  }

  /// Logs a message of the logger itself.
  private func tell(_ message: String, _ level: LogLevel) {
    put(LogRecord(level: level, service: "logger", message: message))
  }

  /// Takes what a sink says of itself. A log that is written nowhere can't tell that: the person hears it,
  /// once for each sink, and at once, since the program may be about to end.
  private func hear(_ message: String, from sink: SinkSettings) {
    let place = "\(sink.kind.rawValue) \(sink.name ?? "")"
    let isLost = state.withLock { state in
      // What waits for a viewer reaches nobody by that; and it says what is wrong before it counts it.
      let isHeard = state.sinks.contains { $0.takesWarnings && !(sink.kind == .viewer && $0 is ViewerSink) }
      defer { if !state.told.contains(place) { state.told.append(place) } }
      return !isHeard && !state.told.contains(place)
    }
    if isLost { app.note("nbridge: \(message)") }
    tellLater(message)
  }

  /// The same message from a sink's own thread, which must not wait for room in its own queue.
  private func tellLater(_ message: String) {
    PlainThread.start("nb-log-note") { [weak self] in self?.tell(message, .warning) }
  }

  // MARK: - Setting up

  func setLevel(_ level: LogLevel) {
    state.withLock { $0.level = level }
    noteLevel()
  }

  /// Changes what is given, one call after another. Scripts may add to what is taken out of records, never
  /// take from it.
  func configure(_ settings: LoggerSettings) throws {
    for sink in settings.sinks ?? [] { try sink.check() }
    try configuring.withLock { _ in
      try addRules(settings.redact)
      if let level = settings.level { state.withLock { $0.level = level } }
      let problem = settings.sinks.flatMap { replaceSinks($0) }
      noteLevel()
      if let problem { throw problem }
    }
  }

  private func addRules(_ more: RedactionRules?) throws {
    guard let more else { return }
    let rules = state.withLock(\.rules)
    let joined = RedactionRules(
      keys: (rules.keys ?? RedactionRules.defaultKeys) + (more.keys ?? []),
      patterns: (rules.patterns ?? []) + (more.patterns ?? []))
    let redactor = try Redactor(joined)
    state.withLock { ($0.rules, $0.redactor) = (joined, redactor) }
  }

  /// The old ones end before the new ones begin: both may write to the same file. What comes meanwhile is
  /// held.
  private func replaceSinks(_ list: [SinkSettings]) -> BridgeError? {
    let holding = HoldingSink()
    let old = state.withLock { state in
      defer { state.sinks = [holding] }
      return state.sinks
    }
    for sink in old { sink.close(milliseconds: 2000) }
    let (sinks, problems) = makeAll(list)
    state.withLock { state in
      for chunk in holding.chunks { for sink in sinks { sink.put(chunk) } }
      state.sinks = sinks
    }
    return problems.first
  }

  /// The sinks that can be made, and why others can't; a terminal when none can.
  private func makeAll(_ list: [SinkSettings]) -> ([any LogSink], [BridgeError]) {
    var (sinks, problems): ([any LogSink], [BridgeError]) = ([], [])
    for settings in list {
      do { sinks.append(try make(settings)) } catch {
        let reason = (error as? BridgeError)?.message ?? "\(error)"
        problems.append(
          BridgeError(.ioError, "the log's sink '\(settings.kind.rawValue)' can't be used: \(reason)"))
      }
    }
    if sinks.isEmpty, !list.isEmpty {
      sinks = [TerminalSink(.info, .pretty, app, colours: TerminalLook.wantsColours(STDERR_FILENO))]
    }
    return (sinks, problems)
  }

  private func noteLevel() {
    let rank = state.withLock { state in
      max(state.level.rank, state.sinks.map(\.level.rank).min() ?? LogLevel.allCases.count)
    }
    least.store(rank, ordering: .relaxed)
  }

  private func make(_ settings: SinkSettings) throws -> any LogSink {
    let level = settings.minLevel
    let worker = { (destination: any LogDestination) -> any LogSink in
      WorkerSink(
        destination, level, settings.overflow ?? .wait, syncMilliseconds: settings.sync ?? 1000,
        tell: { [weak self] in self?.hear($0, from: settings) })
    }
    switch settings.kind {
    case .terminal:
      return TerminalSink(
        level, settings.format ?? .pretty, app, colours: TerminalLook.wantsColours(STDERR_FILENO))
    case .file:
      let folder = try SharedFolders.make("Library/Logs", inContainer: app.container.path)
      var rules = RotationRules()
      rules.maximumSize = settings.maximumSize ?? rules.maximumSize
      rules.maximumAge = settings.maximumAge
      rules.keep = settings.keep ?? rules.keep
      rules.compresses = settings.compress ?? true
      return worker(
        FileDestination("\(folder)/\(settings.name ?? "app.log")", settings.format ?? .json, rules))
    case .journal: return worker(JournalDestination(app.info.name))
    case .syslog: return worker(SyslogDestination(app.info.name))
    case .viewer:
      var place = ViewerPlace(
        runtime: try SharedFolders.make("", in: app.shared.runtime),
        spool: try SharedFolders.make(SpooledRuns.folder, inContainer: app.container.path),
        hello: .init(source: source, app: app.info.id, pid: Int(getpid())), earlierRuns: earlierRuns)
      place.limit = settings.limit ?? place.limit
      return ViewerSink(place, level) { [weak self] in self?.hear($0, from: settings) }
    }
  }

  // MARK: - The end

  /// Waits until everything is where it belongs; blocks.
  func flush(milliseconds: Int) {
    for sink in state.withLock(\.sinks) { sink.drain(milliseconds: milliseconds) }
  }

  func close() {
    let sinks = state.withLock { state in
      defer { (state.isClosed, state.sinks) = (true, []) }
      return state.sinks
    }
    let deadline = MonotonicTime.milliseconds + 1000
    for sink in sinks { sink.close(milliseconds: 1000) }
    for sink in sinks { sink.halt() }
    earlierRuns.wait(until: deadline)
    mark.end()
  }
}

// SPDX-License-Identifier: MIT

internal import Glibc
internal import LoggerPlugin
internal import NBridgePlugin

/// What came in one go: the lines, and the page in which they are kept.
package struct LogBatch: Sendable {
  let page: PageSummary
  /// Lines as they are kept, new in the page; nil when they are to be read from the store.
  package var lines: [UInt8]?
  /// How many records of each source.
  let counts: [Int: Int]
}

/// Puts records into pages and pages into the store, many at once. Used by the server's thread.
package final class LogArchive {
  private let store: LogStore
  private var page: PageSummary
  private var text: [UInt8] = []
  /// Whether the store lacks some of it.
  private var isDirty = false
  /// What came since the last commit.
  private var fresh: [UInt8] = []
  private var full: [(summary: PageSummary, text: [UInt8])] = []
  private var batches: [LogBatch] = []
  private var counts: [Int: Int] = [:]
  private var changed: [Int: LogSource] = [:]
  /// The sources without numbers of their own that have records since the last commit.
  private var others: Set<Int> = []
  private var sources: [String: LogSource] = [:]
  /// How many connections each source has.
  private var connections: [String: Int] = [:]
  /// The sources whose last connection ended since the last commit.
  private var gone: Set<String> = []
  /// Which record each source has to send next, as far as the store has them.
  private var kept: [String: Int] = [:]
  private var trimmedAt = 0
  private let limits: (bytes: Int, seconds: Int)

  static let pageSize = 64 << 10

  package init(_ store: LogStore, limits: (bytes: Int, seconds: Int)) throws {
    self.store = store
    self.limits = limits
    page = PageSummary(id: try store.lastPage + 1, begin: 0, end: 0)
  }

  private static var now: Int {
    var time = timespec()
    clock_gettime(CLOCK_REALTIME, &time)
    return time.tv_sec * 1000 + time.tv_nsec / 1_000_000
  }

  /// What is not in the store yet, in bytes.
  var waiting: Int { fresh.count + full.reduce(0) { $0 + $1.text.count } }

  var hasNews: Bool { !fresh.isEmpty || !full.isEmpty || !changed.isEmpty || !gone.isEmpty }

  func source(_ name: String, app: String, pid: Int) throws -> LogSource {
    if let known = sources[name] { return known }
    let source = try store.source(name, app: app, pid: pid, page: page.id)
    sources[name] = source
    kept[name] = source.next
    return source
  }

  /// A source connects.
  func join(_ name: String, app: String, pid: Int) throws {
    _ = try source(name, app: app, pid: pid)
    connections[name, default: 0] += 1
    gone.remove(name)
  }

  /// A connection of a source ended. After the last one the store alone remembers it.
  func leave(_ name: String) {
    connections[name, default: 1] -= 1
    guard connections[name] == 0 else { return }
    connections[name] = nil
    gone.insert(name)
  }

  /// The number of the record that a source has to send next: all before are kept.
  func next(of name: String) -> Int { kept[name] ?? 1 }

  /// Takes a record of a source that numbers them; false for one that is kept already.
  func add(_ number: Int, _ rank: Int, _ json: UnsafeBufferPointer<UInt8>, of name: String) -> Bool {
    guard var source = sources[name], number >= source.next else { return false }
    source.next = number + 1
    sources[name] = source
    changed[source.id] = source
    append(source.id, rank, json)
    return true
  }

  /// Adds a record that has no number.
  func add(_ source: Int, _ rank: Int, _ json: UnsafeBufferPointer<UInt8>) {
    others.insert(source)
    append(source, rank, json)
  }

  private func append(_ source: Int, _ rank: Int, _ json: UnsafeBufferPointer<UInt8>) {
    let before = fresh.count
    StoredLine.append(source, rank, json, to: &fresh)
    let now = Self.now
    if page.begin == 0 { page.begin = now }
    page.end = now
    page.ranks[rank] += 1
    counts[source, default: 0] += 1
    page.bytes += fresh.count - before
    if page.bytes >= Self.pageSize { endPage() }
  }

  private func endPage() {
    takeFresh()
    full.append((page, text))
    (text, isDirty) = ([], false)
    page = PageSummary(id: page.id + 1, begin: 0, end: 0)
  }

  private func takeFresh() {
    text += fresh
    batches.append(LogBatch(page: page, lines: fresh, counts: counts))
    (fresh, counts, isDirty) = ([], [:], true)
  }

  /// Keeps what came; answers it for the viewers that watch.
  func commit() throws -> [LogBatch] {
    var pages = full
    if !fresh.isEmpty { takeFresh() }
    if isDirty { pages.append((page, text)) }
    try store.commit(pages, changed.values, others)
    isDirty = false
    for source in changed.values { kept[source.name] = source.next }
    (full, changed, others) = ([], [:], [])
    forgetGone()
    defer { batches = [] }
    return batches
  }

  /// Where programs come and go all day, the table of those that are there must not grow.
  private func forgetGone() {
    for name in gone { (sources[name], kept[name]) = (nil, nil) }
    gone = []
  }

  /// Does what can wait; true when there is more of it.
  func tidy() throws -> Bool {
    if Self.now - trimmedAt > 10_000 {
      trimmedAt = Self.now
      try store.trim(bytes: limits.bytes, before: Self.now - limits.seconds * 1000)
      try store.trimSources(butFor: { sources[$0] != nil })
    }
    return try store.indexSome(before: page.id)
  }
}

// SPDX-License-Identifier: MIT

internal import LoggerPlugin

/// The lines of a page, and where each begins.
final class PageLines {
  private(set) var bytes: [UInt8]
  /// Where lines begin, as far as that was asked for.
  private var known: [Int32] = []
  private var knownBytes = 0

  init(_ bytes: [UInt8]) { self.bytes = bytes }

  func append(_ more: [UInt8]) { bytes += more }

  private var starts: [Int32] {
    guard knownBytes < bytes.count else { return known }
    bytes.withUnsafeBufferPointer { memory in
      while knownBytes < memory.count {
        known.append(Int32(knownBytes))
        let rest = UnsafeBufferPointer(rebasing: memory[knownBytes...])
        knownBytes += (Newline.find(in: rest) ?? rest.count) + 1
      }
    }
    return known
  }

  var count: Int { starts.count }

  /// A line without its end.
  func with<R>(_ index: Int, _ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
    let starts = starts
    let start = Int(starts[index]), end = index + 1 < starts.count ? Int(starts[index + 1]) : bytes.count
    return bytes.withUnsafeBufferPointer {
      body(UnsafeBufferPointer(rebasing: $0[start..<max(start, end - 1)]))
    }
  }
}

/// Where a record stands: the place of its page in the list of pages, and its line.
struct LogPosition: Hashable {
  var page: Int
  var line: Int
}

/// All pages, of which a few are in memory.
final class LogPages {
  private(set) var summaries: [PageSummary] = []
  private var cache: [Int: (lines: PageLines, used: Int)] = [:]
  private var clock = 0
  private let store: LogStore
  private static let maximum = 48

  init(_ store: LogStore, since: Int) throws {
    self.store = store
    summaries = try store.summaries(since: since)
  }

  var count: Int { summaries.reduce(0) { $0 + $1.lines } }
  var end: LogPosition {
    guard let last = summaries.last else { return LogPosition(page: 0, line: 0) }
    return LogPosition(page: summaries.count - 1, line: last.lines)
  }

  /// Takes what came; answers where the first of it stands.
  func append(_ batch: LogBatch) -> LogPosition {
    if let last = summaries.last, last.id == batch.page.id {
      let place = summaries.count - 1
      let first = LogPosition(page: place, line: last.lines)
      summaries[place] = batch.page
      // What was read from the store meanwhile may have it already.
      if let lines = batch.lines, let known = cache[place]?.lines, known.count == last.lines {
        known.append(lines)
      } else {
        cache[place] = nil
      }
      return first
    }
    summaries.append(batch.page)
    if let lines = batch.lines { put(PageLines(lines), at: summaries.count - 1) }
    return LogPosition(page: summaries.count - 1, line: 0)
  }

  /// The lines of a page by its place in the list.
  func lines(_ page: Int) -> PageLines {
    clock += 1
    if let known = cache[page] {
      cache[page]?.used = clock
      return known.lines
    }
    let bytes = (try? store.text(of: summaries[page].id)) ?? []
    let lines = PageLines(bytes)
    put(lines, at: page)
    return lines
  }

  /// Whether any line of a page may be shown: a quick look, which keeps nothing in memory.
  func mayMatch(_ page: Int, _ filter: LogFilter) -> Bool {
    if let known = cache[page]?.lines { return known.bytes.withUnsafeBufferPointer(filter.mayMatch) }
    return (try? store.withText(of: summaries[page].id, filter.mayMatch)) ?? true
  }

  private func put(_ lines: PageLines, at page: Int) {
    clock += 1
    cache[page] = (lines, clock)
    guard cache.count > Self.maximum, let oldest = cache.min(by: { $0.value.used < $1.value.used })?.key
    else {
      return
    }
    cache[oldest] = nil
  }
}

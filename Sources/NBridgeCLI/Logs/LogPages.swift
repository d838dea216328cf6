// SPDX-License-Identifier: MIT

internal import LoggerPlugin

/// The lines of a page, and where each begins.
final class PageLines {
  fileprivate(set) var bytes: [UInt8]
  fileprivate(set) var starts: [Int32] = []

  init(_ bytes: [UInt8]) {
    self.bytes = []
    self.bytes.reserveCapacity(bytes.count)
    starts.reserveCapacity(bytes.count / 128)
    append(bytes)
  }

  func append(_ more: [UInt8]) {
    bytes.reserveCapacity(bytes.count + more.count)
    let offset = bytes.count
    more.withUnsafeBufferPointer { memory in
      var at = 0
      while at < memory.count {
        starts.append(Int32(offset + at))
        let rest = UnsafeBufferPointer(rebasing: memory[at...])
        at += (Newline.find(in: rest) ?? rest.count) + 1
      }
    }
    bytes += more
  }

  var count: Int { starts.count }

  /// A line without its end.
  func with<R>(_ index: Int, _ body: (UnsafeBufferPointer<UInt8>) -> R) -> R {
    let start = Int(starts[index]), end = index + 1 < starts.count ? Int(starts[index + 1]) : bytes.count
    return bytes.withUnsafeBufferPointer {
      body(UnsafeBufferPointer(rebasing: $0[start..<max(start, end - 1)]))
    }
  }
}

/// Where a record stands: the place of its page in the list of pages, and its line.
struct LogPosition: Comparable, Hashable {
  var page: Int
  var line: Int

  static func < (left: LogPosition, right: LogPosition) -> Bool {
    left.page != right.page ? left.page < right.page : left.line < right.line
  }
}

/// All pages, of which a few are in memory.
final class LogPages {
  private(set) var summaries: [PageSummary] = []
  private var cache: [Int: (lines: PageLines, used: Int)] = [:]
  private var clock = 0
  private let store: LogStore?
  private static let most = 48

  init(_ store: LogStore?, since: Int? = nil) throws {
    self.store = store
    if let store, let since { summaries = try store.summaries(since: since) }
  }

  var count: Int { summaries.reduce(0) { $0 + $1.lines } }
  var end: LogPosition { LogPosition(page: summaries.count, line: 0) }

  /// Takes what came; answers where the first of it stands.
  func append(_ batch: LogBatch) -> LogPosition {
    if let last = summaries.last, last.id == batch.page.id {
      let lines = lines(summaries.count - 1)
      let first = lines.count
      lines.append(batch.lines)
      summaries[summaries.count - 1] = batch.page
      return LogPosition(page: summaries.count - 1, line: first)
    }
    summaries.append(batch.page)
    put(PageLines(batch.lines), at: summaries.count - 1)
    return LogPosition(page: summaries.count - 1, line: 0)
  }

  /// The lines of a page by its place in the list.
  func lines(_ page: Int) -> PageLines {
    clock += 1
    if let known = cache[page] {
      cache[page]?.used = clock
      return known.lines
    }
    let bytes = (try? store?.text(of: summaries[page].id)) ?? []
    let lines = PageLines(bytes)
    put(lines, at: page)
    return lines
  }

  private func put(_ lines: PageLines, at page: Int) {
    clock += 1
    cache[page] = (lines, clock)
    guard cache.count > Self.most, let oldest = cache.min(by: { $0.value.used < $1.value.used })?.key else {
      return
    }
    cache[oldest] = nil
  }
}

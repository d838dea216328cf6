// SPDX-License-Identifier: MIT

internal import LoggerPlugin

/// Looks through what was kept.
package struct LogQuery {
  private let store: LogStore
  private let filter: LogFilter

  package init(_ store: LogStore, _ filter: LogFilter) { (self.store, self.filter) = (store, filter) }

  /// Calls `body` with each record that matches, the oldest first; answers how many there were.
  package func run(since: Int?, until: Int?, _ body: (UnsafeBufferPointer<UInt8>) -> Void) throws -> Int {
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

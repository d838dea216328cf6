// SPDX-License-Identifier: MIT

internal import LoggerPlugin

/// Which records stand on the screen: those around a place that a filter lets through. Looking for them may
/// take longer than a person waits, so it is done a slice at a time.
struct LogWindow {
  let pages: LogPages
  private(set) var filter: LogFilter
  private(set) var rows: [LogPosition] = []
  /// The row that is pointed at.
  private(set) var cursor = 0
  /// Whether the newest are shown as they come.
  private(set) var isFollowing = true
  private(set) var height = 20
  /// Where looking back goes on.
  private var unfinished: LogPosition?

  init(_ pages: LogPages, _ filter: LogFilter) { (self.pages, self.filter) = (pages, filter) }

  /// Whether more rows may be found.
  var isLooking: Bool { unfinished != nil }
  var selected: LogPosition? { rows.indices.contains(cursor) ? rows[cursor] : nil }

  mutating func set(height: Int) {
    guard height != self.height else { return }
    self.height = height
    show(from: isFollowing ? nil : selected)
  }

  mutating func set(_ filter: LogFilter) {
    let place = isFollowing ? nil : selected
    self.filter = filter
    show(from: place)
  }

  /// Shows what stands up to a place, or the newest.
  private mutating func show(from place: LogPosition?) {
    rows = []
    unfinished = place.map { LogPosition(page: $0.page, line: $0.line + 1) } ?? pages.end
    isFollowing = place == nil
  }

  /// Looks on for so long; answers whether anything was found.
  mutating func look(_ isOver: () -> Bool) -> Bool {
    guard let from = unfinished else { return false }
    var found: [LogPosition] = []
    let rest = back(from: from, height - rows.count, isOver) { found.append($0) }
    rows.insert(contentsOf: found.reversed(), at: 0)
    cursor = isFollowing || rows.count == found.count ? rows.count - 1 : cursor + found.count
    unfinished = rows.count < height ? rest : nil
    // Few are left above: what follows fills the screen.
    if unfinished == nil, rows.count < height, !isFollowing { fillBelow(isOver) }
    return !found.isEmpty
  }

  private mutating func fillBelow(_ isOver: () -> Bool) {
    guard let last = rows.last else { return }
    _ = forward(after: last, height - rows.count, isOver) { rows.append($0) }
  }

  // MARK: - What comes

  /// A batch came, and begins there.
  mutating func appended(at place: LogPosition) {
    guard isFollowing else { return }
    guard mayMatch(place.page) else { return }
    let lines = pages.lines(place.page)
    var found: [LogPosition] = [], line = lines.count
    while line > place.line, found.count < height {
      line -= 1
      if lines.with(line, filter.matches) { found.append(LogPosition(page: place.page, line: line)) }
    }
    rows += found.reversed()
    if rows.count > height { rows.removeFirst(rows.count - height) }
    cursor = max(0, rows.count - 1)
  }

  // MARK: - Moving

  mutating func follow() { show(from: nil) }
  mutating func pause() { isFollowing = false }

  mutating func top(_ isOver: () -> Bool) {
    rows = []
    (isFollowing, cursor, unfinished) = (false, 0, nil)
    _ = forward(after: LogPosition(page: 0, line: -1), height, isOver) { rows.append($0) }
  }

  mutating func select(row: Int) {
    guard rows.indices.contains(row) else { return }
    (isFollowing, cursor) = (false, row)
  }

  /// Moves the pointer, and the rows when it would leave them.
  mutating func move(_ count: Int, _ isOver: () -> Bool) {
    isFollowing = false
    let wanted = cursor + count
    if wanted < 0, let first = rows.first {
      var found: [LogPosition] = []
      let rest = back(from: first, -wanted, isOver) { found.append($0) }
      rows.insert(contentsOf: found.reversed(), at: 0)
      // Looking goes on above what was found, not where it stopped before.
      if isLooking { unfinished = rest ?? rows.first }
      if rows.count > height { rows.removeLast(rows.count - height) }
      cursor = 0
    } else if wanted >= rows.count, let last = rows.last {
      var found: [LogPosition] = []
      let rest = forward(after: last, wanted - rows.count + 1, isOver) { found.append($0) }
      rows += found
      if rows.count > height { rows.removeFirst(rows.count - height) }
      cursor = max(0, rows.count - 1)
      if found.isEmpty, rest == nil { isFollowing = true }
    } else {
      cursor = max(0, min(rows.count - 1, wanted))
    }
  }

  /// How a jump went.
  enum Jump {
    case found, none
    /// The time was over before all was looked through: it goes on from here.
    case late(LogPosition)
  }

  /// Goes to the next record that holds, or the one before, from a place or else from the selected one.
  mutating func jump(
    forward isForward: Bool, from place: LogPosition? = nil, _ isOver: () -> Bool,
    where holds: @escaping (UnsafeBufferPointer<UInt8>) -> Bool
  ) -> Jump {
    guard let from = place ?? selected else { return .none }
    var found: LogPosition?
    let rest =
      isForward
      ? forward(after: from, 1, isOver, where: holds) { found = $0 }
      : back(from: from, 1, isOver, where: holds) { found = $0 }
    guard let found else {
      guard let rest else { return .none }
      // `forward` begins behind a place.
      return .late(isForward ? LogPosition(page: rest.page, line: rest.line - 1) : rest)
    }
    if let row = rows.firstIndex(of: found) {
      (isFollowing, cursor) = (false, row)
      return .found
    }
    show(from: found)
    _ = look(isOver)
    cursor = rows.firstIndex(of: found) ?? max(0, rows.count - 1)
    return .found
  }

  // MARK: - Looking

  /// Finds records before a place, the nearest first; answers where to go on when the time is over.
  private func back(
    from place: LogPosition, _ count: Int, _ isOver: () -> Bool,
    where holds: ((UnsafeBufferPointer<UInt8>) -> Bool)? = nil, _ found: (LogPosition) -> Void
  ) -> LogPosition? {
    var left = count, page = place.page, line = place.line
    while left > 0 {
      if line <= 0 || page >= pages.summaries.count {
        page -= 1
        while page >= 0, !mayMatch(page) { page -= 1 }
        guard page >= 0 else { return nil }
        if isOver() { return LogPosition(page: page + 1, line: 0) }
        line = .max
        continue
      }
      guard pages.mayMatch(page, filter) else {
        line = 0
        continue
      }
      let lines = pages.lines(page)
      line = min(line, lines.count)
      while line > 0, left > 0 {
        line -= 1
        if lines.with(line, { filter.matches($0) && holds?($0) ?? true }) {
          found(LogPosition(page: page, line: line))
          left -= 1
        }
      }
    }
    return nil
  }

  /// Finds records behind a place; answers where to go on when the time is over.
  private func forward(
    after place: LogPosition, _ count: Int, _ isOver: () -> Bool,
    where holds: ((UnsafeBufferPointer<UInt8>) -> Bool)? = nil, _ found: (LogPosition) -> Void
  ) -> LogPosition? {
    var left = count, page = place.page, line = place.line + 1
    while left > 0, page < pages.summaries.count {
      if mayMatch(page) {
        if isOver() { return LogPosition(page: page, line: line) }
        guard pages.mayMatch(page, filter) else {
          (page, line) = (page + 1, 0)
          continue
        }
        let lines = pages.lines(page)
        while left > 0, line < lines.count {
          if lines.with(line, { filter.matches($0) && holds?($0) ?? true }) {
            found(LogPosition(page: page, line: line))
            left -= 1
          }
          line += 1
        }
      }
      if left > 0 { (page, line) = (page + 1, 0) }
    }
    return nil
  }

  /// Whether a page may have a match, by its summary, without a look at its lines.
  private func mayMatch(_ page: Int) -> Bool {
    zip(pages.summaries[page].ranks, filter.ranks).contains { $0 > 0 && $1 }
  }
}

// SPDX-License-Identifier: MIT

internal import LoggerPlugin
internal import NBridgePlugin
internal import NBridgeSystem

/// What one connection sends, whatever comes: our lines of JSON, which are numbered and confirmed, or lines
/// of text of any other program.
struct LogIntake {
  /// Something to do with what came.
  enum Event {
    /// A program greets.
    case hello(ViewerWire.Hello)
    /// A record of the program that greeted, with its number.
    case record(number: Int, rank: Int)
    /// A record of a program that did not greet, as JSON.
    case foreign(rank: Int, [UInt8])
    /// The program ended in order.
    case end
    /// The program ended without a word: the program that found its records says so.
    case lost
  }

  /// A line that is longer is cut.
  static let longest = 16 << 20
  /// So much is kept of a line that is cut because all clients together hold too much.
  static let maxOfCut = 1 << 20

  private var rest: [UInt8] = []
  private var isOurs = false
  private var isSkipping = false
  /// Time as text, for lines that bring none.
  private let now: () -> String

  init(now: @escaping () -> String = WallTime.now) { self.now = now }

  /// Takes bytes; calls `body` with each line that ended in them, and what it means.
  mutating func take(_ bytes: UnsafeBufferPointer<UInt8>, _ body: (Event, UnsafeBufferPointer<UInt8>) -> Void)
  {
    var start = 0
    while start < bytes.count {
      let part = UnsafeBufferPointer(rebasing: bytes[start...])
      guard let end = Newline.find(in: part) else { return keep(part, body) }
      let line = UnsafeBufferPointer(rebasing: part[..<end])
      start += end + 1
      if isSkipping {
        isSkipping = false
      } else if rest.isEmpty {
        handle(line, body)
      } else {
        rest += line
        let whole = rest
        rest = []
        whole.withUnsafeBufferPointer { handle($0, body) }
      }
    }
  }

  /// What the line that has no end yet takes, in bytes.
  var held: Int { rest.capacity }

  /// Ends a line that has no end yet, because there is no room for more of it.
  mutating func cut(_ body: (Event, UnsafeBufferPointer<UInt8>) -> Void) {
    guard !rest.isEmpty else { return }
    endLine(at: min(rest.count, Self.maxOfCut), "all programs together hold too much", body)
  }

  /// The connection ended: what has no end is a line, if it is another program's text.
  mutating func finish(_ body: (Event, UnsafeBufferPointer<UInt8>) -> Void) {
    guard !rest.isEmpty, !isOurs else { return }
    let whole = rest
    rest = []
    whole.withUnsafeBufferPointer { handle($0, body) }
  }

  private mutating func keep(
    _ part: UnsafeBufferPointer<UInt8>, _ body: (Event, UnsafeBufferPointer<UInt8>) -> Void
  ) {
    guard !isSkipping else { return }
    // By a quarter and not by half: what is taken in reserve counts.
    if rest.count + part.count > rest.capacity { rest.reserveCapacity((rest.count + part.count) / 4 * 5) }
    rest += part
    if rest.count > Self.longest { endLine(at: Self.longest, nil, body) }
  }

  private mutating func endLine(
    at count: Int, _ reason: String?, _ body: (Event, UnsafeBufferPointer<UInt8>) -> Void
  ) {
    let size = count >= 1 << 20 ? "\(count >> 20) MiB" : "\(count) bytes"
    let text =
      "(cut after \(size)\(reason.map { ": " + $0 } ?? "")) "
      + String(decoding: rest[..<count], as: UTF8.self)
    (rest, isSkipping) = ([], true)
    let record = foreign(.warning, text)
    record.withUnsafeBufferPointer { body(.foreign(rank: LogLevel.warning.rank, record), $0) }
  }

  private mutating func handle(
    _ line: UnsafeBufferPointer<UInt8>, _ body: (Event, UnsafeBufferPointer<UInt8>) -> Void
  ) {
    var line = line
    if line.last == 0x0D { line = UnsafeBufferPointer(rebasing: line.dropLast()) }
    guard !line.isEmpty else { return }
    if line.starts(with: ViewerWire.helloStart),
      let hello = try? Value(text: Array(line)).decode(ViewerWire.Hello.self)
    {
      isOurs = true
      return body(.hello(hello), line)
    }
    guard isOurs else {
      let record = foreign(line)
      return record.json.withUnsafeBufferPointer { body(.foreign(rank: record.rank, record.json), $0) }
    }
    if let number = ViewerWire.record(in: line) {
      return body(.record(number: number, rank: Self.rank(of: line)), line)
    }
    if line.elementsEqual(ViewerWire.end.dropLast()) { return body(.end, line) }
    if line.elementsEqual(ViewerWire.lost.dropLast()) { body(.lost, line) }
  }

  // MARK: - Levels

  private static let levelStart = Array("\"level\":\"".utf8)
  private static let nearStart = 160

  /// A record's level: our own say it near their beginning.
  static func rank(of line: UnsafeBufferPointer<UInt8>) -> Int {
    let near = UnsafeBufferPointer(rebasing: line.prefix(nearStart))
    if let place = ByteSearch.find(levelStart, in: near), place + levelStart.count + 1 < line.count {
      switch line[place + levelStart.count] {
      case UInt8(ascii: "t"): return 0
      case UInt8(ascii: "d"): return 1
      case UInt8(ascii: "i"): return 2
      case UInt8(ascii: "n"): return 3
      case UInt8(ascii: "w"): return 4
      case UInt8(ascii: "e"): return 5
      case UInt8(ascii: "c"): return 6
      default: break
      }
    }
    return RecordView(line).level.rank
  }

  // MARK: - Other programs' text

  /// The levels of the first logger (2022): `[🐛 DEBUG] text`.
  private static let marks: [(start: String, level: LogLevel)] = [
    ("[\u{1F41B} DEBUG] ", .debug), ("[\u{26A0}\u{FE0F} WARNING] ", .warning), ("[\u{1F6AB} ERROR] ", .error),
    ("[\u{2139}\u{FE0F} INFO] ", .info),
  ]

  private func foreign(_ line: UnsafeBufferPointer<UInt8>) -> (rank: Int, json: [UInt8]) {
    // JSON has no control characters (RFC 8259, 7): a line that has some is text, and will be quoted.
    if line.first == UInt8(ascii: "{"), !line.contains(where: { $0 < 0x20 }) {
      var cursor = JSONCursor(line)
      if cursor.value() != nil, cursor.peek() == nil { return (RecordView(line).level.rank, Array(line)) }
    }
    let text = String(decoding: line, as: UTF8.self)
    for (start, level) in Self.marks where text.unicodeScalars.starts(with: start.unicodeScalars) {
      return (level.rank, foreign(level, String(text.unicodeScalars.dropFirst(start.unicodeScalars.count))))
    }
    return (LogLevel.info.rank, foreign(.info, text))
  }

  private func foreign(_ level: LogLevel, _ text: String) -> [UInt8] {
    var json = Array(
      "{\"time\":\"\(now())\",\"level\":\"\(level.rawValue)\",\"service\":\"socket\",\"message\":".utf8)
    JSONText.append(text, to: &json)
    json.append(UInt8(ascii: "}"))
    return json
  }
}

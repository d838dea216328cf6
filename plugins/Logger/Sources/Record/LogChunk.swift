// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// Records that were put together: lines of JSON, each with its end.
final class LogChunk: Sendable {
  /// One line of the chunk.
  struct Line {
    let rank: UInt8
    let range: Range<Int>
  }

  let bytes: [UInt8]
  let lines: [Line]
  /// The number of the first, and the one behind the last.
  let first: Int
  let next: Int

  init(_ bytes: [UInt8], _ lines: [Line], first: Int, next: Int? = nil) {
    (self.bytes, self.lines, self.first) = (bytes, lines, first)
    self.next = next ?? first + lines.count
  }

  /// The lines of that level and above: all bytes at once when all lines are.
  func bytes(atLeast level: LogLevel) -> ArraySlice<UInt8> {
    let rank = UInt8(level.rank)
    if lines.allSatisfy({ $0.rank >= rank }) { return bytes[...] }
    return lines.filter { $0.rank >= rank }.flatMap { bytes[$0.range] }[...]
  }

  /// The lines of that level and above, put together anew; the chunk itself when all are, nil when none is.
  func part(atLeast level: LogLevel) -> LogChunk? {
    let rank = UInt8(level.rank)
    if lines.allSatisfy({ $0.rank >= rank }) { return self }
    let kept = lines.filter { $0.rank >= rank }
    guard let last = lines.lastIndex(where: { $0.rank >= rank }) else { return nil }
    var (part, places): ([UInt8], [Line]) = ([], [])
    for line in kept {
      places.append(Line(rank: line.rank, range: part.count..<(part.count + line.range.count)))
      part += bytes[line.range]
    }
    return LogChunk(part, places, first: first, next: first + last + 1)
  }

  /// Calls `body` with each that matters enough, without its end.
  func forEach(atLeast level: LogLevel, _ body: (LogLevel, UnsafeBufferPointer<UInt8>) -> Void) {
    bytes.withUnsafeBufferPointer { memory in
      for line in lines where line.rank >= level.rank {
        body(
          LogLevel(rank: Int(line.rank)) ?? .info,
          UnsafeBufferPointer(rebasing: memory[line.range.dropLast()]))
      }
    }
  }
}

/// Puts records together. Each begins with its rank as a digit, then the members of its JSON object but for
/// its number.
struct ChunkBuilder {
  private var bytes: [UInt8] = []
  private var lines: [LogChunk.Line] = []
  private let first: Int
  private let start = Array("{\"seq\":".utf8)
  private let head: [UInt8]

  init(first: Int, pid: Int32) {
    self.first = first
    head = Array(",\"pid\":\(pid),".utf8)
  }

  /// Takes lines with their ends.
  mutating func add(_ text: UnsafeBufferPointer<UInt8>, _ redactor: Redactor) {
    // Room for the numbers of as many lines as are usual.
    bytes.reserveCapacity(text.count + text.count / 4 + 64)
    let redactor = redactor.mayTouch(text) ? redactor : nil
    var start = 0
    while start < text.count {
      let rest = UnsafeBufferPointer(rebasing: text[start...])
      let end = Newline.find(in: rest) ?? rest.count
      add(line: UnsafeBufferPointer(rebasing: rest[..<end]), redactor)
      start += end + 1
    }
  }

  private mutating func add(line: UnsafeBufferPointer<UInt8>, _ redactor: Redactor?) {
    guard let digit = line.first, 0x30...0x36 ~= digit else { return }
    let start = bytes.count
    bytes += self.start
    Self.append(first + lines.count, to: &bytes)
    bytes += head
    bytes += UnsafeBufferPointer(rebasing: line[1...])
    if let redactor {
      let clean = bytes.withUnsafeBufferPointer {
        redactor.redacted(UnsafeBufferPointer(rebasing: $0[start...]))
      }
      if let clean { bytes.replaceSubrange(start..., with: clean) }
    }
    bytes.append(0x0A)
    lines.append(.init(rank: digit - 0x30, range: start..<bytes.count))
  }

  private static func append(_ number: Int, to bytes: inout [UInt8]) {
    withUnsafeTemporaryAllocation(of: UInt8.self, capacity: 20) { digits in
      var at = 20, rest = number
      repeat {
        at -= 1
        digits[at] = UInt8(0x30 + rest % 10)
        rest /= 10
      } while rest > 0
      bytes += UnsafeBufferPointer(rebasing: digits[at...])
    }
  }

  /// The lines that were taken; nil for none.
  func finish() -> LogChunk? { lines.isEmpty ? nil : LogChunk(bytes, lines, first: first) }
}

/// Records that are made here, in the form that ``ChunkBuilder`` takes.
enum RecordText {
  static func append(_ record: LogRecord, time: String, to bytes: inout [UInt8]) {
    bytes += Array(
      "\(record.level.rank)\"time\":\"\(time)\",\"level\":\"\(record.level.rawValue)\",\"service\":".utf8)
    JSONText.append(record.service, to: &bytes)
    bytes += Array(",\"message\":".utf8)
    JSONText.append(record.message, to: &bytes)
    if !record.place.isEmpty {
      bytes += Array(",\"at\":".utf8)
      JSONText.append(record.place, to: &bytes)
    }
    if record.fields.count > 2 {
      bytes += Array(",\"fields\":".utf8)
      bytes += record.fields.map { $0 == 0x0A ? 0x20 : $0 }
    }
    bytes += [UInt8(ascii: "}"), 0x0A]
  }
}

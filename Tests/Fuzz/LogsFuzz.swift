// SPDX-License-Identifier: MIT
// Records and lines as any client may send them: nothing may crash, and bytes that come in parts must mean
// the same as bytes that come whole.

/// The meaning of a connection's bytes, as text.
private func events(_ bytes: UnsafeBufferPointer<UInt8>, piece: Int) -> [String] {
  var intake = LogIntake(now: { "2026-11-22T00:00:00.000Z" })
  var seen: [String] = []
  let note = { (event: LogIntake.Event, line: UnsafeBufferPointer<UInt8>) in
    if case .foreign(let rank, let json) = event {
      seen.append("foreign \(rank) \(RecordView(json).message)")
    } else {
      seen.append("\(event) \(line.count)")
    }
  }
  var at = 0
  while at < bytes.count {
    intake.take(UnsafeBufferPointer(rebasing: bytes[at..<min(bytes.count, at + piece)]), note)
    at += piece
  }
  intake.finish(note)
  return seen
}

/// One input: as a connection, as a record, as a filter with a record.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzz(_ start: UnsafePointer<UInt8>, _ count: Int) -> CInt {
  let bytes = UnsafeBufferPointer(start: start, count: count)
  let whole = events(bytes, piece: max(1, count))
  precondition(
    whole == events(bytes, piece: 1) && whole == events(bytes, piece: 7), "parts mean something else")
  for format in RecordFormat.allCases {
    let text = format.text(bytes)
    if format == .pretty {
      precondition(
        !text.unicodeScalars.contains { $0.value < 0x20 && $0 != "\n" || $0 == "\u{202E}" })
    }
    if format == .logfmt {
      precondition(
        !text.unicodeScalars.contains { $0.value < 0x20 || $0 == "\u{202E}" })
    }
  }
  if count > 4, let stored = StoredLine(bytes) { precondition(stored.rank <= 6) }
  let half = count / 2
  if let filter = try? LogFilter(String(decoding: bytes.prefix(half), as: UTF8.self)) {
    var line = Array("1\t3".utf8)
    line += bytes[half...]
    let isMatch = line.withUnsafeBufferPointer { filter.matches($0) }
    precondition(
      !isMatch || line.withUnsafeBufferPointer(filter.mayMatch), "a quick look misses what matches")
  }
  return 0
}

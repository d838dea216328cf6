// SPDX-License-Identifier: MIT

/// What a request wants of a file (RFC 9110, 14.1.2 and 14.2).
enum PageRange: Equatable {
  case whole
  /// Of its bytes; never empty.
  case part(Range<Int>)
  /// There is nothing there.
  case nothing

  /// More than one part, and what is no range of bytes, means the whole file, as a server may take it.
  ///
  /// - Parameters:
  ///   - text: the header Range; nil without one.
  ///   - size: how many bytes there are.
  init(_ text: String?, of size: Int) {
    self = text.flatMap { Self.one($0, size) } ?? .whole
  }

  private static func one(_ text: String, _ size: Int) -> PageRange? {
    guard text.lowercased().hasPrefix("bytes="), text.utf8.count <= 64 else { return nil }
    let ends = text.dropFirst(6).split(separator: "-", maxSplits: 1, omittingEmptySubsequences: false)
    guard ends.count == 2, let first = number(ends[0]), let last = number(ends[1]) else { return nil }
    switch (first, last) {
    case (nil, nil): return nil
    case (nil, let count?): return count == 0 || size == 0 ? .nothing : .part(max(0, size - count)..<size)
    case (let first?, let last):
      if let last, last < first { return nil }
      return first >= size ? .nothing : .part(first..<(min(last ?? .max, size - 1) + 1))
    }
  }

  /// Outer nil for what is no number, inner for nothing. One that is too large is behind every end.
  private static func number(_ digits: Substring) -> Int?? {
    if digits.isEmpty { return .some(nil) }
    guard digits.utf8.allSatisfy({ 0x30...0x39 ~= $0 }) else { return nil }
    return .some(Int(digits) ?? .max)
  }
}

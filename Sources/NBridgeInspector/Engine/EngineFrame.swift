// SPDX-License-Identifier: MIT

/// A message between the engine and its inspector: what WebKitGTK's processes say to each other over a
/// socket (WebKit 2.50, `Source/WTF/wtf/glib/SocketConnection.cpp`).
///
/// Four bytes say how many follow behind the fifth, highest first; bit 0 of the fifth says that numbers of
/// the parameters stand lowest byte first. Then the message's name, a NUL, and a GVariant of its parameters.
struct EngineFrame: Equatable {
  var name: String
  var parameters: [UInt8] = []

  /// Longer ones are taken for damage.
  static let maxLength = 1 << 28

  var bytes: [UInt8] {
    let body = Array(name.utf8) + [0] + parameters
    let count = UInt32(body.count)
    return [UInt8(count >> 24), UInt8(count >> 16 & 255), UInt8(count >> 8 & 255), UInt8(count & 255), 1]
      + body
  }

  /// What is found at the beginning of a stream.
  enum Found: Equatable {
    /// A message, and how many bytes it takes.
    case frame(EngineFrame, Int)
    /// More bytes are needed.
    case incomplete
    /// What follows can't be told any more.
    case damaged
  }

  static func find(in bytes: ArraySlice<UInt8>) -> Found {
    guard bytes.count >= 5 else { return .incomplete }
    let count = bytes.prefix(4).reduce(0) { $0 << 8 | Int($1) }
    guard count > 0, count <= maxLength, bytes[bytes.startIndex + 4] & 1 == 1 else { return .damaged }
    guard bytes.count >= 5 + count else { return .incomplete }
    let body = bytes[(bytes.startIndex + 5)..<(bytes.startIndex + 5 + count)]
    guard let end = body.firstIndex(of: 0) else { return .damaged }
    let frame = EngineFrame(
      name: String(decoding: body[..<end], as: UTF8.self), parameters: Array(body[(end + 1)...]))
    return .frame(frame, 5 + count)
  }
}

// MARK: - The parameters that are used

extension EngineFrame {
  /// A target's number alone: GVariant's `(t)`.
  init(_ name: String, target: UInt64) { self.init(name: name, parameters: Self.number(target)) }

  /// A target's number and a text: `(ts)`.
  init(_ name: String, target: UInt64, text: [UInt8]) {
    self.init(name: name, parameters: Self.number(target) + text + [0])
  }

  private static func number(_ value: UInt64) -> [UInt8] { (0..<8).map { UInt8(value >> (8 * $0) & 255) } }

  /// The number that the parameters begin with: of `(ts)`, and of the first entry of `(a(tsssb)b)`.
  var target: UInt64? {
    guard parameters.count > 8 else { return nil }
    return (0..<8).reduce(0) { $0 | UInt64(parameters[$1]) << (8 * UInt64($1)) }
  }

  /// The text of `(ts)`.
  var text: [UInt8]? {
    guard parameters.count > 8, parameters.last == 0 else { return nil }
    return Array(parameters[8..<(parameters.count - 1)])
  }
}

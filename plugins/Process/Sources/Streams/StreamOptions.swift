// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// Which stream is waited for: the program's stdin, or an output of a child.
struct WaitOptions: Codable, Sendable {
  /// Whether it is a child's stderr, not its stdout.
  var errors: Bool?
  var need: ByteSource.Need
  var limit: Int?
}

struct TakeOptions: Codable, Sendable {
  /// The same.
  var errors: Bool?
  /// How many of the lines that were handed out before were taken.
  var used: Int
  /// How many bytes are taken at the most.
  var limit: Int?
  /// Whether all is taken as text.
  var text: Bool?

  var most: Int { max(1, limit ?? ByteSource.piece) }
}

struct WriteOptions: Codable, Sendable {
  var text: String?
  var content: Bytes?

  var bytes: Bytes { content ?? Bytes(Array((text ?? "").utf8)) }
}

struct PieceOptions: Codable, Sendable {
  var piece: Int
}

struct RawOptions: Codable, Sendable {
  var isOn: Bool
}

/// Which output of a child is meant.
struct OutputOptions: Codable, Sendable {
  var errors: Bool?
}

// SPDX-License-Identifier: MIT

/// A value as bytes that can be stored and read back by any later run.
///
/// Layout, integers little-endian: `NBV1`, the text's length (4 bytes), the text, then for each of the bytes
/// it points to: the view's name's length (1), the name, the length (8), the bytes.
extension Value {
  private static let magic = Array("NBV1".utf8)

  /// The value as bytes.
  public func archived() -> [UInt8] {
    var archive = Self.magic
    append(UInt32(text.count), to: &archive)
    archive += text
    for bytes in attachments {
      let view = Array(bytes.view.utf8)
      archive.append(UInt8(truncatingIfNeeded: view.count))
      archive += view
      append(UInt64(bytes.count), to: &archive)
      bytes.withUnsafeBytes { archive.append(contentsOf: $0) }
    }
    return archive
  }

  private func append<T: FixedWidthInteger>(_ number: T, to archive: inout [UInt8]) {
    withUnsafeBytes(of: number.littleEndian) { archive.append(contentsOf: $0) }
  }

  /// Reads what ``archived()`` wrote. Throws ``BridgeError/Code/ioError`` for anything else.
  public init(archive: [UInt8]) throws {
    var reader = ArchiveReader(rest: archive[...])
    guard try reader.take(Self.magic.count).elementsEqual(Self.magic) else { throw ArchiveReader.damaged }
    let text = Array(try reader.take(Int(try reader.integer(UInt32.self))))
    var attachments: [Bytes] = []
    while !reader.rest.isEmpty {
      let view = String(decoding: try reader.take(Int(try reader.integer(UInt8.self))), as: UTF8.self)
      guard let count = Int(exactly: try reader.integer(UInt64.self)) else { throw ArchiveReader.damaged }
      var bytes = Bytes(try reader.take(count))
      bytes.view = view
      attachments.append(bytes)
    }
    self.init(text: text, attachments: attachments)
    if syntaxProblem != nil { throw ArchiveReader.damaged }
  }
}

private struct ArchiveReader {
  var rest: ArraySlice<UInt8>

  static var damaged: BridgeError { BridgeError(.ioError, "a stored value is damaged") }

  mutating func take(_ count: Int) throws -> ArraySlice<UInt8> {
    guard count >= 0, count <= rest.count else { throw Self.damaged }
    defer { rest = rest.dropFirst(count) }
    return rest.prefix(count)
  }

  mutating func integer<T: FixedWidthInteger>(_ type: T.Type) throws -> T {
    try take(MemoryLayout<T>.size).reversed().reduce(0) { ($0 &<< 8) | T(truncatingIfNeeded: $1) }
  }
}

// SPDX-License-Identifier: MIT

/// Why a frame was refused. A peer that sends one does not keep to the protocol, and its link is closed.
struct FrameProblem: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

/// Writes a frame: integers little-endian, texts behind their length.
struct FrameWriter {
  var bytes: [UInt8] = []

  init(_ kind: FrameKind, capacity: Int = 64) {
    bytes.reserveCapacity(capacity)
    bytes.append(kind.rawValue)
  }

  /// A part of a frame.
  init(capacity: Int) { bytes.reserveCapacity(capacity) }

  mutating func put<T: FixedWidthInteger>(_ number: T) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  mutating func put(_ id: PeerID) {
    put(id.high)
    put(id.low)
  }

  mutating func put(_ text: String) {
    let text = text.utf8.prefix(Int(UInt16.max))
    put(UInt16(text.count))
    bytes += text
  }

  mutating func put(blob: [UInt8]) {
    put(UInt32(blob.count))
    bytes += blob
  }

  mutating func put(_ octets: Octets32) { octets.withBytes { bytes.append(contentsOf: $0) } }

  mutating func put(_ code: AuthenticationCode) {
    put(code.high)
    put(code.low)
  }

  mutating func put(_ flag: Bool) { bytes.append(flag ? 1 : 0) }
}

/// Reads a frame; throws where it ends too soon or says what can't be.
struct FrameReader {
  private let memory: UnsafeRawBufferPointer
  private(set) var place = 0

  init(_ memory: UnsafeRawBufferPointer) { self.memory = memory }

  var rest: Int { memory.count - place }

  mutating func take(_ count: Int) throws(FrameProblem) -> UnsafeRawBufferPointer {
    guard count >= 0, count <= rest else { throw FrameProblem("a frame ends in the middle") }
    defer { place += count }
    return UnsafeRawBufferPointer(rebasing: memory[place..<(place + count)])
  }

  mutating func integer<T: FixedWidthInteger>(_ type: T.Type = T.self) throws(FrameProblem) -> T {
    guard MemoryLayout<T>.size <= rest else { throw FrameProblem("a frame ends in the middle") }
    defer { place += MemoryLayout<T>.size }
    return T(littleEndian: memory.loadUnaligned(fromByteOffset: place, as: T.self))
  }

  mutating func peer() throws(FrameProblem) -> PeerID {
    PeerID(high: try integer(), low: try integer())
  }

  mutating func octets() throws(FrameProblem) -> Octets32 {
    Octets32(Array(try take(32))) ?? Octets32()
  }

  mutating func code() throws(FrameProblem) -> AuthenticationCode {
    AuthenticationCode(high: try integer(), low: try integer())
  }

  /// A signature of 64 bytes.
  mutating func signature() throws(FrameProblem) -> [UInt8] { Array(try take(64)) }

  mutating func text() throws(FrameProblem) -> String {
    let bytes = try take(Int(try integer(UInt16.self)))
    guard let text = String(validating: bytes, as: UTF8.self) else {
      throw FrameProblem("a text is not UTF-8")
    }
    return text
  }

  mutating func blob(atMost limit: Int) throws(FrameProblem) -> [UInt8] {
    let count = Int(try integer(UInt32.self))
    guard count <= limit else { throw FrameProblem("\(count) bytes where \(limit) may be") }
    return Array(try take(count))
  }

  mutating func flag() throws(FrameProblem) -> Bool { try integer(UInt8.self) != 0 }

  /// The number of things that follow, each at least `size` bytes: no more than can be there.
  mutating func count(of size: Int) throws(FrameProblem) -> Int {
    let count = Int(try integer(UInt32.self))
    guard count <= rest / size else { throw FrameProblem("\(count) things in \(rest) bytes") }
    return count
  }
}

// SPDX-License-Identifier: MIT

internal import NBridgeHost
internal import NBridgePlugin

/// One frame of a recording under construction: numbers as LEB128 (seven bits a byte, the lowest first),
/// texts and bytes with their length before them, doubles as eight bytes, the lowest first.
/// Used by one thread at a time.
final class FrameBuffer {
  // One thread, no reentrance: the run-time checks would cost more than the work between them.
  @exclusivity(unchecked) private var memory = UnsafeMutablePointer<UInt8>.allocate(
    capacity: FrameBuffer.small)
  @exclusivity(unchecked) private var capacity = FrameBuffer.small
  @exclusivity(unchecked) private(set) var count = 0
  private static let small = 4096

  init(_ kind: FrameKind) { begin(kind) }

  deinit { memory.deallocate() }

  /// The frame so far; valid until the next write.
  var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(start: memory, count: count) }

  /// Begins another frame in the same memory. Much of it is given back.
  @inline(__always)
  func begin(_ kind: FrameKind) {
    if capacity > 1 << 20 { shrink() }
    memory[0] = kind.rawValue
    count = 1
  }

  private func shrink() {
    memory.deallocate()
    (memory, capacity) = (.allocate(capacity: Self.small), Self.small)
  }

  @inline(__always)
  private func reserve(_ more: Int) {
    if count + more > capacity { grow(more) }
  }

  @inline(never)
  private func grow(_ more: Int) {
    let larger = max(capacity * 2, count + more)
    let moved = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
    moved.moveInitialize(from: memory, count: count)
    memory.deallocate()
    (memory, capacity) = (moved, larger)
  }

  @inline(__always)
  func put(byte: UInt8) {
    reserve(1)
    memory[count] = byte
    count += 1
  }

  @inline(__always)
  func put(_ flag: Bool) { put(byte: flag ? 1 : 0) }

  @inline(__always)
  func put(_ number: Int) {
    var left = UInt64(max(0, number))
    while left >= 0x80 {
      put(byte: UInt8(truncatingIfNeeded: left) | 0x80)
      left >>= 7
    }
    put(byte: UInt8(truncatingIfNeeded: left))
  }

  func put(_ value: Double) {
    withUnsafeBytes(of: value.bitPattern.littleEndian) { $0.withMemoryRebound(to: UInt8.self) { append($0) } }
  }

  @inline(__always)
  private func append(_ bytes: UnsafeBufferPointer<UInt8>) {
    guard let base = bytes.baseAddress else { return }
    reserve(bytes.count)
    (memory + count).update(from: base, count: bytes.count)
    count += bytes.count
  }

  @inline(__always)
  func put(_ text: UnsafeBufferPointer<UInt8>) {
    put(text.count)
    append(text)
  }

  func put(_ text: [UInt8]) { text.withUnsafeBufferPointer { put($0) } }

  func put(_ text: String) {
    var text = text
    text.withUTF8 { put($0) }
  }

  func put(_ value: Bytes) {
    value.withUnsafeBytes { put($0.bindMemory(to: UInt8.self)) }
  }

  func put(_ list: [Bytes]) {
    put(list.count)
    for value in list { put(value) }
  }

  func put(_ payload: Reply.Payload) {
    switch payload {
    case .undefined: put(byte: 0)
    case .bool(let value): put(byte: value ? 2 : 1)
    case .number(let value):
      put(byte: 3)
      put(value)
    case .string(let text):
      put(byte: 4)
      put(text)
    case .text(let text):
      put(byte: 5)
      put(text)
    case .bytes(let value):
      put(byte: 6)
      put(value)
    case .mixed(let text, let list):
      put(byte: 7)
      put(text)
      put(list)
    }
  }

  func put(_ reply: Reply) {
    put(byte: UInt8(truncatingIfNeeded: reply.kind.rawValue))
    put(reply.payload)
  }
}

/// What a frame is, as its first byte.
enum FrameKind: UInt8, Sendable {
  case header = 0x48  // H
  case facade = 0x46  // F
  case bound = 0x42  // B
  case called = 0x43  // C
  case answered = 0x41  // A
  case pending = 0x50  // P
  case cancelled = 0x58  // X
  case granted = 0x47  // G
  case given = 0x49  // I
  case delivered = 0x44  // D
  case timers = 0x54  // T
  case task = 0x4B  // K
  case settled = 0x53  // S
  case ended = 0x45  // E
  case finished = 0x5A  // Z
}

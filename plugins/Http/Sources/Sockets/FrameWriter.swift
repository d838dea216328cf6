// SPDX-License-Identifier: MIT

internal import NBridgeCompression

/// Makes the frames of one WebSocket (RFC 6455, section 5). Confined to one thread at a time.
final class FrameWriter {
  /// Whether this end is a client, which masks what it sends.
  private let isClient: Bool
  /// Nil where no compression was agreed on.
  private let deflater: MessageDeflater?

  /// How many messages more are sent as they are, because one before them did not get shorter.
  private var spared = 0

  /// Shorter messages are sent as they are, in bytes.
  private static let smallest = 256
  /// So many behind one that was no shorter than nine tenths: pictures and ciphers stay what they are.
  private static let mostSpared = 32

  init(isClient: Bool, deflater: MessageDeflater? = nil) {
    (self.isClient, self.deflater) = (isClient, deflater)
  }

  func message(_ bytes: UnsafeRawBufferPointer, isText: Bool) -> [UInt8] {
    let kind: UInt8 = isText ? 1 : 2
    guard let folded = folded(bytes) else { return frame(0x80 | kind, bytes) }
    return folded.withUnsafeBytes { frame(0xC0 | kind, $0) }
  }

  /// Nil for what is to be sent as it is. What was folded must be sent: later messages may refer to it.
  private func folded(_ bytes: UnsafeRawBufferPointer) -> [UInt8]? {
    guard let deflater, bytes.count >= Self.smallest else { return nil }
    if spared > 0 {
      spared -= 1
      return nil
    }
    guard let folded = try? deflater.message(bytes) else { return nil }
    if folded.count > bytes.count / 10 * 9 { spared = Self.mostSpared }
    return folded
  }

  func pong(_ payload: [UInt8]) -> [UInt8] { payload.withUnsafeBytes { frame(0x8A, $0) } }

  func close(_ code: Int?, _ reason: String) -> [UInt8] {
    let payload = code.map {
      [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)] + reason.utf8
    }
    return (payload ?? []).withUnsafeBytes { frame(0x88, $0) }
  }

  private func frame(_ first: UInt8, _ payload: UnsafeRawBufferPointer) -> [UInt8] {
    let count = payload.count
    let masked: UInt8 = isClient ? 0x80 : 0
    var made: [UInt8] = []
    made.reserveCapacity(count + 14)
    made.append(first)
    switch count {
    case ..<126: made.append(masked | UInt8(count))
    case ..<65536: made += [masked | 126, UInt8(count >> 8), UInt8(count & 255)]
    default: made += [masked | 127] + (0..<8).map { UInt8(truncatingIfNeeded: count >> (56 - 8 * $0)) }
    }
    guard isClient else {
      made.append(contentsOf: payload)
      return made
    }
    let mask = Self.mask()
    made += mask
    let start = made.count
    made.append(contentsOf: payload)
    made.withUnsafeMutableBufferPointer { bytes in
      for index in start..<bytes.count { bytes[index] ^= mask[(index - start) & 3] }
    }
    return made
  }

  /// Of the system's random numbers: what a page sends must not be what a proxy between reads (10.3).
  private static func mask() -> [UInt8] {
    withUnsafeBytes(of: UInt32.random(in: .min ... .max)) { Array($0) }
  }
}

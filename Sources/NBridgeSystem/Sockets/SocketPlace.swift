// SPDX-License-Identifier: MIT

internal import Glibc

/// An address and a port.
struct SocketPlace: Equatable {
  let family: Int32
  /// A `sockaddr_in` or `sockaddr_in6`.
  private let bytes: [UInt8]

  init?(_ address: String, _ port: UInt16) {
    var four = sockaddr_in()
    var six = sockaddr_in6()
    if inet_pton(AF_INET, address, &four.sin_addr) == 1 {
      four.sin_family = sa_family_t(AF_INET)
      four.sin_port = port.bigEndian
      (family, bytes) = (AF_INET, withUnsafeBytes(of: four) { Array($0) })
    } else if inet_pton(AF_INET6, address, &six.sin6_addr) == 1 {
      six.sin6_family = sa_family_t(AF_INET6)
      six.sin6_port = port.bigEndian
      (family, bytes) = (AF_INET6, withUnsafeBytes(of: six) { Array($0) })
    } else {
      return nil
    }
  }

  /// What a call tells of a socket.
  init?(
    _ number: Int32,
    _ ask: (Int32, UnsafeMutablePointer<sockaddr>, UnsafeMutablePointer<socklen_t>) -> Int32
  ) {
    var memory = [UInt8](repeating: 0, count: MemoryLayout<sockaddr_in6>.size)
    var size = socklen_t(memory.count)
    let status = memory.withUnsafeMutableBytes { memory in
      guard let start = memory.baseAddress else { return Int32(-1) }
      return ask(number, start.assumingMemoryBound(to: sockaddr.self), &size)
    }
    guard status == 0, size >= 8 else { return nil }
    family = Int32(memory.withUnsafeBytes { $0.loadUnaligned(as: sa_family_t.self) })
    guard family == AF_INET || family == AF_INET6 else { return nil }
    bytes = Array(memory.prefix(Int(size)))
  }

  /// It stands at the same place in both.
  var port: UInt16 { UInt16(bytes[2]) << 8 | UInt16(bytes[3]) }

  /// The address, four bytes a number of this machine.
  var words: [UInt32] {
    let range = family == AF_INET ? 4..<8 : 8..<24
    return stride(from: range.lowerBound, to: range.upperBound, by: 4).map { at in
      bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: at, as: UInt32.self) }
    }
  }

  func with(_ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32) -> Int32 {
    bytes.withUnsafeBytes { memory in
      guard let start = memory.baseAddress else { return -1 }
      return body(start.assumingMemoryBound(to: sockaddr.self), socklen_t(memory.count))
    }
  }
}

// SPDX-License-Identifier: MIT

import CNBridgeGLib
import Glibc
import NBridgeTesting
import Testing

@testable import HttpPlugin

/// A connection of GIO's, and its other end.
private final class SocketPair {
  let connection: OpaquePointer
  private let other: Int32

  init() throws {
    var ends: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    other = ends[1]
    let socket = try #require(g_socket_new_from_fd(ends[0], nil))
    connection = OpaquePointer(try #require(g_socket_connection_factory_create_connection(socket)))
    g_object_unref(UnsafeMutableRawPointer(socket))
  }

  deinit {
    g_object_unref(UnsafeMutableRawPointer(connection))
    close(other)
  }

  var otherEndIsOver: Bool {
    var byte: UInt8 = 0
    return recv(other, &byte, 1, Int32(MSG_DONTWAIT)) == 0
  }
}

/// Which addresses are none of the world's.
@Suite struct AddressTests {
  @Test(
    arguments: [
      ([127, 0, 0, 1], true), ([10, 1, 2, 3], true), ([172, 15, 0, 1], false), ([172, 16, 0, 1], true),
      ([192, 168, 1, 1], true), ([100, 64, 0, 1], true), ([169, 254, 169, 254], true), ([8, 8, 8, 8], false),
      ([0, 0, 0, 0], true), ([255, 255, 255, 255], true),
    ] as [([UInt8], Bool)])
  func ofFourBytes(_ address: [UInt8], _ isClosed: Bool) {
    #expect(PrivateAddress.holds(address) == isClosed)
    // The same in the clothes of IPv6.
    #expect(PrivateAddress.holds([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xFF, 0xFF] + address) == isClosed)
    #expect(PrivateAddress.holds([0, 0x64, 0xFF, 0x9B, 0, 0, 0, 0, 0, 0, 0, 0] + address) == isClosed)
  }

  @Test func localNetworksOfIPv6AreClosedAndTheWorldIsOpen() {
    #expect(PrivateAddress.holds([0xFD] + Array(repeating: 1, count: 15)))
    #expect(!PrivateAddress.holds([0x20, 0x01] + Array(repeating: 1, count: 14)))
  }

  /// GIO tries the next before the first has answered, and takes which comes first.
  @Test func ofSeveralConnectionsThatAreTriedAllAreCut() throws {
    let test = TestCall(service: "http", permissions: ["*"])
    let fence = AddressFence(try RequestPlace("http://two.test/"), test.call)
    let pairs = try (0..<3).map { _ in try SocketPair() }
    for pair in pairs { fence.look(at: pair.connection) }
    fence.cut()
    for pair in pairs { #expect(pair.otherEndIsOver) }
  }

  @Test func aPlaceIsAnOriginWithoutThePath() throws {
    #expect(try RequestPlace("https://example.org/secret?token=1").origin == "https://example.org")
    #expect(try RequestPlace("http://[::1]:8080/").origin == "http://[::1]:8080")
    #expect(throws: (any Error).self) { try RequestPlace("ftp://example.org/") }
  }
}

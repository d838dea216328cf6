// SPDX-License-Identifier: MIT

import CNBridgeGLib
import Glibc
import NBridgeSystem
import Testing

@testable import HttpPlugin

/// How long the clients of a server may take.
@Suite struct ClientPatienceTests {
  private let patience = ClientPatience()

  /// Never read: an address stands for each.
  private static func socket(_ number: Int) throws -> ClientPatience.Socket {
    try #require(ClientPatience.Socket(bitPattern: 64 * number))
  }

  @Test func aHeadHasItsTimeInAllHoweverOftenAByteComes() throws {
    let client = try Self.socket(1)
    patience.add(client, at: "a", now: 100)
    #expect(patience.late(now: 160) { _ in TCPProgress(received: 160) }.isEmpty)
    #expect(patience.late(now: 161) { _ in TCPProgress(received: 161) } == [client])
    patience.enter(.answer, client, now: 161)
    #expect(patience.late(now: 9999) { _ in TCPProgress(received: 161) }.isEmpty)
    patience.enter(.head, client, now: 9999)
    #expect(patience.late(now: 10_050) { _ in nil }.isEmpty)
    #expect(patience.late(now: 10_060) { _ in nil } == [client])
  }

  @Test func ofABodySomethingHasToComeUnlessTheScriptDoesNotRead() throws {
    let client = try Self.socket(1)
    patience.add(client, at: "a", now: 0)
    patience.enter(.body, client, now: 0)
    var reached = TCPProgress(received: 1000)
    let look = { (now: Int) in patience.late(now: now) { _ in reached } }
    #expect(look(10).isEmpty && look(39).isEmpty)
    reached.received = 31_000
    #expect(look(40).isEmpty)
    reached.received = 60_999
    reached.unread = 500
    #expect(look(70).isEmpty)
    reached.unread = 0
    #expect(look(99).isEmpty)
    #expect(look(100) == [client])
  }

  /// A handler that takes its time is waited for.
  @Test func whoTakesNoAnswerIsLetGoOnlyWhereTheServerStops() throws {
    let client = try Self.socket(1)
    patience.add(client, at: "a", now: 0)
    patience.enter(.answer, client, now: 0)
    var reached = TCPProgress(received: 100, acknowledged: 0, unread: 0, unsent: 0)
    let look = { (now: Int) in patience.late(now: now) { _ in reached } }
    #expect(look(1000).isEmpty)
    patience.isStopping = true
    #expect(look(1010).isEmpty && look(1040).isEmpty)
    reached.unsent = 70_000
    reached.acknowledged = 40_000
    #expect(look(1070).isEmpty)
    #expect(look(1100) == [client])
  }

  @Test func theLongestWaitingOfTheAddressWithMostMakeRoom() throws {
    for number in 1...40 {
      let client = try Self.socket(number)
      patience.add(client, at: number < 8 ? "few" : "many", now: 100 - number)
      patience.enter(number < 12 ? .answer : .head, client, now: 100 - number)
    }
    // Of these nobody is waited for.
    for number in 100...199 {
      let client = try Self.socket(number)
      patience.add(client, at: "busy", now: 0)
      patience.enter(.answer, client, now: 0)
    }
    patience.enter(.body, try Self.socket(40), now: 0)
    let last = try (24...39).map(Self.socket)
    #expect(Set(patience.crowd()) == Set(last))
    for client in last { patience.remove(client) }
    #expect(patience.count == 124)
    for number in 12...23 { patience.remove(try Self.socket(number)) }
    #expect(patience.crowd() == [try Self.socket(40)])
  }

  /// Of a real connection.
  @Test func theSystemCountsWhatComes() throws {
    let server = try RawServer { _ in .ok("here") }
    let address = try #require(server.origin.split(separator: ":").last.flatMap { UInt16($0) })
    let file = Glibc.socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
    defer { close(file) }
    var place = sockaddr_in()
    place.sin_family = sa_family_t(AF_INET)
    (place.sin_port, place.sin_addr.s_addr) = (address.bigEndian, UInt32(0x7F00_0001).bigEndian)
    let isConnected = withUnsafePointer(to: &place) {
      $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(file, $0, 16) == 0 }
    }
    try #require(isConnected)
    let before = try #require(TCPProgress(of: file))
    let request = Array("GET / HTTP/1.1\r\n\r\n".utf8)
    #expect(send(file, request, request.count, 0) == request.count)
    var byte = [UInt8](repeating: 0, count: 1)
    #expect(recv(file, &byte, 1, 0) == 1)
    let after = try #require(TCPProgress(of: file))
    #expect(before.received == 0 && after.received > 20 && after.unread == Int(after.received) - 1)
    #expect(after.acknowledged >= before.acknowledged + UInt64(request.count))
    #expect(TCPProgress(of: 0) == nil)
  }

  /// Of a connection at a path, where the system counts what lies between both ends alone.
  @Test func whatAClientAtAPathHasTakenIsWhatWasWrittenAndIsThereNoMore() throws {
    var ends: [Int32] = [-1, -1]
    try #require(socketpair(AF_UNIX, Int32(SOCK_STREAM.rawValue), 0, &ends) == 0)
    defer { for end in ends { close(end) } }
    let bytes = [UInt8](repeating: 1, count: 60_000)
    #expect(send(ends[0], bytes, bytes.count, 0) == bytes.count)
    #expect(TCPProgress(of: ends[0]) == nil)
    let before = TCPProgress(of: ends[0], read: 7, written: 60_000)
    #expect(before.unsent >= 60_000 && before.acknowledged == 0 && before.received == 7)
    #expect(TCPProgress(of: ends[1], read: 7, written: 0).received == 60_007)
    var room = bytes
    #expect(recv(ends[1], &room, room.count, Int32(MSG_WAITALL)) == bytes.count)
    let after = TCPProgress(of: ends[0], read: 7, written: 60_000)
    #expect(after.unsent == 0 && after.acknowledged == 60_000)
  }
}

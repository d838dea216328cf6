// SPDX-License-Identifier: MIT

import Glibc
import NBridgeSystem
import Testing

@testable import NBridgeSoup

/// What a connection had still to say when it was closed.
@Suite struct LastWordsTests {
  @Test func theyAreHeardByWhoReadsLateThoughTheConnectionIsClosed() throws {
    let (here, there) = try UnixSocket.pair(waits: false)
    let piece = [UInt8](repeating: 1, count: 4096)
    var count = 0
    while true {
      let sent = send(here.number, piece, piece.count, 0)
      if sent < 0 { break }
      count += sent
    }
    try #require(errno == EAGAIN && count > 0)
    let words = try #require([UInt8](7...8).withUnsafeBytes { LastWords.begin($0, by: here.number) })
    #expect([UInt8](9...9).withUnsafeBytes(words.say))
    here.close()
    // Reads all, and waits for the end.
    var heard: [UInt8] = []
    var room = piece
    while true {
      var event = pollfd(fd: there.number, events: Int16(POLLIN), revents: 0)
      try #require(poll(&event, 1, 20_000) == 1)
      let read = recv(there.number, &room, room.count, 0)
      try #require(read >= 0)
      if read == 0 { break }
      heard += room[..<read]
    }
    #expect(heard.count == count + 3 && Array(heard.suffix(3)) == [7, 8, 9])
    there.close()
    #expect(![UInt8](9...9).withUnsafeBytes(words.say))
  }
}

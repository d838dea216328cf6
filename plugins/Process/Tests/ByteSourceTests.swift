// SPDX-License-Identifier: MIT

import NBridgePlugin
import Testing

@testable import ProcessPlugin

/// Bytes between the thread that reads them and readers that come and go.
@Suite struct ByteSourceTests {
  func source(_ pieces: [String], ended: Bool = true) -> ByteSource {
    let source = ByteSource("test", ahead: 0) {}
    for piece in pieces { Array(piece.utf8).withUnsafeBytes { source.append($0) } }
    if ended { source.end() }
    return source
  }

  @Test(arguments: [["a\nb\r\nc"], ["a", "\n", "b\r", "\n", "c"], ["a\nb", "\r\nc"]])
  func linesAreTheSameHoweverTheyCome(_ pieces: [String]) throws {
    let source = source(pieces)
    #expect(try source.lines(used: 0).lines == ["a", "b", "c"])
    #expect(try source.lines(used: 3).isEnd)
  }

  @Test func aLineWithoutItsEndIsNoneBeforeTheEnd() throws {
    let source = source(["a\nb"], ended: false)
    #expect(try source.lines(used: 0).lines == ["a"])
    #expect(try source.lines(used: 1) == TakenLines(lines: [], isEnd: false))
    source.end()
    #expect(try source.lines(used: 0).lines == ["b"])
  }

  @Test func linesThatWereNotTakenAreGivenBackToTheNextReader() throws {
    let source = source(["a\nbä\r\nc"])
    #expect(try source.lines(used: 0).lines.count == 3)
    let rest = try source.take(atMost: 100, used: 1).bytes
    #expect(rest == Bytes(Array("bä\r\nc".utf8)))
  }

  @Test func moreLinesAreSaidToBeTakenThanThereWereTakesNone() throws {
    let source = source(["a\nb\n"])
    #expect(try source.lines(used: 0).lines.count == 2)
    #expect(try source.lines(used: 3).lines.count == 2)
    #expect(try source.lines(used: -1).lines.count == 2)
  }

  @Test func bytesThatAreNoTextAreLeftForAnotherReader() throws {
    let source = ByteSource("test", ahead: 0) {}
    [UInt8]([0x61, 0x0A, 0xFF, 0x0A]).withUnsafeBytes { source.append($0) }
    source.end()
    #expect(try source.lines(used: 0).lines == ["a"])
    #expect(throws: BridgeError.self) { try source.lines(used: 1) }
    #expect(try source.take(atMost: 10, used: 0).bytes == Bytes([0xFF, 0x0A]))
  }

  @Test func nothingIsReadForNobody() {
    let source = source([], ended: false)
    #expect(source.room == 0)
    let wait = source.wait(for: .some, limit: nil)
    #expect(source.room > 0)
    withExtendedLifetime(wait) {}
  }

  @Test func aReaderOfAllIsReadForUpToItsLimitAndOneByteMore() {
    let source = source(["12345678"], ended: false)
    let wait = source.wait(for: .all, limit: 10)
    #expect(source.room == 3)
    withExtendedLifetime(wait) {}
  }

  @Test func moreThanTheLimitIsRefusedAndStays() throws {
    let source = source(["123456"])
    #expect(throws: BridgeError.self) { try source.takeAll(used: 0, limit: 5) }
    #expect(try source.takeAll(used: 0, limit: 6).count == 6)
  }

  @Test func aReaderHearsWhenItHasWhatItNeeds() async {
    let source = source(["a"], ended: false)
    var lines = source.wait(for: .line, limit: nil).makeAsyncIterator()
    var some = source.wait(for: .some, limit: nil).makeAsyncIterator()
    #expect(await some.next() == true)
    Array("\n".utf8).withUnsafeBytes { source.append($0) }
    #expect(await lines.next() == true)
    #expect(await lines.next() == nil)
  }

  @Test func aFailureComesBehindWhatWasRead() throws {
    let source = source(["a"], ended: false)
    source.end(BridgeError(.ioError, "gone"))
    #expect(try source.take(atMost: 10, used: 0).bytes?.count == 1)
    #expect(throws: BridgeError.self) { try source.take(atMost: 10, used: 0) }
  }
}

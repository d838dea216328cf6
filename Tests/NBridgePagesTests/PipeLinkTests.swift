// SPDX-License-Identifier: MIT

import CNBridgeGLib
import CNBridgePassing
import Glibc
import NBridgeHost
import NBridgeSystem
import Testing

@testable import NBridgePages

/// A window's pipe, whose other end a test has: a page's process may say anything.
@Suite struct PipeLinkTests {
  private final class Listener: PageLinkListener {
    var brought: [[UInt8]] = []
    var hasEnded = false
    func link(_ link: any PageLink, said text: String) {}
    func link(_ link: any PageLink, brought bytes: UnsafeRawBufferPointer) { brought.append(Array(bytes)) }
    func linkEnded(_ link: any PageLink) { hasEnded = true }
  }

  /// Gives a link to `body`, with the other end and what hears of it.
  private func withLink(_ body: (PipeLink, Descriptor, Listener, EventLoop) throws -> Void) throws {
    let loop = EventLoop(context: g_main_context_new(), clock: SystemClock())
    defer { loop.close() }
    let (ours, theirs) = try UnixSocket.pair(.stream, waits: false)
    let (link, listener) = (PipeLink(ours, loop), Listener())
    link.listener = listener
    try body(link, theirs, listener, loop)
    link.close(1001)
  }

  private static func head(_ count: UInt32, _ kind: UInt32) -> [UInt8] {
    [count, kind].flatMap { word in withUnsafeBytes(of: word.littleEndian) { Array($0) } }
  }

  private static func file(_ bytes: [UInt8]) -> Descriptor? {
    bytes.withUnsafeBytes { MemoryFile.holding($0) }
  }

  @Test func aFileIsAMessageOfItsBytesInTheOrderOfTheHeads() throws {
    try withLink { _, theirs, listener, loop in
      let long = [UInt8](repeating: 7, count: 100_000)
      let file = try #require(Self.file(long))
      for (bytes, passed) in [
        (Self.head(1, 2) + [1], nil), (Self.head(100_000, 3), file), (Self.head(1, 2) + [2], nil),
      ] as [([UInt8], Descriptor?)] {
        #expect(nb_send_passing(theirs.number, bytes, bytes.count, passed?.number ?? -1) == bytes.count)
      }
      for _ in 0..<10 where listener.brought.count < 3 { loop.poll() }
      #expect(listener.brought == [[1], long, [2]] && !listener.hasEnded)
    }
  }

  @Test func aLongMessageGoesInAFile() throws {
    try withLink { link, theirs, _, _ in
      let long = [UInt8](repeating: 9, count: 65_537)
      link.send(long)
      var room = [UInt8](repeating: 0, count: 64)
      let (count, files) = PassedFiles.receive(from: theirs, into: &room)
      #expect(Array(room.prefix(count)) == Self.head(65_537, 3))
      let brought = try files.first?.read(70_000, at: 0)
      #expect(brought == long)
    }
  }

  /// No file, one that is shorter than its head says, what can't be read at a place, and files without heads.
  @Test func whatIsNoFileEndsTheLink() throws {
    let pipe = try UnixSocket.pair()
    let short = try #require(Self.file([1, 2, 3]))
    for (head, passed) in [
      (Self.head(4, 3), nil), (Self.head(4, 3), short), (Self.head(4, 3), pipe.0),
      (Self.head(300 << 20, 3), short),
    ] as [([UInt8], Descriptor?)] {
      try withLink { _, theirs, listener, loop in
        _ = nb_send_passing(theirs.number, head, head.count, passed?.number ?? -1)
        for _ in 0..<10 where !listener.hasEnded { loop.poll() }
        #expect(listener.hasEnded && listener.brought.isEmpty)
      }
    }
    try withLink { _, theirs, listener, loop in
      for _ in 0..<20 { _ = nb_send_passing(theirs.number, Self.head(1, 2) + [1], 9, short.number) }
      for _ in 0..<40 where !listener.hasEnded { loop.poll() }
      #expect(listener.hasEnded)
    }
  }
}

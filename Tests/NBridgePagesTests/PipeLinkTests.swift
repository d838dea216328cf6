// SPDX-License-Identifier: MIT

import CNBridgeGLib
import CNBridgePassing
import Glibc
import NBridgeHost
import NBridgePlugin
import NBridgeSystem
import NBridgeTesting
import Testing

@testable import NBridgePages

/// A window's pipe, whose other end a test has: a page's process may say anything.
@Suite struct PipeLinkTests {
  private final class Listener: PageLinkListener {
    var brought: [[UInt8]] = []
    var files: [[Bytes]] = []
    var hasEnded = false
    func link(_ link: any PageLink, said text: String) {}
    func link(_ link: any PageLink, brought message: ComingMessage) {
      brought.append(Array(message.bytes))
      files.append(message.files)
    }
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
      var writer = PageWriter()
      writer.put(Reply(.bytes(Bytes(long)), WireSink()), slot: 1)
      link.send(writer.take(number: 1, received: 0))
      var room = [UInt8](repeating: 0, count: 64)
      let (count, files) = PassedFiles.receive(from: theirs, into: &room)
      let size = PageFrame.start + PageFrame.head + 4 + long.count
      #expect(Array(room.prefix(count)) == Self.head(UInt32(size), 3))
      let brought = try files.first?.read(70_000, at: 0)
      #expect(brought?.suffix(long.count) == long[...])
    }
  }

  /// It is copied once, and not again into its message.
  @Test func aLongByteValueGoesInAFileBeforeItsMessage() throws {
    try withLink { link, theirs, _, _ in
      let (long, short) = ([UInt8](repeating: 9, count: 65_537), [UInt8](repeating: 8, count: 65_536))
      var writer = PageWriter()
      writer.usesFiles = link.takesFiles
      writer.put(Reply(.bytes(Bytes(long)), WireSink()), slot: 1)
      writer.put(Reply(.bytes(Bytes(short)), WireSink()), slot: 2)
      #expect(writer.size > 131_073)
      let parcel = writer.take(number: 1, received: 0)
      #expect(parcel.files.map(\.count) == [65_537] && writer.isEmpty)
      link.send(parcel)
      var room = [UInt8](repeating: 0, count: 64)
      let (count, files) = PassedFiles.receive(from: theirs, into: &room)
      #expect(Array(room.prefix(count)) == Self.head(65_537, 5))
      let brought = try files.first?.read(70_000, at: 0)
      #expect(brought == long)
    }
  }

  private static func pass(_ head: [UInt8], _ file: Descriptor?, by socket: Descriptor) {
    #expect(nb_send_passing(socket.number, head, head.count, file?.number ?? -1) == head.count)
  }

  enum Kind: CaseIterable { case sealed, unsealed, onDisk }

  /// What is sealed is not copied; what its writer may still change is, and a file that knows no seals.
  @Test(arguments: Kind.allCases) func aPartComesWithTheMessageBehindIt(_ kind: Kind) throws {
    let folder = TemporaryFolder.make()
    defer { TemporaryFolder.remove(folder) }
    try withLink { _, theirs, listener, loop in
      let long = [UInt8](repeating: 7, count: 100_000)
      var file = try #require(Self.file(long))
      if kind == .sealed { #expect(nb_seal(file.number) == 0) }
      if kind == .onDisk {
        file = Descriptor(taking: open(folder + "/file", O_RDWR | O_CREAT, 0o600))
        #expect(long.withUnsafeBytes { pwrite(file.number, $0.baseAddress, $0.count, 0) } == long.count)
      }
      Self.pass(Self.head(1, 2) + [1], nil, by: theirs)
      Self.pass(Self.head(100_000, 5), file, by: theirs)
      Self.pass(Self.head(99_999, 5), file, by: theirs)
      Self.pass(Self.head(1, 2) + [2], nil, by: theirs)
      for _ in 0..<10 where listener.brought.count < 2 { loop.poll() }
      #expect(listener.brought == [[1], [2]] && !listener.hasEnded)
      let (found, changed) = (listener.files.last ?? [], Array(repeating: UInt8(1), count: 100_000))
      #expect(found.map(Array.init) == [long, long.dropLast()])
      // Who has made it can change nothing of what came, nor cut it.
      _ = changed.withUnsafeBytes { pwrite(file.number, $0.baseAddress, $0.count, 0) }
      _ = ftruncate(file.number, 0)
      #expect(found.map(Array.init) == [long, long.dropLast()])
    }
  }

  /// A page that goes says what is to be cancelled and saved, and reads no answer any more.
  @Test func whatWasSaidLastIsHeardOfOneThatHasGone() throws {
    let loop = EventLoop(context: g_main_context_new(), clock: SystemClock())
    defer { loop.close() }
    let (ours, theirs) = try UnixSocket.pair(.stream, waits: false)
    let (link, listener) = (PipeLink(ours, loop), Listener())
    link.listener = listener
    link.send("an answer that nobody reads")
    Self.pass(Self.head(1, 2) + [7], nil, by: theirs)
    theirs.close()
    link.send("another one")
    for _ in 0..<10 where !listener.hasEnded { loop.poll() }
    #expect(listener.brought == [[7]] && listener.hasEnded)
  }

  /// No file, one that is shorter than its head says, what can't be read at a place, and files without heads.
  @Test func whatIsNoFileEndsTheLink() throws {
    let pipe = try UnixSocket.pair()
    let short = try #require(Self.file([1, 2, 3]))
    for (head, passed) in [
      (Self.head(4, 3), nil), (Self.head(4, 3), short), (Self.head(4, 3), pipe.0),
      (Self.head(300 << 20, 3), short), (Self.head(4, 5), nil), (Self.head(4, 5), short),
      (Self.head(4, 5), pipe.0), (Self.head(1, 6), short), (Self.head(1, 4) + [1], nil),
    ] as [([UInt8], Descriptor?)] {
      try withLink { _, theirs, listener, loop in
        _ = nb_send_passing(theirs.number, head, head.count, passed?.number ?? -1)
        for _ in 0..<10 where !listener.hasEnded { loop.poll() }
        #expect(listener.hasEnded && listener.brought.isEmpty)
      }
    }
    // More than a message may have.
    try withLink { _, theirs, listener, loop in
      let large = try #require(Self.file([]))
      #expect(ftruncate(large.number, 200 << 20) == 0 && nb_seal(large.number) == 0)
      for _ in 0..<2 { Self.pass(Self.head(200 << 20, 5), large, by: theirs) }
      for _ in 0..<10 where !listener.hasEnded { loop.poll() }
      #expect(listener.hasEnded && listener.brought.isEmpty)
    }
    try withLink { _, theirs, listener, loop in
      for _ in 0..<20 { _ = nb_send_passing(theirs.number, Self.head(1, 2) + [1], 9, short.number) }
      for _ in 0..<40 where !listener.hasEnded { loop.poll() }
      #expect(listener.hasEnded)
    }
  }
}

// SPDX-License-Identifier: MIT

import Glibc
import NBridgeSystem
import Testing

@Suite struct SocketTests {
  let place = Place()

  @Test func whoConnectsIsTakenAndKnown() throws {
    let listener = try UnixSocket.listening("a", in: place.path, queue: 4)
    let client = try UnixSocket.make()
    try UnixSocket.connect(client, "a", in: place.path)
    let server = try UnixSocket.accept(listener.number)
    let peer = UnixSocket.peer(of: server.number)
    #expect(peer?.process == getpid() && peer?.user == getuid() && peer?.group == getgid())
    #expect(UnixSocket.isOwn(client.number))
    try client.write(Array("hello".utf8))
    #expect(try server.read(atMost: 100) == Array("hello".utf8))
  }

  @Test func aFoldersPathMayBeLong() throws {
    let name = String(repeating: "x", count: 200)
    mkdir(place[name], 0o700)
    defer { unlink(place[name] + "/a") }
    let listener = try UnixSocket.listening("a", in: place[name], queue: 1)
    let client = try UnixSocket.make()
    try UnixSocket.connect(client, "a", in: place[name])
    withExtendedLifetime(listener) {}
  }

  @Test func nobodyThereIsToldFromNobodyListening() throws {
    do { _ = try UnixSocket.listening("left", in: place.path, queue: 1) }
    for (name, code) in [("nothing", ENOENT), ("left", ECONNREFUSED)] {
      let client = try UnixSocket.make()
      let error = #expect(throws: SystemError.self) {
        try UnixSocket.connect(client, name, in: place.path)
      }
      #expect(error?.code == code, "\(name)")
    }
  }

  @Test func aNameIsTakenOnce() throws {
    let first = try UnixSocket.listening("a", in: place.path, queue: 1)
    #expect(throws: SystemError("listen in", place.path, code: EADDRINUSE)) {
      try UnixSocket.listening("a", in: place.path, queue: 1)
    }
    withExtendedLifetime(first) {}
  }

  @Test(arguments: ["name", String(repeating: "n", count: 200)])
  func whatCannotBeAnAddressIsRefused(_ name: String) {
    let folder = name.count > 100 ? place.path : place["nothing"]
    #expect(throws: SystemError.self) { try UnixSocket.listening(name, in: folder, queue: 1) }
  }

  @Test func whoDoesNotWaitIsToldThatNobodyCame() throws {
    let listener = try UnixSocket.listening("a", in: place.path, queue: 1, waits: false)
    let error = #expect(throws: SystemError.self) { try UnixSocket.accept(listener.number) }
    #expect(error?.code == EAGAIN)
  }

  @Test(arguments: [UnixSocket.Kind.stream, .datagram])
  func aPairIsConnected(_ kind: UnixSocket.Kind) throws {
    let (one, other) = try UnixSocket.pair(kind)
    try one.write(Array("ab".utf8))
    try one.write(Array("cd".utf8))
    #expect(try other.read(atMost: 10) == Array((kind == .stream ? "abcd" : "ab").utf8))
  }

  @Test func whatIsNoSocketHasNoPeer() throws {
    let file = try Descriptor.open(place.path, O_RDONLY)
    #expect(UnixSocket.peer(of: file.number) == nil)
    #expect(!UnixSocket.isOwn(file.number))
  }
}

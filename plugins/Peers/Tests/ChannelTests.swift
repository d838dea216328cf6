// SPDX-License-Identifier: MIT

import NBridgePlugin
import Synchronization
import Testing

@testable import PeersPlugin

/// Resources and streams of sessions on a simulated network, whose clock goes when the test says so.
@Suite struct ChannelTests {
  static func pair() throws -> (world: SimulatedWorld, ada: PeerSession, bob: PeerSession) {
    let world = SimulatedWorld(seed: 5)
    try world.add(2, browsing: false)
    world.invite(world.peers[0], world.peers[1])
    #expect(world.run(atMost: 20) { world.agree(world.peers) } != nil)
    return (world, world.peers[0], world.peers[1])
  }

  static func header(_ name: String, _ kind: ChannelHeader.Kind = .stream, size: Int? = nil) throws -> [UInt8]
  {
    try Value(encoding: ChannelHeader(kind: kind, name: name, size: size)).text
  }

  static func put(
    _ session: PeerSession, _ peer: PeerID, _ channel: UInt32, _ body: [UInt8], _ flags: DataFrame.Flags
  ) -> Bool {
    session.perform { state, now in state.node.sendPiece(body, flags, to: peer, channel: channel, now) }
  }

  @Test func aStreamComesAsItWasWritten() async throws {
    let (world, ada, bob) = try Self.pair()
    let channel = try await ada.openChannel(.init(kind: .stream, name: "s"), to: bob.id)
    for number in 0..<5 as Range<UInt8> { #expect(ada.put([number], [], into: channel)) }
    #expect(ada.put([], .closes, into: channel))
    world.run(seconds: 1)
    let incoming = try bob.claim(.stream, .init(peer: ada.id, channel: channel.key.channel))
    var got: [UInt8] = []
    for try await chunk in StreamChunks(session: bob, channel: incoming) {
      got += chunk.bytes.withUnsafeBytes { Array($0) }
    }
    #expect(got == [0, 1, 2, 3, 4])
    world.run(seconds: 1)
    #expect(channel.isEmpty && bob.state.withLock { $0.incoming.isEmpty })
  }

  @Test(
    arguments: [
      [], [0xFF], Array("{}".utf8), Array(#"{"kind":"stream","name":""}"#.utf8),
      Array(#"{"kind":"parcel","name":"a"}"#.utf8), Array(#"{"kind":"resource","name":"a","size":-1}"#.utf8),
      Array(#"{"kind":"stream","name":"a\nb"}"#.utf8),
      Array(#"{"kind":"resource","name":"a","size":1e99}"#.utf8),
      Array(#"{"kind":"stream","name":"a""#.utf8), Array(#"["stream","a"]"#.utf8),
    ] as [[UInt8]])
  func whatBeginsWithoutAGoodNameIsRefused(_ head: [UInt8]) throws {
    let (world, ada, bob) = try Self.pair()
    #expect(Self.put(ada, bob.id, 7, head, .opens))
    world.run(seconds: 2)
    #expect(bob.state.withLock { $0.incoming.isEmpty } && world.agree(world.peers))
    #expect(ada.state.withLock { $0.node.talks[bob.id]?.sends[7] } == nil, "it hears that nobody takes it")
    #expect(throws: BridgeError.self) { try bob.claim(.stream, .init(peer: ada.id, channel: 7)) }
  }

  /// Its reader must not wait for ever for what goes to another of the same number.
  @Test func aChannelBeginsOnce() async throws {
    let (world, ada, bob) = try Self.pair()
    let channel = try await ada.openChannel(.init(kind: .stream, name: "first"), to: bob.id)
    #expect(ada.put([1], [], into: channel))
    world.run(seconds: 1)
    let key = ChannelKey(peer: ada.id, channel: channel.key.channel)
    let first = try bob.claim(.stream, key)
    #expect(ada.put(try Self.header("second"), .opens, into: channel))
    world.run(seconds: 1)
    let ended = await within(seconds: 20) {
      var got: [Bytes] = []
      for try await chunk in StreamChunks(session: bob, channel: first) { got.append(chunk.bytes) }
    }
    guard case .failure(let error as BridgeError)? = ended else {
      Issue.record("its reader waits for ever, or took it for whole: \(String(describing: ended))")
      return
    }
    #expect(error.code == .cancelled)
    #expect(throws: BridgeError.self) { try bob.claim(.stream, key) }
    #expect(world.agree(world.peers))
  }

  @Test func oneOfFiveWaitsForItsTurn() async throws {
    let (world, ada, bob) = try Self.pair()
    let header = ChannelHeader(kind: .stream, name: "s")
    var open: [OutgoingChannel] = []
    for _ in 0..<Window.maxChannels { open.append(try await ada.openChannel(header, to: bob.id)) }
    let fifth = Task { try await ada.openChannel(header, to: bob.id) }
    await eventually { ada.state.withLock { $0.turns[bob.id]?.count == 1 } }
    ada.finish(open[0], isWhole: false)
    let opened = await within { try await fifth.value }
    guard case .success(let channel)? = opened else {
      Issue.record("it waits for ever")
      return
    }
    #expect(channel.key.channel == 5)
    world.run(seconds: 1)
  }

  @Test func whoWaitsForItsTurnCanBeCancelled() async throws {
    let (world, ada, bob) = try Self.pair()
    let header = ChannelHeader(kind: .stream, name: "s")
    for _ in 0..<Window.maxChannels { _ = try await ada.openChannel(header, to: bob.id) }
    let waiting = (0..<3).map { _ in Task { try await ada.openChannel(header, to: bob.id) } }
    await eventually { ada.state.withLock { $0.turns[bob.id]?.count == 3 } }
    waiting[1].cancel()
    let ended = await within(seconds: 20) { try await waiting[1].value }
    guard case .failure(let error)? = ended else {
      Issue.record("it waits although nobody wants it any more")
      return
    }
    #expect(error is CancellationError)
    await eventually { ada.state.withLock { $0.turns[bob.id]?.count == 2 } }
    // The others still wait, and end with the session.
    ada.close()
    for task in [waiting[0], waiting[2]] {
      guard case .failure(let error as BridgeError)? = await within({ try await task.value }) else {
        Issue.record("it outlived its session")
        return
      }
      #expect(error.code == .unavailable)
    }
    world.run(seconds: 0.1)
  }

  @Test func aReaderHearsThatItsSenderGaveUpRefusedOrWent() async throws {
    for (how, code) in [("cancels", .cancelled), ("goes", .unavailable), ("closes", .cancelled)]
      as [(
        String, BridgeError.Code
      )]
    {
      let (world, ada, bob) = try Self.pair()
      let channel = try await ada.openChannel(.init(kind: .stream, name: "s"), to: bob.id)
      #expect(ada.put([1], [], into: channel))
      world.run(seconds: 1)
      let incoming = try bob.claim(.stream, .init(peer: ada.id, channel: channel.key.channel))
      switch how {
      case "cancels": ada.finish(channel, isWhole: false)
      case "goes": ada.close()
      default: bob.close()
      }
      world.run(seconds: 2)
      let ended = await within(seconds: 20) {
        for try await _ in StreamChunks(session: bob, channel: incoming) {}
      }
      guard case .failure(let error as BridgeError)? = ended else {
        Issue.record("\(how): \(String(describing: ended))")
        continue
      }
      #expect(error.code == code, "\(how)")
    }
  }

  @Test func aSenderHearsThatNobodyWantsMore() async throws {
    let (world, ada, bob) = try Self.pair()
    let channel = try await ada.openChannel(.init(kind: .stream, name: "s"), to: bob.id)
    world.run(seconds: 1)
    let key = ChannelKey(peer: ada.id, channel: channel.key.channel)
    bob.decline(key)
    world.run(seconds: 1)
    do {
      try channel.check("the stream")
      Issue.record("nobody told it")
    } catch { #expect((error as? BridgeError)?.code == "declined") }
    #expect(ada.state.withLock { $0.outgoing.isEmpty })
    #expect(!ada.put([1], [], into: channel))
  }

  @Test func whatIsClaimedTwiceIsRefusedAndTheKindHasToFit() async throws {
    let (world, ada, bob) = try Self.pair()
    let channel = try await ada.openChannel(.init(kind: .resource, name: "r", size: 3), to: bob.id)
    world.run(seconds: 1)
    let key = ChannelKey(peer: ada.id, channel: channel.key.channel)
    #expect(throws: BridgeError.self) { try bob.claim(.stream, key) }
    #expect(throws: BridgeError.self) { try bob.claim(.resource, .init(peer: bob.id, channel: 1)) }
    _ = try bob.claim(.resource, key)
    do {
      _ = try bob.claim(.resource, key)
      Issue.record("two receive it")
    } catch { #expect((error as? BridgeError)?.code == .conflict) }
    // A resource that was taken cannot be declined by another caller.
    bob.decline(key)
    #expect(bob.state.withLock { $0.incoming[key] } != nil)
  }

  /// A sender that has more than the receiver takes is held up, and goes on when the receiver takes it.
  @Test func aReaderThatDoesNotReadHoldsItsSenderUp() async throws {
    let (world, ada, bob) = try Self.pair()
    let channel = try await ada.openChannel(.init(kind: .stream, name: "s"), to: bob.id)
    let piece = [UInt8](repeating: 7, count: 200_000)
    var put = 0, idle = 0
    while idle < 20 {
      if ada.put(piece, [], into: channel) { (put, idle) = (put + 1, 0) } else { idle += 1 }
      world.run(seconds: 0.2)
    }
    // As much as the receiver's window and the sender's own hold.
    #expect(put * piece.count <= 2 * Window.channel + 2 * piece.count && put * piece.count >= Window.channel)
    let incoming = try bob.claim(.stream, .init(peer: ada.id, channel: channel.key.channel))
    var chunks = StreamChunks(session: bob, channel: incoming).makeAsyncIterator()
    for _ in 0..<put {
      guard let chunk = try await chunks.next() else { break }
      #expect(chunk.bytes.count == piece.count)
      world.run(seconds: 0.2)
    }
    #expect(ada.put(piece, [], into: channel))
    world.run(seconds: 1)
  }
}

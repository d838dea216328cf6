// SPDX-License-Identifier: MIT

import Foundation
import NBridgeSystem
import Testing

/// Enemies among the processes of one user: a peer that was declined, members that lie, a relay in the
/// middle. They speak the protocol by a second implementation of it (Tests/Peers/wire.py); their victims are
/// real processes.
@Suite struct PeersIdentityTests {
  typealias Room = PeersFaultTests.Room

  /// Takes in every peer that is not called "Declined", and says all it sees.
  static let bob = """
    const session = await make("Bob");
    session.invitations((invitation) => { console.log("asked by", invitation.from.name);
      invitation.from.name === "Declined" ? invitation.decline() : invitation.accept(); });
    session.problems(({ message }) => console.log("problem", message));
    session.states(({ peer, state }) => console.log(peer.name, state));
    await session.advertise();
    console.log("ready");
    for await (const { from, data } of session.messages()) console.log("got", from.name, data);
    """

  /// A member that goes on sending.
  static let ada = """
    const session = await make("Ada");
    await accepting(session);
    await session.invite(await find(session, "Bob"));
    console.log("ready");
    for (let i = 0;; i++) { await session.send(`tick ${i}`); await new Promise((r) => setTimeout(r, 50)); }
    """

  /// Bob and Ada in one session.
  static func together() throws -> Room {
    let room = Room()
    _ = try room.start("bob", bob)
    #expect(room.wait("bob", for: "ready"))
    _ = try room.start("ada", ada)
    #expect(room.wait("bob", for: "got Ada tick 1\n"), "\(room.output("ada"))\(room.output("bob"))")
    return room
  }

  /// Whether Bob still hears Ada.
  static func adaIsHeard(_ room: Room) -> Bool {
    let ticks = room.output("bob").split(separator: "\n").filter { $0.hasPrefix("got Ada tick ") }
    let last = ticks.last.flatMap { Int($0.dropFirst("got Ada tick ".count)) } ?? 0
    return room.wait("bob", for: "got Ada tick \(last + 10)\n")
  }

  /// Each line of what an enemy tried says that it failed.
  static func expectOnlyOK(_ output: String, _ count: Int, _ room: Room) {
    let lines = output.split(separator: "\n")
    #expect(
      lines.count == count && lines.allSatisfy { $0.hasPrefix("ok ") },
      "\(output)\n\(room.output("bob").suffix(2000))")
  }

  @Test func whoWasDeclinedStaysOutWhateverItSays() throws {
    let room = try Self.together()
    let output = try room.stranger(
      """
      own, ada_key = Keys(), bytes.fromhex(peers(folder)["Ada"]["key"])
      said(not to("Bob").join(own, b"Declined"), "it is declined")

      VIOLATION, STRANGER = bytes([BYE, 4]), bytes([BYE, 3])
      def fails(what, link, reason=VIOLATION):
          ended = link.ends()
          said(ended and set(link.kinds()) <= {HELLO, PROOF, BYE} and link.came[-1] == reason, f"{what}: \
      {link.kinds()} {link.came[-1:]}")

      for purpose in [INVITATION, OVERLAY, DIRECT]:
          link, mine = to("Bob"), hello(ada_key, purpose, b"Ada")
          link.send(mine)
          link.send(proof(own, CONNECTOR, mine, link.frame(HELLO), os.urandom(32)), invite(1), digest())
          fails("with a member's id", link)

      # What Ada says and signs to who connects to her, said again to Bob.
      recorded = to("Ada")
      recorded.send(hello(own.key))
      ada_hello, ada_proof = recorded.frame(HELLO), recorded.frame(PROOF)
      link = to("Bob")
      link.send(ada_hello)
      link.frame(HELLO)
      link.send(ada_proof, invite(2), digest())
      fails("with a member's recorded greeting", link)

      # Ada signs what Bob asks for, when she is told that Bob connects to her.
      bob, ada = to("Bob"), to("Ada")
      bob.send(hello(ada_key, OVERLAY, b"Ada", challenge=os.urandom(32)))
      ada.send(bob.frame(HELLO))
      bob.send(ada.frame(PROOF), digest())
      fails("with what a member signs meanwhile", bob)

      for token in [None, bytes(32), os.urandom(32)]:
          link = to("Bob")
          link.greet(own, OVERLAY, token)
          fails("without the token", link, STRANGER)

      for frame in [digest(), beat(), gossip(record(own, 1)), data(string("x")), carried(own.id, own.id, \
      string("x")), ack(), invite(3), bytes([JOINED]) + bytes(8),
                    bytes([ADMITTED]), bytes([ANSWER]) + bytes(9)]:
          link = to("Bob")
          link.send(hello(own.key), frame)
          fails("before a proof", link)
          link = to("Bob")
          link.send(frame)
          fails("before a greeting", link)

      link = to("Bob")
      link.greet(own)
      link.send(hello(ada_key))
      fails("as another, afterwards", link)
      link, mine = to("Bob"), hello(own.key)
      link.send(mine)
      link.send(proof(own, CONNECTOR, mine, link.frame(HELLO), binding=own_binding(1)))
      fails("as another process", link)
      """)
    Self.expectOnlyOK(output, 31, room)
    #expect(Self.adaIsHeard(room))
    let told = room.output("bob")
    #expect(told.contains("can't prove it") && told.contains("somebody stands between this side"), "\(told)")
    #expect(!told.contains("Mallory") && !told.contains("Declined connected"), "\(told)")
    #expect(
      told.split(separator: "\n").filter { $0.hasPrefix("asked by") } == [
        "asked by Ada", "asked by Declined",
      ], "\(told)")
  }

  @Test func aMemberSpeaksForNobodyElse() throws {
    let room = try Self.together()
    let output = try room.stranger(
      """
      own = Keys()
      link = to("Bob")
      said(link.join(own), "it is let in")
      said(link.wait(lambda l: "Ada" in l.records and "Bob" in l.records), "it knows the members")
      ada, bob = link.records["Ada"], link.records["Bob"]
      key = own.pair_key(bob)
      for number in list(range(300)) + [2**63, MOST]:
          for epoch in [0, 1, 2, 3, MOST]:
              for flags in [LAST, RELIABLE | LAST]:
                  payload = string("forged")
                  code = data_code(key, ada["id"], bob["id"], payload, number, epoch, flags, 0)
                  link.send(carried(ada["id"], bob["id"], payload, number, epoch, flags, code=code))
                  link.send(carried(ada["id"], bob["id"], payload, number, epoch, flags))
      for number in range(50): link.send(ack(epoch=1, next=number, carried_as=(ada["id"], bob["id"])))
      link.send(data(string("mine")))
      said(printed("bob", "got Mallory mine"), "what is its own comes")
      # The same with its name on it, and as if somebody else had carried it.
      link.send(carried(own.id, bob["id"], string("mine too"), number=1))
      said(printed("bob", "got Mallory mine too"), "and with its name on it")
      said(not link.is_over, "its link stays")
      """)
    Self.expectOnlyOK(output, 5, room)
    #expect(Self.adaIsHeard(room))
    #expect(!room.output("bob").contains("forged"), "\(room.output("bob").suffix(2000))")
  }

  @Test func noNumberThatAMemberNamesSilencesAnother() throws {
    let room = try Self.together()
    let output = try room.stranger(
      """
      link, own = to("Bob"), Keys()
      said(link.join(own) and link.wait(lambda l: "Ada" in l.records and "Bob" in l.records), "it is let in")
      ada, bob = link.records["Ada"], link.records["Bob"]
      link.send(carried(ada["id"], bob["id"], string("x"), epoch=MOST), gossip(ada["signed"]))
      # What Bob is said to have said itself, in every way.
      for signer in [own]:
          link.send(gossip(record(own, MOST, id=bob["id"], key=bob["key"], signer=signer)), \
      gossip(record(own, MOST, id=bob["id"])))
      link.send(gossip(record(own, MOST, [bob["id"], ada["id"]])))
      link.send(data(string("of its own last epoch"), epoch=MOST))
      said(printed("bob", "got Mallory of its own last epoch"), "it hurts itself")
      for n in [0, 1, 2**31, 2**32 - 1, 2**63 - 1, 2**63, MOST - 1, MOST]:
          link.send(data(b"", number=n, epoch=MOST), data(b"", number=n, epoch=MOST, flags=RELIABLE | 64), \
      data(b"x", number=n, epoch=n, flags=LAST))
          for channel in [0, 1, 2**32 - 1]:
              for flags in [RELIABLE | 8, RELIABLE | 16, RELIABLE | 32]: link.send(data(b"{}", number=n, \
      epoch=MOST, flags=flags, channel=channel))
              link.send(ack(channel, n, n, n, n, ranges=[(n, MOST)] if n < MOST else []), ack(channel, 1, n, \
      n, MOST, n % 2 == 0), ack(channel, 1, MOST, 0))
          link.send(digest(True, [(bob["id"], n), (ada["id"], n), (own.id, n)]))
          link.send(invite(n, 2**32 - 1))
      said(link.wait(lambda l: l.is_over, 1) is False, "its link stays")
      link.close()
      # Ada's record, of a version that nobody can outdo: each of these cuts its link.
      for forged in [record(own, MOST, id=ada["id"], key=ada["key"]), record(own, MOST, id=ada["id"]), \
      record(own, MOST, id=ada["id"], key=ada["key"], left=True),
                     ada["signed"][:16] + struct.pack("<Q", MOST) + ada["signed"][24:], \
      ada["signed"][:120] + b"\\x01" + ada["signed"][121:]]:
          link, own = to("Bob"), Keys()
          link.join(own)
          link.wait(lambda l: "Ada" in l.records)
          if forged[16:24] == ada["signed"][16:24]: forged = forged[:16] + struct.pack("<Q", \
      ada["version"] + 1000) + forged[24:]
          link.send(gossip(forged))
          said(link.ends(), "a forged record cuts its link")
      """)
    Self.expectOnlyOK(output, 8, room)
    #expect(room.output("bob").contains("that is not its own"), "\(room.output("bob").suffix(2000))")
    #expect(Self.adaIsHeard(room))
    // Ada is still believed when she says something new of herself: by her Bob hears of Eve.
    _ = try room.start(
      "eve",
      """
      const session = await make("Eve");
      await session.invite(await find(session, "Ada"));
      await until(async () => (await connected(session)).includes("Bob"));
      await session.send("hello from Eve");
      await session.drain();
      console.log("sent");
      """)
    #expect(
      room.wait("bob", for: "got Eve hello from Eve"),
      "\(room.output("eve"))\(room.output("bob").suffix(2000))")
    #expect(Self.adaIsHeard(room))
  }

  @Test func aRelayInTheMiddleIsFoundOut() throws {
    let room = Room()
    _ = try room.start("bob", Self.bob)
    #expect(room.wait("bob", for: "ready"))
    _ = try room.startStranger(
      "between",
      """
      place = os.path.join(folder, peers(folder)["Bob"]["address"])
      os.rename(place, room + "/real")
      listener = socket.socket(socket.AF_UNIX); listener.bind(place); listener.listen()
      print("ready", flush=True)
      def carry(source, target, name):
          while not source.is_over:
              source.pump()
              frames, source.came = source.came, []
              for frame in frames: print(name, "says", frame[0], flush=True)
              target.send(*frames)
          target.socket.shutdown(socket.SHUT_RDWR)
      while True:
          ada, bob = Link(listener.accept()[0]), Link.to(room, "real")
          threading.Thread(target=carry, args=(ada, bob, "Ada"), daemon=True).start()
          threading.Thread(target=carry, args=(bob, ada, "Bob"), daemon=True).start()
      """)
    #expect(room.wait("between", for: "ready"), "\(room.output("between"))")
    _ = try room.start(
      "ada",
      """
      const session = await make("Ada");
      session.problems(({ message }) => console.log("problem", message));
      await session.invite(await find(session, "Bob"), { timeout: 10_000 }).then(() => console.log("joined"),
        (e) => console.log("failed", e.code));
      """)
    #expect(room.wait("ada", for: "failed unavailable"), "\(room.output("ada"))")
    #expect(room.output("ada").contains("somebody stands between this side and"), "\(room.output("ada"))")
    let carried = room.output("between")
    // Bob proves itself, and Ada, who sees that Bob is not the process at the other end, proves nothing and
    // asks nothing.
    #expect(
      carried.contains("Bob says 11") && !carried.contains("Ada says 11")
        && !carried.contains("Ada says 2\n"), "\(carried)")
    #expect(!room.output("bob").contains("asked by"))
  }

  @Test func whatIsNotSignedByWhoItSaysIsNotTold() throws {
    let room = Room()
    _ = try room.start("bob", Self.bob)
    #expect(room.wait("bob", for: "ready"))
    let mallory = try room.startStranger(
      "mallory",
      """
      bob, own = peers(folder)["Bob"], Keys()
      def forged(**changes):
          keys = Keys()
          ad = announcement(keys, name="Forged")
          ad.update({k: (v(ad) if callable(v) else v) for k, v in changes.items()})
          return announce(folder, ad)
      held = [announce(folder, announcement(own, name="Genuine", info={"level": "3"}))]
      held += [forged(signature=""), forged(signature="00" * 64), forged(signature="zz"), \
      forged(name="Forged too"), forged(info={"level": "9"}), forged(key=bob["key"]),
               forged(id=lambda ad: "0" * 31 + "1", address="0" * 31 + "1")]
      held += [announce(folder, announcement(Keys(), name="Forged", service="other")), announce(folder, \
      announcement(Keys(), name="Forged", signer=own))]
      held.append(announce(folder, announcement(Keys(), name="Forged", id=Keys().name)))
      unsigned = announcement(Keys(), name="Forged"); del unsigned["key"], unsigned["signature"]
      held.append(announce(folder, unsigned))
      # Bob's own, with another name and in its place.
      held.append(announce(folder, dict(bob, name="Forged")))
      print("ready", flush=True)
      time.sleep(300)
      """)
    #expect(room.wait("mallory", for: "ready"), "\(room.output("mallory"))")
    _ = try room.start(
      "ada",
      """
      const session = await make("Ada");
      session.browse(({ kind, peer }) => console.log(kind, peer.name, peer.info));
      // The peer that comes last is told last.
      await until(async () => (await session.peers()).some((peer) => peer.name === "Last"));
      console.log("done");
      """)
    #expect(room.wait("ada", for: "found Genuine { level: '3' }"), "\(room.output("ada"))")
    _ = try room.start(
      "last",
      """
      const session = await make('Last'); await session.advertise();
      for await (const _ of session.messages());
      """)
    #expect(room.wait("ada", for: "done"), "\(room.output("ada"))\(room.output("mallory"))")
    #expect(!room.output("ada").contains("Forged"), "\(room.output("ada"))")
    mallory.signal(SIGKILL)
    #expect(room.wait("ada", for: "lost Genuine"), "\(room.output("ada"))")
  }
}

// SPDX-License-Identifier: MIT

import Foundation
import NBridgeSystem
import Testing

/// Peers in processes of their own: killed, stopped, beside garbage.
@Suite struct PeersFaultTests {
  static let bob = """
    const session = await make("Bob");
    await accepting(session);
    console.log("ready");
    session.states(({ peer, state }) => console.log(peer.name, state));
    for await (const { data } of session.messages()) if (typeof data === "string") console.log("got", data);
    """

  @Test func aKilledMemberIsNoticedByAllAndItsMessagesAreReported() throws {
    let room = Room()
    let bob = try room.start("bob", Self.bob)
    #expect(room.wait("bob", for: "ready"))
    _ = try room.start("eve", Self.bob.replacingOccurrences(of: "\"Bob\"", with: "\"Eve\""))
    #expect(room.wait("eve", for: "ready"))
    _ = try room.start(
      "ada",
      """
      const session = await make("Ada");
      session.problems(({ kind, messages, message }) => console.log(kind, messages > 0, message));
      session.states(({ peer, state }) => console.log(peer.name, state));
      for (const name of ["Bob", "Eve"]) await session.invite(await find(session, name));
      await until(async () => await connected(session) === "Bob,Eve");
      console.log("all here");
      for (let i = 0;; i++) try { await session.send(new Uint8Array(100_000));
        if (i === 20) console.log("under way"); } catch (e) { await new Promise((r) => setTimeout(r, 10)); }
      """)
    #expect(room.wait("ada", for: "all here"), "\(room.output("ada"))")
    #expect(room.wait("eve", for: "Bob connected"))
    // In the middle of what is sent.
    #expect(room.wait("ada", for: "under way"), "\(room.output("ada"))")
    bob.signal(SIGKILL)
    #expect(room.wait("ada", for: "Bob notConnected"))
    #expect(room.wait("eve", for: "Bob notConnected"))
    #expect(room.wait("ada", for: "undelivered true"), "\(room.output("ada"))")
  }

  @Test func aMemberThatStopsWithoutAWordIsNoticedAndComesBackWithoutLoss() throws {
    let room = Room()
    let bob = try room.start("bob", Self.bob)
    #expect(room.wait("bob", for: "ready"))
    _ = try room.start(
      "ada",
      """
      const session = await make("Ada");
      let gone = false, back = false;
      session.states(({ peer, state }) => {
        console.log(peer.name, state);
        if (state === "notConnected") gone = true; else if (state === "connected") back = gone;
      });
      await session.invite(await find(session, "Bob"));
      let number = 0;
      while (!back) {
        // A message that was sent while no member was there has no receivers: it is to be sent again.
        if (await session.send(`n${number}.`) === 1 && number++ === 10) console.log("sending");
        await new Promise((r) => setTimeout(r, 20));
      }
      await session.send("last");
      console.log("sent", number);
      """)
    #expect(room.wait("ada", for: "sending"), "\(room.output("ada"))")
    bob.signal(SIGSTOP)
    #expect(room.wait("ada", for: "Bob notConnected"))
    bob.signal(SIGCONT)
    #expect(room.wait("bob", for: "got last"), "\(room.output("bob"))")
    let got = room.output("bob").split(separator: "\n").filter { $0.hasPrefix("got n") }.map {
      $0.dropFirst(5).dropLast()
    }.compactMap {
      Int($0)
    }
    #expect(got.count > 10 && got == Array(0..<got.count), "\(got)")
  }

  @Test func aKilledInviterLeavesNothingBehind() throws {
    let room = Room()
    _ = try room.start(
      "bob",
      """
      const session = await make("Bob");
      await session.advertise();
      console.log("ready");
      for await (const invitation of session.invitations()) {
        console.log("asked");
        await until(() => invitation.isOver);
        console.log("over", await invitation.accept());
      }
      """)
    #expect(room.wait("bob", for: "ready"))
    let ada = try room.start(
      "ada", "const session = await make('Ada'); await session.invite(await find(session, 'Bob'));")
    #expect(room.wait("bob", for: "asked"), "\(room.output("ada"))")
    ada.signal(SIGKILL)
    #expect(room.wait("bob", for: "over false"), "\(room.output("bob"))")
  }

  @Test func aResourceWhoseSenderIsKilledFailsAndLeavesNoFile() throws {
    let room = Room()
    _ = try room.start(
      "bob",
      """
      const session = await make("Bob");
      await accepting(session);
      console.log("ready");
      for await (const resource of session.resources()) {
        try {
          await resource.receive({ progress: ({ done }) => { if (done > 0) console.log("some") } });
        } catch (error) { let files = 0; for await (const _ of nbridge.documents.list("peers",
          { directory: "temporary" })) files++; console.log(error.code, error.message, files); }
      }
      """)
    #expect(room.wait("bob", for: "ready"))
    let ada = try room.start(
      "ada",
      """
      const session = await make("Ada");
      await session.invite(await find(session, "Bob"));
      const [{ id }] = await session.peers();
      await nbridge.documents.write("large", "x");
      await nbridge.documents.truncate("large", 40e9);
      await session.sendResource("large", { to: id });
      """)
    #expect(room.wait("bob", for: "some"), "\(room.output("ada"))")
    ada.signal(SIGKILL)
    #expect(
      room.wait("bob", for: "unavailable the resource 'large' did not come through: the peer has gone 0"),
      "\(room.output("bob"))")
  }

  static let receiver = """
    const session = await make("Bob");
    await accepting(session);
    console.log("ready");
    session.resources((resource) => resource.receive(
      { progress: ({ done }) => { if (done > 0) console.log("some") } }));
    for await (const _ of session.messages());
    """

  /// The files in the folder of received files: all of them, whatever their names.
  func received(_ room: Room) -> [String] {
    let files = FileManager.default.enumerator(atPath: room.folder)?.compactMap { $0 as? String } ?? []
    return files.filter { $0.contains("/tmp/peers/") }
  }

  @Test func aReceiverThatIsKilledLeavesNoPartOfAFile() throws {
    let room = Room()
    let bob = try room.start("bob", Self.receiver)
    #expect(room.wait("bob", for: "ready"))
    _ = try room.start(
      "ada",
      """
      const session = await make("Ada");
      await session.invite(await find(session, "Bob"));
      const [{ id }] = await session.peers();
      await nbridge.documents.write("large", "x");
      await nbridge.documents.truncate("large", 40e9);
      await session.sendResource("large", { to: id });
      """)
    #expect(room.wait("bob", for: "some"), "\(room.output("ada"))")
    bob.signal(SIGKILL)
    bob.wait()
    #expect(received(room).isEmpty, "\(received(room))")
    // The next start removes files that may have been left on a disk without nameless files; files that a
    // process holds stay.
    let all = FileManager.default.enumerator(atPath: room.folder)?.compactMap { $0 as? String } ?? []
    let folder = try #require(all.first { $0.hasSuffix("/tmp/peers") })
    let path = room.folder + "/" + folder
    let name = { (digit: String) in String(repeating: digit, count: 32) + ".partial" }
    try "part".write(toFile: "\(path)/\(name("1"))", atomically: false, encoding: .utf8)
    let held = open("\(path)/\(name("2"))", O_CREAT | O_RDWR, 0o600)
    flock(held, LOCK_EX)
    defer { close(held) }
    try "whole".write(toFile: path + "/whole", atomically: false, encoding: .utf8)
    _ = try room.start("bob", Self.receiver)
    #expect(room.wait("bob", for: "ready"))
    #expect(
      received(room).map { ($0 as NSString).lastPathComponent }.sorted() == [name("2"), "whole"],
      "\(received(room))")
  }

  @Test func whoDoesNotKeepToTheProtocolIsCutOff() throws {
    let room = Room()
    _ = try room.start(
      "bob",
      """
      const session = await make("Bob");
      await session.advertise();
      session.problems(({ kind, message }) => console.log(kind, message));
      session.invitations((invitation) => console.log("asked by", invitation.from.name));
      console.log("ready");
      """)
    #expect(room.wait("bob", for: "ready"))
    let output = try room.stranger(
      """
      ends, keys = [], Keys()
      for what in [struct.pack('<I', 0xFFFFFFFF) + b'x' * 100, b'\\0\\0\\0\\0', os.urandom(100000), \
      blob(b'\\x63garbage'), blob(hello(keys.key, version=9)),
                   blob(hello(keys.key, version=1)), blob(hello(keys.key)) \
      + blob(b'\\x08' + os.urandom(50)), blob(hello(keys.key)) + blob(hello(Keys().key)),
                   blob(hello(keys.key) + b'more'), blob(invite(1))]:
          link = to("Bob"); link.socket.sendall(what); ends.append(link.ends())
      one, two = to("Bob"), to("Bob")
      one.greet(keys); one.send(invite(7))
      two.greet(Keys()); two.send(invite(7))
      print(ends.count(True), two.frame(ANSWER) == bytes([ANSWER]) + struct.pack('<Q', 7) + bytes([3]), \
      two.ends())
      """)
    #expect(output == "10 True True\n", "\(output)")
    #expect(room.wait("bob", for: "asked by Mallory"))
    let told = room.output("bob")
    for problem in [
      "a frame of 4294967295 bytes", "a frame of the unknown kind 99", "it speaks versions 9 to 9",
      "it speaks versions 1 to 1", "an invitation that came before", "another than before",
    ] {
      #expect(told.contains(problem), "\(problem): \(told)")
    }
    #expect(told.split(separator: "\n").filter { $0.hasPrefix("asked by") }.count == 1)
  }

  @Test func aFloodOfInvitationsIsRefusedAndTold() throws {
    let room = Room()
    _ = try room.start(
      "bob",
      """
      const session = await make("Bob");
      await session.advertise();
      session.problems(({ message }) => console.log(message));
      let asked = 0;
      session.invitations(() => asked++);
      console.log("ready");
      await until(async () => (await session.statistics()).counts.invitationsRefused > 100 && asked >= 32);
      console.log("asked", asked < 100 ? "as many as fit" : asked);
      """)
    #expect(room.wait("bob", for: "ready"))
    let output = try room.stranger(
      """
      links = [to("Bob") for _ in range(200)]
      for i, link in enumerate(links): link.greet(Keys()); link.send(invite(1000 + i))
      print(sum(link.frame(ANSWER) == bytes([ANSWER]) + struct.pack('<Q', 1100 + i) + bytes([2]) for i, \
      link in enumerate(links[100:])))
      """)
    #expect(output == "100\n", "\(output)")
    #expect(room.wait("bob", for: "more invitations come than are taken"), "\(room.output("bob"))")
    #expect(room.wait("bob", for: "asked as many as fit"), "\(room.output("bob"))")
  }

  @Test func aFolderFullOfStaleAndHostileFilesIsCleanedAndBorne() throws {
    let room = Room()
    try FileManager.default.createDirectory(atPath: room.rendezvous, withIntermediateDirectories: true)
    let id = { (number: Int) in String(format: "%032x", number) }
    for number in 0..<500 {
      try "{}".write(
        toFile: "\(room.rendezvous)/\(id(number)).peer", atomically: false, encoding: .utf8)
    }
    mkfifo("\(room.rendezvous)/\(id(1000)).peer", 0o600)
    try FileManager.default.createSymbolicLink(
      atPath: "\(room.rendezvous)/\(id(1001)).peer", withDestinationPath: "/etc/passwd")
    try FileManager.default.createDirectory(
      atPath: "\(room.rendezvous)/\(id(1002)).peer", withIntermediateDirectories: true)
    try "x".write(toFile: "\(room.rendezvous)/..peer", atomically: false, encoding: .utf8)
    // Held by a process that says nonsense.
    let held = open("\(room.rendezvous)/\(id(1003)).peer", O_CREAT | O_WRONLY, 0o600)
    flock(held, LOCK_EX)
    let lie = #"{"id":"\#(id(1004))","name":"","info":{},"address":"../../x"}"#
    _ = write(held, lie, lie.utf8.count)
    defer { close(held) }
    _ = try room.start("bob", Self.bob)
    #expect(room.wait("bob", for: "ready"))
    _ = try room.start(
      "ada",
      """
      const session = await make('Ada');
      for await (const { kind, peer } of session.browse()) console.log(kind, peer.name);
      """)
    #expect(room.wait("ada", for: "found Bob"), "\(room.output("ada"))")
    #expect(room.output("ada") == "found Bob\n")
    let left = try FileManager.default.contentsOfDirectory(atPath: room.rendezvous).filter {
      $0.hasSuffix(".peer")
    }
    #expect(left.count <= 6, "\(left.count)")
  }

  @Test func theSamplesTalkAndTakeFiles() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    let samples = CommandRunner.root + "/www"
    let result = try runner.shell(
      """
      sees() { for _ in $(seq 400); do grep -q "$2" "$1" 2>/dev/null && return; sleep 0.05; done; \
      echo "no '$2' in $1"; cat "$1"; }
      nbridge run '\(samples)/chat/main.js' Ada "hello Bob" > ada 2>&1 & one=$!
      nbridge run '\(samples)/chat/main.js' Bob "hi Ada" > bob 2>&1 & two=$!
      nbridge run '\(samples)/filedrop/main.js' > drop 2>&1 & three=$!
      sees ada "Bob: hi Ada"; sees bob "Ada: hello Bob"
      pkill -9 -f 'chat/main.j[s] Bob'; sees ada "Bob has left"
      printf 'some text' > 'a file.txt'
      sees drop waiting
      nbridge peers send drop --name Eve --file 'a file.txt'
      sees drop "Eve gave"; cat drop
      nbridge peers browse drop --time 0.5 --json | cut -c 1-15
      pkill -f 'chat/main.j[s] Ada'; pkill -f 'filedrop/main.j[s]'; wait 2>/dev/null
      """)
    #expect(result.output.contains("sent  a file.txt  9 bytes"), "\(result.output)\(result.errors)")
    #expect(
      result.output.contains("Eve comes\nEve gave a_file.txt, 9 bytes\n"), "\(result.output)\(result.errors)")
    #expect(result.output.hasSuffix("{\"kind\":\"found\"\n"), "\(result.output)\(result.errors)")
    #expect(!result.output.contains("no '"), "\(result.output)")
  }

  @Test func theCommandsMeasureAndRefuse() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    let result = try runner.shell(
      """
      T=bench; nbridge peers advertise $T --echo --quiet > echo 2>&1 & one=$!
      for _ in $(seq 200); do grep -q found echo && break; sleep 0.05; done
      nbridge peers bench bench --count 20 | cut -d ' ' -f 1,2
      nbridge peers send bench "hello" --wait
      nbridge peers send bench "hello" --to nobody --time 0.2
      nbridge peers browse '../x'; nbridge peers browse; nbridge peers send bench
      pkill -f 'advertise benc[h] --echo'; wait 2>/dev/null
      nbridge peers simulate --schedules 2 --seed 5
      nbridge peers simulate --scale 5 | tail -1 | cut -d ' ' -f 1
      """)
    #expect(result.output.hasPrefix("round trip\nechoed "), "\(result.output)\(result.errors)")
    #expect(
      result.output.contains("message")
        && result.output.contains(
          "2 schedules from 5 on, 0 did not hold\n5\n"),
      "\(result.output)")
    for error in [
      "'nobody' was not found within 0.2 s", "option.serviceType '../x' must be", "which service type?",
      "send what?",
    ] {
      #expect(result.errors.contains(error), "\(result.errors)")
    }
  }

  @Test func aKilledAnnouncerIsLost() throws {
    let room = Room()
    let bob = try room.start("bob", Self.bob)
    #expect(room.wait("bob", for: "ready"))
    _ = try room.start(
      "ada",
      """
      const session = await make('Ada');
      for await (const { kind, peer } of session.browse()) console.log(kind, peer.name);
      """)
    #expect(room.wait("ada", for: "found Bob"))
    bob.signal(SIGKILL)
    #expect(room.wait("ada", for: "lost Bob"))
    let left = try FileManager.default.contentsOfDirectory(atPath: room.rendezvous)
    #expect(left.count == 1, "\(left)")
  }
}

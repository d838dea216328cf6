// SPDX-License-Identifier: MIT

import Testing

/// `BroadcastChannel` between programs of one app that run at the same time.
@Suite(.timeLimit(.minutes(2))) struct ProgramChannelTests {
  private static let waits = """
    wait_for() { n=0; until grep -qs "$2" $1 || [ $n = 600 ]; do sleep 0.05; n=$((n+1)); done; }
    """

  private func run(_ files: [String: String], _ line: String) throws -> CommandRunner.Result {
    try CommandRunner.run(files, "\(Self.waits)\n\(line)")
  }

  private static let listens = """
    const channel = new BroadcastChannel("news"), got = [];
    channel.onmessage = ({ data }) => {
      if (data !== "end") return void got.push(data);
      console.log(got.join());
      channel.close();
    };
    console.log("ready");
    """

  /// A thousand messages with bytes arrive whole, in their order, and an answer comes back.
  @Test func messagesArriveInOtherProgramsInTheirOrder() throws {
    let result = try run(
      [
        "hears.mjs": """
        const channel = new BroadcastChannel("news");
        let count = 0;
        channel.onmessage = ({ data: { n, bytes, when } }) => {
          if (n !== count++ || bytes.length !== 5000 || bytes[4999] !== n % 256 || !(when instanceof Date)) {
            throw new Error(`message ${n}, ${bytes.length} bytes`);
          }
          if (count === 1000) { channel.postMessage("all have come"); channel.close(); }
        };
        console.log("ready");
        """,
        "tells.mjs": """
        const channel = new BroadcastChannel("news");
        channel.onmessage = ({ data }) => { console.log(data); channel.close(); };
        for (let n = 0; n < 1000; n++) {
          channel.postMessage({ n, bytes: new Uint8Array(5000).fill(n), when: new Date(n) });
        }
        """,
      ],
      """
      timeout 60 "$NBRIDGE" run --container box hears.mjs > hears & h=$!
      wait_for hears ready
      timeout 60 "$NBRIDGE" run --container box tells.mjs; wait $h; echo $?
      """)
    #expect(result.output == "all have come\n0\n" && result.errors.isEmpty, "\(result)")
  }

  /// What was posted just before the end of a program is not lost, and is not heard in another app.
  @Test func theLastWordsArriveAndStayInTheApp() throws {
    let says = { (words: String) in "const c = new BroadcastChannel('news'); \(words); exit(0);" }
    let result = try run(
      [
        "hears.mjs": Self.listens,
        "other.mjs": says("c.postMessage('of another app')"),
        "long.mjs": says("for (const text of ['first', 'y'.repeat(5e6), 'end']) c.postMessage(text)"),
      ],
      """
      timeout 60 "$NBRIDGE" run --container box hears.mjs > hears & h=$!
      wait_for hears ready
      timeout 60 "$NBRIDGE" run --container elsewhere other.mjs
      timeout 60 "$NBRIDGE" run --container box long.mjs; wait $h; tail -n 1 hears | cut -c 1-8
      tail -n 1 hears | wc -c
      """)
    #expect(result.output == "first,yy\n5000007\n" && result.errors.isEmpty, "\(result)")
  }

  /// Who is only listened to keeps nothing of programs that have come and gone.
  @Test func programsThatLeaveKeepNoPlace() throws {
    let result = try run(
      [
        "hears.mjs": Self.listens,
        "comes.mjs": "const c = new BroadcastChannel('news'); setTimeout(() => c.close(), 50)",
        "says.mjs": "new BroadcastChannel('news').postMessage('end')",
      ],
      """
      "$NBRIDGE" run --container box hears.mjs > hears & h=$!
      wait_for hears ready
      sockets() { ls -l /proc/$h/fd | grep -c socket; }
      first=$(sockets)
      for i in 1 2 3; do timeout 60 "$NBRIDGE" run --container box comes.mjs; done
      n=0; until [ "$(sockets)" = "$first" ] || [ $n = 100 ]; do sleep 0.05; n=$((n+1)); done
      echo $(($(sockets) - first))
      timeout 60 "$NBRIDGE" run --container box says.mjs; wait $h
      """)
    #expect(result.output == "0\n", "\(result)")
  }

  /// A killed program's socket is taken away by the next one, and the others hear each other.
  @Test func aKilledProgramIsInNobodysWay() throws {
    let result = try run(
      ["hears.mjs": Self.listens, "says.mjs": "new BroadcastChannel('news').postMessage('end')"],
      """
      "$NBRIDGE" run --container box hears.mjs > killed & k=$!
      wait_for killed ready; kill -9 $k; wait $k 2>/dev/null
      ls box/.channels | wc -l
      timeout 60 "$NBRIDGE" run --container box hears.mjs > hears & h=$!
      wait_for hears ready
      ls box/.channels | wc -l; stat -c %a box/.channels
      timeout 60 "$NBRIDGE" run --container box says.mjs; wait $h; cat hears; ls box/.channels | wc -l
      """)
    #expect(result.output == "1\n1\n700\nready\n\n0\n", "\(result)")
  }

  /// A script that posts for long without a turn of its loop goes no faster than who takes it; also two that
  /// tell each other as much.
  @Test(arguments: ["hears", "says"]) func aBurstIsLostToNobodyWhoTakesIt(_ other: String) throws {
    let result = try run(
      [
        "counts.mjs": """
        // They meet; then "says" has much to say.
        const channel = new BroadcastChannel("news"), meeting = new BroadcastChannel("meeting");
        let count = 0;
        channel.onmessage = ({ data: { length } }) => {
          if (length === 1 << 20) return void count++;
          console.log(count);
          channel.close();
        };
        const greeting = setInterval(() => meeting.postMessage("hello"), 10);
        meeting.onmessage = () => {
          meeting.postMessage("hello");
          meeting.close();
          clearInterval(greeting);
          if (nbridge.args[0] === "hears") return;
          for (let n = 0; n < 150; n++) channel.postMessage(new Uint8Array(1 << 20));
          channel.postMessage("end");
          if (nbridge.args[1] === "hears") channel.close();
        };
        """
      ],
      """
      timeout 60 "$NBRIDGE" run --container box counts.mjs \(other) says > other & o=$!
      timeout 60 "$NBRIDGE" run --container box counts.mjs says \(other) > says
      wait $o; cat other says
      """)
    #expect(result.output == (other == "says" ? "150\n150\n" : "150\n") && result.errors.isEmpty, "\(result)")
  }

  /// What waited for it is lost, which is said; what is posted when it takes something again is not.
  @Test func whoWasStoppedIsToldAgainWhenItGoesOn() throws {
    let result = try run(
      [
        "hears.mjs": """
        const channel = new BroadcastChannel("news");
        channel.onmessage = ({ data }) => {
          if (data !== "again") return;
          channel.postMessage("heard");
          channel.close();
          console.log("again");
        };
        console.log("ready");
        """,
        "says.mjs": """
        const channel = new BroadcastChannel("news");
        for (let n = 0; n < 80; n++) channel.postMessage(new Uint8Array(1 << 20));
        console.log("said");
        const saying = setInterval(() => channel.postMessage("again"), 50);
        channel.onmessage = () => {
          channel.close();
          clearInterval(saying);
        };
        """,
      ],
      """
      timeout 60 "$NBRIDGE" run --container box hears.mjs > hears & h=$!
      wait_for hears ready; p=$(pgrep -P $h || echo $h); kill -STOP $p
      timeout 60 "$NBRIDGE" run --container box says.mjs > says & s=$!
      wait_for says said; kill -CONT $p
      wait $s; wait $h; cat hears
      """)
    #expect(result.output == "ready\nagain\n", "\(result)")
    #expect(result.errors.contains("takes no messages of BroadcastChannel"), "\(result)")
  }

  /// Native objects are one program's: who gets a message with one hears that it can't be read.
  @Test func aKeyIsNoMessageToOtherPrograms() throws {
    let result = try run(
      [
        "hears.mjs": """
        const channel = new BroadcastChannel("news");
        channel.onmessageerror = () => console.log("none");
        channel.onmessage = ({ data }) => {
          console.log(data);
          channel.close();
        };
        console.log("ready");
        """,
        "says.mjs": """
        const key = await crypto.subtle.generateKey({ name: "AES-GCM", length: 128 }, false, ["encrypt"]);
        const channel = new BroadcastChannel("news");
        channel.postMessage({ deep: [key] });
        channel.postMessage("end");
        channel.close();
        """,
      ],
      """
      timeout 60 "$NBRIDGE" run --container box hears.mjs > hears & h=$!
      wait_for hears ready
      timeout 60 "$NBRIDGE" run --container box says.mjs; wait $h; cat hears
      """)
    #expect(result.output == "ready\nnone\nend\n" && result.errors.isEmpty, "\(result)")
  }

  /// One that is stopped takes nothing: who tells it something ends all the same.
  @Test func aStoppedProgramHoldsNobodyUp() throws {
    let result = try run(
      [
        "hears.mjs": Self.listens,
        "says.mjs": """
        const channel = new BroadcastChannel("news");
        for (let n = 0; n < 100; n++) channel.postMessage(new Uint8Array(1 << 20));
        console.log("said");
        """,
      ],
      """
      "$NBRIDGE" run --container box hears.mjs > hears & h=$!
      wait_for hears ready; kill -STOP $h
      timeout 30 "$NBRIDGE" run --container box says.mjs; echo $?
      kill -9 $h; wait $h 2>/dev/null
      """)
    #expect(result.output == "said\n0\n", "\(result)")
  }

  /// Whoever connects with the socket and says garbage is not heard, and ends nothing.
  @Test func garbageEndsItsOwnConnectionOnly() throws {
    let result = try run(
      [
        "hears.mjs": Self.listens, "says.mjs": "new BroadcastChannel('news').postMessage('end')",
        "garbage.py": """
        import os, socket, struct
        folder = "box/.channels"
        name = next(name for name in os.listdir(folder) if name[0] != ".")
        head = struct.pack
        hello = head("<IIII", 12 + 4, 4, 0, 0xFFFFFFFF) + b"none"
        def says(text, name=b"tnews"):
          return hello + head("<IIII", 12 + len(name) + len(text), len(name), len(text), 0) + name + text
        for said in (b"GET / HTTP/1.1\\r\\n\\r\\n" * 9, b"", head("<I", 5), head("<I", 0xFFFFFFFF) * 4,
                     head("<IIII", 12, 0, 0, 1 << 30), head("<IIII", 16, 3, 0, 0) + b"newsx",
                     says(b"{"), says(b"[1e15]"), says(b'{"0":999999}'), says(b'[0,7,"constructor"]'),
                     says(b'[0,7,"push"]'), says(b"[0,7,0.5]"), says(b"[0,7,-1]"), says(b"[0,7,0]"),
                     says(b"[0,8]"), says(b"[0]"), says(b"[1,2]", b"news"),
                     head("<IIII", 12 + 9, 9, 0, 0xFFFFFFFF) + b"../../etc", os.urandom(100000)):
            with socket.socket(socket.AF_UNIX) as client:
                client.connect(f"{folder}/{name}")
                try: client.sendall(said)
                except OSError: pass
        """,
      ],
      """
      timeout 60 "$NBRIDGE" run --container box hears.mjs > hears & h=$!
      wait_for hears ready
      python3 garbage.py
      timeout 60 "$NBRIDGE" run --container box says.mjs; wait $h; echo $?; cat hears
      """)
    #expect(result.output == "0\nready\n\n", "\(result)")
  }

  /// More connections than it takes at once, and more than it has descriptors for, keep nobody out for good.
  @Test(arguments: [300, 40]) func whoHadNoRoomIsHeardLater(connections: Int) throws {
    let limit = connections > 256 ? 2048 : 50
    let result = try run(
      [
        "hears.mjs": Self.listens, "says.mjs": "new BroadcastChannel('news').postMessage('end')",
        "crowd.py": """
        import os, socket, sys
        folder = "box/.channels"
        name = next(name for name in os.listdir(folder) if name[0] != ".")
        clients = [socket.socket(socket.AF_UNIX) for _ in range(int(sys.argv[1]))]
        for client in clients: client.settimeout(20)
        try:
            for client in clients: client.connect(f"{folder}/{name}")
        except OSError: pass
        """,
      ],
      """
      (ulimit -n \(limit); exec timeout 60 "$NBRIDGE" run --container box hears.mjs) > hears & h=$!
      wait_for hears ready
      python3 crowd.py \(connections)
      timeout 60 "$NBRIDGE" run --container box says.mjs; wait $h; echo $?; cat hears
      """)
    #expect(result.output == "0\nready\n\n", "\(result)")
  }
}

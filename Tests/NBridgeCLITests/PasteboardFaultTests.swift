// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// Pasteboards between processes, some of which are killed.
@Suite struct PasteboardFaultTests {
  func withRunner(_ body: (CommandRunner) throws -> Void) throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try body(runner)
  }

  /// Waits in a shell until a file has a line.
  static func until(_ file: String, has text: String) -> String {
    """
    n=0; until grep -q '\(text)' \(file); do n=$((n+1)); [ $n -gt 1000 ] && { echo 'never \(text)'; \
    cat \(file); break; }; sleep 0.02; done
    """
  }

  static let watcher = """
    const n = Number(nbridge.args[0]); let last = 0, seen = 0, missed = 0;
    const events = nbridge.pasteboard.watch(); console.error("ready");
    for await (const e of events) {
      if (e.changeCount !== last + 1 + e.coalesced) throw new Error(`after ${last} came ${e.changeCount}`);
      last = e.changeCount; seen++; missed += e.coalesced; if (e.isOwn) throw new Error("own");
      if (last >= n) break;
    }
    console.log(seen + missed, last);
    """
  static let writer = """
    const [n, me] = nbridge.args; for (let i = 0; i < Number(n);
      i++) await nbridge.pasteboard.set(`${me}${i}`, { concealed: true });
    """

  @Test func tenProcessesSeeEachOthersChangesInOrder() throws {
    try withRunner { runner in
      try runner.write(["w.js": Self.watcher, "s.js": Self.writer])
      let result = try runner.shell(
        """
        for i in 0 1 2 3 4; do nbridge run w.js 500 > seen.$i 2> ready.$i & done
        for i in 0 1 2 3 4; do \(Self.until("ready.$i", has: "ready")); done
        for i in 0 1 2 3 4; do nbridge run s.js 100 $i & done; wait; cat seen.* ready.*
        """)
      #expect(
        result.output == String(repeating: "500 500\n", count: 5) + String(repeating: "ready\n", count: 5),
        "\(result.errors)")
    }
  }

  @Test func ofTenReadersOneGetsWhatIsReadOnce() throws {
    try withRunner { runner in
      try runner.write([
        "r.js": """
        for (let i = 0; i < 50; i++) { const x = await nbridge.pasteboard.get({ name: `once${i}` });
          if (x !== null) console.log(x) }
        """,
        "s.js": """
        for (let i = 0; i < 50; i++) await nbridge.pasteboard.set(`v${i}`,
          { name: `once${i}`, readOnce: true, persistent: true })
        """,
      ])
      let result = try runner.shell(
        """
        nbridge run s.js; for i in 0 1 2 3 4 5 6 7 8 9; do nbridge run r.js & done > got; wait; sort got | \
        uniq | wc -l; wc -l < got
        """)
      #expect(result.output == "50\n50\n", "\(result.errors)")
    }
  }

  @Test func whatAKilledOwnerMadeGoesAndWatchersHearOfIt() throws {
    try withRunner { runner in
      try runner.write([
        "o/o.js": """
        await nbridge.pasteboard.set('x', { name: 'mine' });
        await nbridge.pasteboard.set('k', { name: 'kept', persistent: true }); console.log('made');
        setTimeout(() => {}, 1e6)
        """,
        "w.js":
          """
        const e = nbridge.pasteboard.watch({ name: 'mine' });
        console.log(await nbridge.pasteboard.get({ name: 'mine' }));
        for await (const { change, source } of e) { console.log(change, source ?? 'by nobody');
          if (change === 'removed') break }
        """,
        "c.js": """
        console.log((await nbridge.pasteboard.list()).map((b) => b.name),
          await nbridge.pasteboard.get({ name: 'mine' }))
        """,
      ])
      let result = try runner.shell(
        """
        "$NBRIDGE" run o/o.js > made & owner=$!; \(Self.until("made", has: "made"))
        nbridge run w.js > heard & watcher=$!; \(Self.until("heard", has: "x"))
        kill -9 $owner; wait $watcher; cat heard; nbridge run c.js; ls home/.run/owners | wc -l
        """)
      #expect(result.output == "x\nremoved by nobody\n[ 'kept' ] null\n0\n", "\(result.errors)")
    }
  }

  @Test func aKilledWatcherIsMissedByNobody() throws {
    try withRunner { runner in
      try runner.write(["w.js": Self.watcher, "s.js": Self.writer])
      let result = try runner.shell(
        """
        "$NBRIDGE" run w.js 500 2> ready.0 & killed=$!; nbridge run w.js 200 2> ready.1 & watcher=$!
        for i in 0 1; do \(Self.until("ready.$i", has: "ready")); done
        nbridge run s.js 100 a; kill -9 $killed; nbridge run s.js 100 b; wait $watcher; echo "status $?"
        """)
      #expect(result.output == "200 200\nstatus 0\n", "\(result.errors)")
    }
  }

  @Test func aKilledWriterLeavesTheOldContentOrTheNew() throws {
    try withRunner { runner in
      try runner.write([
        "s.js": """
        for (let i = Number(nbridge.args[0]); ; i++) { const b = new Uint8Array(200_000).fill(i % 256);
          await nbridge.pasteboard.set({ 'a/b': b, text: `${i % 256}` }); console.log(i) }
        """,
        "c.js": """
        const [{ 'a/b': b, 'text/plain': t }] = await nbridge.pasteboard.items();
        if (b.length !== 200_000 || b.some((x) => x !== Number(t))) throw new Error('a mix');
        console.log('whole');
        """,
      ])
      for start in stride(from: 0, to: 80, by: 10) {
        let acks = Int.random(in: 1...60)
        let result = try runner.shell(
          """
          : > acks; "$NBRIDGE" run s.js \(start) > acks & pid=$!
          while [ "$(wc -l < acks)" -lt \(acks) ]; do :; done; kill -9 $pid; wait $pid 2> /dev/null; \
          nbridge run c.js
          """)
        #expect(result.output == "whole\n", "\(result.errors)")
      }
      // Files of changes that were not committed go when they are old.
      let after = try runner.shell(
        """
        touch home/.shared/pasteboard/blobs/left; touch -d '2 hours ago' home/.shared/pasteboard/blobs/*; \
        nbridge run c.js; ls home/.shared/pasteboard/blobs/left; stat -c %a home/.shared/pasteboard \
        home/.shared/pasteboard/*.db home/.shared/pasteboard/blobs/* | sort -u
        """
      )
      #expect(after.output == "whole\n600\n700\n", "\(after.output)")
    }
  }

  /// SQLite's locks belong to the process: a process that also closes the file by itself loses them, and with
  /// them the log.
  @Test func nothingIsLostWhenLongLogsAreWrittenBack() throws {
    try withRunner { runner in
      try runner.write([
        "a.js": """
        const p = nbridge.pasteboard, big = "x".repeat(60_000);
        for (let i = 0; i < 400; i++) await p.set(big, { concealed: true });
        console.log("ready"); while (await p.get({ name: "go" }) === null) await new Promise((r) =>
          setTimeout(r, 5));
        await p.set("from a", { name: "a", persistent: true });
        """,
        "c.js": """
        console.log(await nbridge.pasteboard.changeCount(), await nbridge.pasteboard.get({ name: 'a' }))
        """,
      ])
      let result = try runner.shell(
        """
        "$NBRIDGE" run a.js > out & pid=$!; \(Self.until("out", has: "ready"))
        nbridge run c.js; nbridge run c.js;
        nbridge eval 'await nbridge.pasteboard.set("x", { name: "go", persistent: true })'; wait $pid;
        nbridge run c.js
        """)
      #expect(result.output == "400 null\n400 null\n400 from a\n", "\(result.errors)")
    }
  }

  @Test func whoTouchesAPresenceHoldsNobodyUp() throws {
    try withRunner { runner in
      try runner.write([
        "s.js":
          """
        const p = nbridge.pasteboard; await p.set('x', { name: 'mine' });
        p.watch({ holdsOpen: false }, () => {}); console.log('made');
        while (await p.get({ name: 'end' }) === null) await new Promise((r) => setTimeout(r, 5));
        console.log(await p.get({ name: 'mine' }))
        """
      ])
      let result = try runner.shell(
        """
        "$NBRIDGE" run s.js > out & pid=$!; \(Self.until("out", has: "made")); for f in home/.run/owners/*; \
        do : >> $f; done
        nbridge eval 'await nbridge.pasteboard.set("x", { name: "end", persistent: true })'; wait $pid;
        cat out
        """)
      #expect(result.output == "made\nx\n", "\(result.errors)")
    }
  }

  @Test func aWatchOutlivesItsStore() throws {
    try withRunner { runner in
      try runner.write([
        "w.js": """
        let n = 0; const e = nbridge.pasteboard.watch(); console.log('ready');
        for await (const c of e) { console.log(c.changeCount); if (++n === 3) break }
        """
      ])
      let result = try runner.shell(
        """
        nbridge eval 'await nbridge.pasteboard.set("0")'; "$NBRIDGE" run w.js > out & pid=$!;
        \(Self.until("out", has: "ready"))
        nbridge eval 'await nbridge.pasteboard.set("1")'; \(Self.until("out", has: "2")); rm -rf home/.shared
        nbridge eval 'await nbridge.pasteboard.set("2")'; nbridge eval 'await nbridge.pasteboard.set("3")';
        wait $pid; cat out
        """)
      #expect(result.output == "ready\n2\n1\n2\n", "\(result.errors)")
    }
  }

  @Test func aStoreThatIsTakenAwayIsMadeAnew() throws {
    try withRunner { runner in
      try runner.write([
        "s.js": """
        const p = nbridge.pasteboard; console.log(await p.set('a'));
        while (await p.get() !== null) await new Promise((r) => setTimeout(r, 5));
        console.log(await p.set('b'), await p.get())
        """
      ])
      let result = try runner.shell(
        """
        nbridge run s.js > out & pid=$!; \(Self.until("out", has: "1")); rm -rf home/.shared; wait $pid; \
        cat out
        """)
      #expect(result.output == "1\n1 b\n", "\(result.errors)")
    }
  }

  /// Sets boards of its own, one after the other, and says each that was acknowledged.
  static let boards = """
    const me = nbridge.args[0];
    for (let n = 0; n < 150; n++) {
      await nbridge.pasteboard.set(`${me}-${n}`, { name: `${me}-${n}`, persistent: true }); console.log(n);
      await new Promise((done) => setTimeout(done, 2));
    }
    """
  /// The boards of each writer that have what was put there, as numbers, one writer a line.
  static let boardsThere = """
    const p = nbridge.pasteboard, names = [];
    for (const { name } of await p.list()) if (await p.get({ name }) === name) names.push(name);
    for (let me = 1; me <= 6; me++) {
      const own = names.filter((name) => name.startsWith(`${me}-`)).map((name) =>
        Number(name.slice(2))).sort((a, b) => a - b);
      console.log(own.join(" "));
    }
    """

  @Test(arguments: [
    // Pages that hold rows, the log, all of it; the files themselves.
    "dd if=/dev/urandom of=$f bs=1024 seek=1 count=$((s / 1024 - 1)) conv=notrunc",
    """
    dd if=/dev/urandom of=$f bs=1024 count=$((s / 1024)) conv=notrunc; \
    dd if=/dev/urandom of=$f-wal bs=1024 count=100 conv=notrunc
    """,
    "dd if=/dev/urandom of=$f-wal bs=1024 count=100 conv=notrunc", "rm -f $f $f-wal",
  ])
  func whatIsSetAfterDamageIsKeptByAll(_ damage: String) throws {
    try withRunner { runner in
      try runner.write(["writer.js": Self.boards, "reader.js": Self.boardsThere])
      let result = try runner.shell(
        """
        nbridge eval --container c 'for (let n = 0; n < 300; n++) await \
        nbridge.pasteboard.set("x".repeat(300), { name: "old" + n, persistent: true })'
        for me in 1 2 3 4 5 6; do "$NBRIDGE" run --container c writer.js $me > told.$me & \
        writers="$writers $!"; done
        until [ "$(wc -l < told.6)" -gt 20 ]; do sleep 0.01; done
        f=home/.shared/pasteboard/pasteboards.db; s=$(stat -c %s $f); { \(damage); } 2> /dev/null; \
        cat told.? | wc -l
        wait $writers; for me in 1 2 3 4 5 6; do wc -l < told.$me; done | tr '\\n' ' '; echo; \
        nbridge run --container c reader.js
        """)
      let lines = result.output.split(separator: "\n", omittingEmptySubsequences: false)
      #expect(lines.count > 7 && lines[1] == "150 150 150 150 150 150 ", "\(result)")
      for own in lines.dropFirst(2).prefix(6) {
        let numbers = own.split(separator: " ").compactMap { Int($0) }
        // A key that was set before may be gone with its page; from somewhere on none is missing.
        #expect(numbers.last == 149, "\(result)")
        let first = Array(zip(numbers, numbers.dropFirst())).last { $1 != $0 + 1 }?.1 ?? numbers.first ?? 150
        #expect(first < 149, "\(own)")
      }
      let aside = try runner.shell("ls home/.shared/pasteboard | grep damaged | grep -cv 'wal\\|shm'").output
      // A writer whose `set` is caught by the damage comes again, and replaces what was saved of it: what has
      // gone is in no file, so that what was set aside since goes with it (PasteboardErasureTests).
      let told = result.errors.components(separatedBy: "were damaged").count - 1
      #expect(Int(aside.dropLast()) ?? 0 <= told, "\(result.errors)")
    }
  }

  @Test func whatWasAcknowledgedOutlivesKills() throws {
    try withRunner { runner in
      try runner.write(["writer.js": Self.boards, "reader.js": Self.boardsThere])
      let result = try runner.shell(
        """
        for round in 1 2 3 4 5 6 7 8 9 10; do
          rm -rf home told.*; writers=
          for me in 1 2 3; do "$NBRIDGE" run --container c writer.js $me > told.$me & writers="$writers $!"; \
        done
          until [ -s told.1 ] && [ -s told.2 ] && [ -s told.3 ]; do sleep 0.005; done
          for writer in $writers; do sleep 0.0$round; kill -9 $writer; done; wait $writers 2> /dev/null
          nbridge run --container c reader.js > there
          for me in 1 2 3; do
            told=$(wc -l < told.$me); there=$(sed -n ${me}p there | wc -w)
            # The next one may be there before the line that tells the last one goes out.
            [ $there -ge $told ] && [ $there -le $((told + 2)) ] || echo "round $round, writer $me: \
        told $told, there $there"
          done
        done; echo over
        """)
      #expect(result.output == "over\n", "\(result)")
    }
  }

  @Test func whoseBoardIsNotSharedTellsOthersNothingOfIt() throws {
    try withRunner { runner in
      try runner.write([
        "w.js": """
        const all = nbridge.pasteboard.watchAll(); console.log('ready');
        for await (const { name } of all) { console.log(name); if (name === 'last') break }
        """,
        "s.js": """
        const p = nbridge.pasteboard; await p.set('x', { name: 'own', shared: false, persistent: true });
        await p.set('y', { name: 'last' })
        """,
      ])
      let result = try runner.shell(
        """
        "$NBRIDGE" run --container other w.js > out & w=$!; \(Self.until("out", has: "ready"))
        nbridge run --container c s.js; wait $w; cat out
        """)
      #expect(result.output == "ready\nlast\n", "\(result)")
    }
  }

  @Test func noSecretGetsIntoTracesLogsOrErrors() throws {
    try withRunner { runner in
      try runner.write([
        "s.js": """
        const p = nbridge.pasteboard, secret = ["hunter", 2].join("-");
        await p.set(secret, { concealed: true }); await p.get(); await p.items(); await p.history();
        await p.set({ "bad\\n": "hunter-2-secret" }).catch((e) => console.error(e.message, e.stack,
          e.details));
        await p.set(secret, { name: "", concealed: true });
        """
      ])
      let result = try runner.shell(
        """
        nbridge run --trace --trace-file trace --audit s.js 2>&1; cat trace; \
        nbridge run --json-errors s.js 2>&1
        """)
      #expect(result.output.contains("pasteboard.write") && result.output.contains("option.name must have"))
      #expect(!result.output.contains("hunter-2"), "\(result.output)")
    }
  }
}

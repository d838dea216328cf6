// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// What happens to files when processes are killed, disks are full, and two programs write at once: real
/// processes.
@Suite struct DocumentsFaultTests {
  func withRunner(_ body: (CommandRunner) throws -> Void) throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try body(runner)
  }

  static let writer = """
    const d = nbridge.documents;
    for (let n = Number(nbridge.args[0]); ; n++) { await d.write("f", `${n} `.repeat(2000)); console.log(n) }
    """
  static let checker = """
    const parts = (await nbridge.documents.read("f")).trim().split(" ");
    const names = (await nbridge.documents.list().toArray()).map((entry) => entry.name);
    if (parts.length !== 2000 || parts.some((part) => part !== parts[0])) throw new Error("a mix");
    console.log(parts[0], names.join());
    """

  @Test func aKilledWriterLosesNothingThatWasAcknowledgedAndLeavesNoMix() throws {
    try withRunner { runner in
      try runner.write(["w.js": Self.writer, "c.js": Self.checker])
      // At moments that differ from run to run; together they are spread over a thousand writes.
      for _ in 0..<8 {
        let acks = Int.random(in: 1...250)
        let result = try runner.shell(
          """
          : > acks; "$NBRIDGE" run --container c w.js 1 > acks & pid=$!
          while [ "$(wc -l < acks)" -lt \(acks) ]; do :; done
          kill -9 $pid; wait $pid 2> /dev/null
          tail -n 1 acks; nbridge run --container c c.js
          """)
        let lines = result.output.split(separator: "\n")
        let acknowledged = Int(lines.first ?? "") ?? .max
        let found = lines.dropFirst().first?.split(separator: " ").map(String.init) ?? []
        #expect(found.count == 2 && found[1] == "f", "\(result.output) \(result.errors)")
        // Those that were being acknowledged may have taken their places already; what the program printed
        // of them was in its buffer.
        #expect(Int(found.first ?? "").map { $0 >= acknowledged } == true, "\(result.output)")
      }
      // Files that a kill left on their way are gone once a program writes again.
      try runner.write(["o.js": "await nbridge.documents.write('f', 'x')"])
      let after = try runner.shell("nbridge run --container c o.js; ls -A c/.staging c/Documents")
      #expect(
        after.output == "c/.staging:\n\nc/Documents:\nf\n"
          || after.output == "c/Documents:\nf\n\nc/.staging:\n", "\(after.output)")
    }
  }

  /// In a container (as Docker's) each process is number 1, and so was each that was killed.
  @Test func whatAKilledProcessLeftIsInNobodysWayWhateverItsNumberWas() throws {
    try withRunner { runner in
      guard try runner.shell("unshare --user --map-root-user --pid --fork true").status == 0 else {
        print("SKIPPED: this machine lets nobody make a process namespace")
        return
      }
      try runner.write([
        "w.js": """
        for (let n = 0; ; n++) { await nbridge.documents.write("f", `${n} `.repeat(20000)); console.log(n) }
        """,
        "c.js": """
        for (let n = 0; n < 20; n++) await nbridge.documents.write('f', `${n}`); console.log('written')
        """,
      ])
      for round in 0..<6 {
        let result = try runner.shell(
          """
          : > acks; inside="unshare --user --map-root-user --pid --fork --kill-child=KILL"
          $inside "$NBRIDGE" run --container c w.js > acks & pid=$!
          while [ "$(wc -l < acks)" -lt \(5 + 7 * round) ]; do :; done
          kill -9 $pid; wait $pid 2> /dev/null
          $inside "$NBRIDGE" run --container c c.js
          """)
        #expect(result.output == "written\n", "\(result.errors)")
      }
      #expect(try runner.shell("ls -A c/.staging").output == "", "what kills left is still there")
    }
  }

  /// A removal moves the thing into a folder made for it: a kill before that leaves the folder and no thing.
  @Test func aKilledRemovalLosesNothingAndLeavesNoEmptyEntry() throws {
    try withRunner { runner in
      try runner.write([
        "r.js": """
        const d = nbridge.documents;
        for (let n = 0; ; n++) { await d.write(`f${n}`, "x", { durable: false }); await d.remove(`f${n}`);
          console.log(n) }
        """,
        "c.js": """
        const d = nbridge.documents, items = await d.trash(),
          there = (await d.list().toArray()).map((e) => e.name);
        const last = Number(nbridge.args[0]), names = items.map((item) => item.path);
        for (let n = 0; n <= last; n++) if (
          names.filter((name) => name === `f${n}`).length !== 1) throw new Error(`f${n} is lost`);
        for (const item of items) await d.restore(item.id);
        for (const name of names) if (await d.read(name) !== "x") throw new Error(`${name} is damaged`);
        console.log(await d.emptyTrash(), (await d.trash()).length);
        for await (const entry of d.list()) await d.remove(entry.name, { permanently: true });
        """,
        "w.js": """
        await nbridge.documents.write('w', ''); await nbridge.documents.remove('w', { permanently: true })
        """,
      ])
      for _ in 0..<8 {
        let result = try runner.shell(
          """
          : > acks; "$NBRIDGE" run --container c r.js > acks & pid=$!
          while [ "$(wc -l < acks)" -lt \(Int.random(in: 1...60)) ]; do :; done
          kill -9 $pid; wait $pid 2> /dev/null
          nbridge run --container c c.js $(tail -n 1 acks); nbridge run --container c w.js; \
          ls -A c/.trash c/.staging
          """)
        #expect(result.output == "0 0\nc/.staging:\n\nc/.trash:\n", "\(result.output) \(result.errors)")
      }
    }
  }

  /// The folder of a trashed thing is made before the thing comes: a program that looks does not take it away
  /// from the one that is at it.
  @Test func anEmptyEntryOfTheTrashGoesUnlessSomebodyIsAtIt() throws {
    try withRunner { runner in
      try runner.write(["t.js": "console.log((await nbridge.documents.trash()).length)"])
      let result = try runner.shell(
        """
        nbridge run --container c t.js; mkdir -p c/.trash/1-1-1 c/.trash/2-2-2
        echo '{"id":"1-1-1","directory":"documents","path":"x","removed":"2026-01-01T00:00:00Z"}' > \
        c/.trash/1-1-1/note
        flock c/.trash/2-2-2 "$NBRIDGE" run --container c t.js; ls c/.trash; nbridge run --container c t.js; \
        ls c/.trash
        """)
      #expect(result.output == "0\n0\n2-2-2\n0\n", "\(result.output) \(result.errors)")
    }
  }

  @Test func twoProcessesThatWriteOneFileNeverMix() throws {
    try withRunner { runner in
      try runner.write([
        "w.js": """
        for (let n = 0; n < 500; n++) await nbridge.documents.write('f',
          `${nbridge.args[0]}${n} `.repeat(2000), { durable: false })
        """,
        "c.js": Self.checker.replacingOccurrences(
          of: "const parts", with: "for (let i = 0; i < 300; i++) { const parts"
        )
        .replacingOccurrences(of: "console.log", with: "} console.log(1); //"),
      ])
      let result = try runner.shell(
        """
        nbridge run --container c w.js a0 2> e1; "$NBRIDGE" run --container c w.js a 2>> e1 & a=$!
        "$NBRIDGE" run --container c w.js b 2>> e1 & b=$!
        nbridge run --container c c.js; wait $a && wait $b && echo done; cat e1
        """)
      #expect(result.output == "1\ndone\n", "\(result.output) \(result.errors)")
    }
  }

  @Test func aFullDiskIsSaidAndTheOldContentStays() throws {
    try withRunner { runner in
      try runner.write([
        "s.js": """
        const d = nbridge.documents, big = new Uint8Array(2 << 20);
        const t = async (f) => { try { await f();
          console.log("done") } catch (e) { console.log(e.code, e.message) } };
        await d.write("f", "old");
        await t(() => d.write("f", big)); await t(() => d.write("g", big));
        await t(() => d.copy("/f".slice(1), "h"));
        console.log(await d.read("f"), (await d.list().toArray()).map((e) => e.name).join());
        await t(async () => { const w = await d.writer("w"); await w.write(big); await w.close() });
        await t(() => d.append("f", big)); await d.write("small", "x"); console.log(await d.read("small"));
        """
      ])
      let result = try runner.shell(
        """
        mkdir c; unshare -rm sh -c 'mount -t tmpfs -o size=1m none c && \
        exec "$0" run --container c s.js' "$NBRIDGE"
        """)
      #expect(
        result.output == """
          quota_exceeded can't write 'f': no space is left; remove something, or ask for less
          quota_exceeded can't write 'g': no space is left; remove something, or ask for less
          done
          old f,h
          quota_exceeded can't write 'w': no space is left; remove something, or ask for less
          quota_exceeded can't write 'f': no space is left; remove something, or ask for less
          x

          """, "\(result.output) \(result.errors)")
    }
  }

  @Test func aFileThatWouldBeTooLargeForTheSystemIsSaidAndNothingOfItStays() throws {
    let script = """
      const d = nbridge.documents, big = "x".repeat(3e6);
      await d.write("old", "old"); await d.append("log", "before");
      for (const write of [() => d.write("old", big), () => d.append("log", big),
        () => nbridge.preference.set("k", big)])
        await write().catch((error) => console.log(error.code));
      console.log(await d.read("old"), await d.read("log"), await nbridge.preference.get("k"));
      """
    try withRunner { runner in
      try runner.write(["s.js": script, "p.js": "await nbridge.preference.set('first', 1)"])
      let result = try runner.shell(
        "nbridge run --container c p.js; ulimit -f 1000; nbridge run --container c s.js")
      #expect(result.output == "too_large\ntoo_large\nio_error\nold before null\n", "\(result)")
      #expect(result.status == 0, "\(result)")
    }
  }

  @Test func aDiskThatCanOnlyBeReadIsSaid() throws {
    try withRunner { runner in
      try runner.write([
        "s.js": """
        try { await nbridge.documents.write('f', 'x') } catch (e) { console.log(e.code,
          e.message) } console.log(await nbridge.documents.read('f'))
        """
      ])
      let result = try runner.shell(
        "nbridge eval --container c 'await nbridge.documents.write(\"f\", \"old\")'; "
          + "unshare -rm sh -c 'mount --bind c/Documents c/Documents && mount -o remount,bind,ro "
          + "c/Documents && exec \"$0\" run --container c s.js' \"$NBRIDGE\"")
      #expect(
        result.output == "permission_denied can't write 'f': the disk is read-only\nold\n",
        "\(result.output) \(result.errors)")
    }
  }

  @Test func aFileThatGoesWhileItIsReadIsReadToItsEnd() throws {
    try withRunner { runner in
      try runner.write([
        "s.js": """
        const d = nbridge.documents; await d.write("f", new Uint8Array(3 << 20).fill(7));
        let size = 0;
        for await (const piece of d.chunks("f", { size: 1 << 18 })) { if (size === 0) await d.remove("f",
          { permanently: true }); size += piece.length }
        console.log(size, await d.exists("f"));
        """
      ])
      let result = try runner.shell("nbridge run --container c s.js")
      #expect(result.output == "3145728 false\n", "\(result.errors)")
    }
  }
}

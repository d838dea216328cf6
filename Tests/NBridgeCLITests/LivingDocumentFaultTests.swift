// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// Open documents whose program is killed or stopped, and two programs with one document: real processes.
@Suite struct LivingDocumentFaultTests {
  func withRunner(_ body: (CommandRunner) throws -> Void) throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try body(runner)
  }

  static let saver = """
    const doc = await nbridge.documents.open("f");
    for (let n = Number(nbridge.args[0]); ; n++) { doc.set(`${n} `.repeat(2000)); await doc.save();
      console.log(n) }
    """
  static let packer = """
    const doc = await nbridge.documents.open("p", { format: "package", members: { ".txt": "text" } });
    const kept = "k".repeat(5000);
    for (let n = Number(nbridge.args[0]); ; n++) {
      doc.set({ "a.txt": `${n} `.repeat(1000), "deep/b.txt": `${n} `.repeat(1000), "kept.txt": kept });
      await doc.save(); console.log(n);
    }
    """
  static let check = """
    const d = nbridge.documents, [kind] = nbridge.args;
    const text = kind === "f" ? await d.read("f") : await d.read("p/a.txt") + await d.read("p/deep/b.txt");
    const parts = text.trim().split(" "), names = (await d.list().toArray()).map((entry) => entry.name);
    if (parts.length !== 2000 || parts.some((part) => part !== parts[0])) throw new Error("a mix");
    if (kind === "p" && (await d.read("p/kept.txt")).length !== 5000) throw new Error("a member is lost");
    console.log(parts[0], names.join());
    """

  /// Kills at moments that differ from run to run; together they are spread over a thousand saves.
  @Test(arguments: [("f", saver), ("p", packer)])
  func aKilledSaverLosesNothingThatWasAcknowledged(_ kind: String, _ script: String) throws {
    try withRunner { runner in
      try runner.write([
        "s.js": script, "c.js": Self.check,
        "w.js": """
        await nbridge.documents.remove('p', { permanently: true }).catch(() => {});
        await nbridge.documents.write('f', 'x')
        """,
      ])
      for _ in 0..<8 {
        let acks = Int.random(in: 1...250)
        let result = try runner.shell(
          """
          : > acks; "$NBRIDGE" run --container c s.js 1 > acks & pid=$!
          while [ "$(wc -l < acks)" -lt \(acks) ]; do :; done
          kill -9 $pid; wait $pid 2> /dev/null
          tail -n 1 acks; nbridge run --container c c.js \(kind)
          """)
        let lines = result.output.split(separator: "\n")
        let acknowledged = Int(lines.first ?? "") ?? .max
        let found = lines.dropFirst().first?.split(separator: " ").map(String.init) ?? []
        #expect(found.count == 2 && found[1] == kind, "\(result.output) \(result.errors)")
        // Those that were being acknowledged may have taken their place already: what is said goes out at the
        // end of a stretch, in which saves that are quick follow one another.
        #expect((acknowledged...acknowledged + 40).contains(Int(found.first ?? "") ?? -1), "\(result.output)")
      }
      let after = try runner.shell(
        "nbridge run --container c w.js; ls -A c/.staging; ls -A c/Documents")
      #expect(after.output == "f\n", "what kills left on their way is still there")
    }
  }

  /// Each process adds its marks to the list that it finds; a save that was lost would be a mark that is
  /// missing.
  @Test func twoProcessesThatSaveOneDocumentAThousandTimesLoseNothing() throws {
    try withRunner { runner in
      try runner.write([
        "s.js": """
        const me = nbridge.args[0];
        const doc = await nbridge.documents.open("n.json", { format: "json", autosave: false });
        let conflicts = 0;
        for (let i = 0; i < 500; ) {
          doc.set({ marks: [...(doc.content.marks ?? []), me + i] });
          try { await doc.save(); i++ } catch (error) {
            if (error.code !== "conflict") throw error;
            conflicts++;
            while (doc.state === "inConflict") await doc.resolve({ keep: "theirs" }).catch(() => {});
          }
        }
        await doc.close(); console.error(me, conflicts);
        """,
        "c.js": """
        const { marks } = await nbridge.documents.read("n.json", { format: "json" });
        console.log(marks.length, new Set(marks).size, (await nbridge.documents.list().toArray()).length);
        """,
      ])
      let result = try runner.shell(
        """
        "$NBRIDGE" run --container c s.js a & a=$!; "$NBRIDGE" run --container c s.js b & b=$!
        wait $a && wait $b && nbridge run --container c c.js; ls -A c/.staging
        """)
      #expect(result.output == "1000 1000 1\n", "\(result.errors)")
    }
  }

  /// In a loop that never comes back, in an `await`, and when the terminal goes away.
  @Test(arguments: [
    ("INT", 130, "for (;;);"), ("INT", 130, "await new Promise((r) => setTimeout(r, 1e6))"),
    ("TERM", 143, "setTimeout(() => {}, 1e6)"), ("HUP", 129, "setTimeout(() => {}, 1e6)"),
  ])
  func aSignalSavesWhatIsUnsaved(_ signal: String, _ status: Int, _ rest: String) throws {
    try withRunner { runner in
      try runner.write([
        "s.js": "const doc = await nbridge.documents.open('f'); doc.set('kept'); "
          + "console.error('ready'); \(rest)"
      ])
      let result = try runner.shell(
        """
        "$NBRIDGE" run --container c s.js 2> out & pid=$!; while [ ! -s out ]; do :; done
        kill -\(signal) $pid; wait $pid; echo $?; cat c/Documents/f
        """)
      #expect(result.output == "\(status)\nkept", "\(result.errors)")
    }
  }

  /// One wish to stop comes twice, and the script holds the loop: an impatient program would take the second
  /// for force.
  @Test(arguments: ["for (;;);", "setTimeout(() => {}, 1e6)"])
  func oneStopThatArrivesTwiceSavesWhatIsUnsaved(_ rest: String) throws {
    try withRunner { runner in
      try runner.write([
        "s.js": "const doc = await nbridge.documents.open('f'); doc.set('kept'); "
          + "console.error('ready'); \(rest)"
      ])
      let result = try runner.shell(
        """
        "$NBRIDGE" run --container c s.js 2> out & pid=$!; while [ ! -s out ]; do :; done
        kill -TERM $pid; kill -CONT $pid; kill -TERM $pid; sleep 0.1; kill -TERM $pid; wait $pid; echo $?; \
        cat c/Documents/f
        timeout 2 "$NBRIDGE" run --container d s.js 2> /dev/null; cat d/Documents/f
        """)
      #expect(result.output == "143\nkeptkept", "\(result.errors)")
    }
  }

  @Test(arguments: [
    "Array.prototype.flatMap = Array.prototype.map = Array.prototype.push = () => { throw 1 }",
    "Set.prototype[Symbol.iterator] = Array.prototype[Symbol.iterator] = () => { throw 1 }",
    "Promise.prototype.catch = Promise.prototype.then = () => { throw 1 }",
    "String.prototype.toWellFormed = Object.entries = Object.prototype.toJSON = () => { throw 1 }",
  ])
  func pollutedPrototypesLoseNoDocument(_ pollution: String) throws {
    try withRunner { runner in
      try runner.write([
        "s.js": """
        const doc = await nbridge.documents.open("f"); doc.set("kept");
        const bytes = await nbridge.documents.open("b", { format: "bytes" });
        bytes.set(new Uint8Array([65, 66]));
        const pack = await nbridge.documents.open("p", { format: "package" });
        pack.set({ "a.txt": "in a package" });
        \(pollution);
        exit(3);
        """
      ])
      let result = try runner.shell(
        "nbridge run --container c s.js; echo $?; cat c/Documents/f c/Documents/b c/Documents/p/a.txt")
      #expect(result.output == "3\nkeptABin a package", "\(result.errors)")
    }
  }

  /// The kernel tells what is watched.
  @Test func anOpeningThatNobodyWaitsForLeavesNothing() throws {
    try withRunner { runner in
      try runner.write([
        "s.js": """
        const d = nbridge.documents; await d.write("f", "x"); const kept = await d.open("f");
        for (let i = 0; i < 30; i++) {
          await d.makeDirectory("d" + i); const stop = new AbortController();
          const opening = d.open("d" + i + "/f", {}, { signal: stop.signal }); stop.abort();
          await opening.catch(() => {});
        }
        await new Promise((resolve) => setTimeout(resolve, 300)); console.error("ready");
        setTimeout(() => {}, 1e6);
        """
      ])
      let result = try runner.shell(
        """
        "$NBRIDGE" run --container c s.js 2> out & pid=$!; while [ ! -s out ]; do :; done
        cat /proc/$pid/fdinfo/* | grep -c "^inotify wd"; kill $pid; wait $pid
        """)
      #expect(result.output == "1\n", "\(result.errors)")
    }
  }

  @Test func aFullDiskAtTheEndIsSaidAndTheOldContentStays() throws {
    try withRunner { runner in
      try runner.write([
        "s.js": """
        const doc = await nbridge.documents.open("f"); doc.set("old"); await doc.save();
        doc.set("x".repeat(2 << 20));
        """
      ])
      let result = try runner.shell(
        """
        mkdir c; unshare -rm sh -c 'mount -t tmpfs -o size=1m none c && "$0" run --container c s.js; \
        echo $?; cat c/Documents/f' "$NBRIDGE"
        """
      )
      #expect(result.output == "1\nold", "\(result.errors)")
      #expect(result.errors.contains("can't write 'f': no space is left"), "\(result.errors)")
    }
  }

  /// A million changes between two turns of the script: few events, and the last thing that happened is among
  /// them.
  @Test func aBurstOfAMillionChangesIsJoinedOrSaidToBeTooMuch() throws {
    try withRunner { runner in
      try runner.write([
        "s.js": """
        const d = nbridge.documents; await d.write("a", ""); await d.write("b", ""); console.log("ready");
        let events = 0, overflows = 0;
        for await (const { kind, path } of d.watch("")) {
          events++;
          if (kind === "overflow") overflows++;
          if (path === "end" || (kind === "overflow" && await d.exists("end"))) break;
        }
        console.log(events < 300_000, events, overflows);
        """,
        "burst.pl": """
        open(my $a, ">", "c/Documents/a"); open(my $b, ">", "c/Documents/b");
        for (1..500000) { syswrite($a, "x"); syswrite($b, "x"); }
        open(my $e, ">", "c/Documents/end"); close($e);
        """,
      ])
      let result = try runner.shell(
        """
        "$NBRIDGE" run --container c --timeout 60 s.js > out & pid=$!; while [ ! -s out ]; do :; done
        while [ -z "$(grep -l inotify /proc/$pid/fdinfo/* 2> /dev/null)" ]; do :; done
        LC_ALL=C perl burst.pl; wait $pid; echo $?; sed -n 2p out
        """)
      #expect(result.output.hasPrefix("0\ntrue "), "\(result.output) \(result.errors)")
    }
  }

  /// More than the kernel keeps (16,384) and more than is kept here (65,536) while the script is busy with
  /// something else.
  @Test func moreFilesThanCanBeKeptAreAllToldOrAnOverflow() throws {
    try withRunner { runner in
      try runner.write([
        "s.js": """
        const d = nbridge.documents; const watch = d.watch("many"); console.log("ready");
        const start = Date.now(); while (Date.now() - start < 60_000 && !await d.exists("done"));
        const seen = new Set(); let told = false;
        for await (const { kind, path }
          of watch) if (told = kind === "overflow" || seen.add(path).size === 70_000) break;
        console.log(told);
        console.log((await d.list("many", { sort: "none" }).toArray()).length);
        """,
        "many.pl": """
        for (1..70000) { open(my $f, ">", "c/Documents/many/$_"); close($f); }
        open(my $e, ">", "c/Documents/done");
        """,
      ])
      let result = try runner.shell(
        """
        mkdir -p c/Documents/many; "$NBRIDGE" run --container c s.js > out & pid=$!; while [ ! -s out ]; \
        do :; done
        LC_ALL=C perl many.pl; wait $pid; sed 1d out
        """)
      #expect(result.output == "true\n70000\n", "\(result.errors)")
    }
  }
}

// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// A content that has gone from a pasteboard has gone from every file: real processes, and all bytes of all
/// files looked through.
@Suite struct PasteboardErasureTests {
  /// Shared by the tests' shell lines. Secrets are `TOK-…-`, many times over, so that no page's border hides
  /// them all.
  static let head = """
    hold() { "$NBRIDGE" run hold.js > held & holder=$!; until grep -qs holding held; do kill -0 $holder || \
    break; sleep 0.02; done; }
    found() { grep -rahoE 'TOK-[a-z0-9]+-' home/.shared home/.run 2> /dev/null | sort -u; }
    gone() { for _ in $(seq 1500); do found | grep -q . || return 0; sleep 0.02; done; echo "left: $(found | \
    head -3)"; }

    """
  static let files = [
    "hold.js": "await nbridge.pasteboard.get(); console.log('holding'); setTimeout(() => {}, 1e6)",
    "secret.js": """
    export const p = nbridge.pasteboard;
    export const secret = (name, size = 300) => `TOK-${name}-`.repeat(Math.ceil(size / 9));
    """,
  ]

  func shell(_ script: String, _ files: [String: String] = [:]) throws -> CommandRunner.Result {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(Self.files.merging(files) { $1 })
    return try runner.shell(Self.head + script)
  }

  /// The ways in which a secret goes, in the program that put it there.
  static let ways = [
    "await p.set(s, { concealed: true }); await p.clear()",
    "await p.set(s, { concealed: true }); await p.set('other', { concealed: true })",
    "await p.set(s); await p.clear()",
    "await p.set(s, { name: 'n' }); await p.set('other', { name: 'n' })",
    "await p.set(s, { name: 'n', persistent: true }); await p.set('other', { name: 'n' })",
    """
    await p.set(s, { expiresIn: 20 }); while (await p.has('text')) await new Promise((r) => setTimeout(r, 5))
    """,
    "await p.set(s, { readOnce: true }); if (await p.get() !== s) throw new Error('another')",
    "await p.set(s, { name: 'n', persistent: true }); await p.remove('n')",
    "await p.set(s, { name: 'n' })",  // goes with its program
    "await p.set(s); for (let i = 0; i < 33; i++) await p.set('n' + i)",
    "await p.set(s); await p.set('other'); await p.clearHistory()",
    "await p.set(s); await p.add('more', { concealed: true }); await p.clear()",
    "await p.set('one', { concealed: true }); await p.add(s); await p.clear()",
  ]

  @Test(arguments: ways) func whatHasGoneIsInNoFileWhenItsProgramHasEnded(_ way: String) throws {
    let script = """
      import { p, secret } from "./secret.js";
      const [round] = nbridge.args, s = secret(round, [20, 3000, 20_000, 1_500_000][round % 4]);
      \(way);
      """
    // Another process has the store open all the time: at the end of a program the log is not SQLite's to
    // remove.
    let result = try shell(
      """
      hold; for i in $(seq 20); do nbridge run s.js $i; found; done; kill $holder; echo over
      """, ["s.js": script])
    #expect(
      result.output == "over\n" && !result.errors.contains("rror"),
      "\(result.output.prefix(400))\(result.errors.prefix(1000))")
  }

  @Test func aProgramThatGoesOnErasesMeanwhile() throws {
    let script = """
      import { p, secret } from "./secret.js";
      for (const [index, way] of Object.entries(["clear", "set", "expire", "once"])) {
        await p.set(secret(way), { concealed: way === "clear", readOnce: way === "once", name: way,
          persistent: true, ...(way === "expire" ? { expiresIn: 50 } : {}) });
      }
      await p.clear({ name: "clear" }); await p.set("other", { name: "set" }); await p.get({ name: "once" });
      console.log("done"); setTimeout(() => {}, 1e6);
      """
    let result = try shell(
      """
      hold; "$NBRIDGE" run s.js > out & p=$!; until grep -q done out; do kill -0 $p || break; sleep 0.02; done
      gone; kill -0 $p && kill $p $holder && echo over
      """, ["s.js": script])
    #expect(result.output == "over\n", "\(result)")
  }

  /// A process that has the store open erases for one that has ended, or was killed: also at the time when a
  /// content expires.
  @Test func othersEraseWhatAKilledProgramLeft() throws {
    let script = """
      import { p, secret } from "./secret.js";
      await p.set(secret("expires"), { name: "a", persistent: true, expiresIn: 1000,
        concealed: nbridge.args[0] === "c" });
      await p.set(secret("own"), { name: "b" }); await p.set(secret("old"), { name: "c", persistent: true });
      await p.set("new", { name: "c" });
      console.log("done"); for (;;);
      """
    let result = try shell(
      """
      hold
      for mode in c p; do
        : > out; "$NBRIDGE" run s.js $mode > out & p=$!; until grep -q done out; do kill -0 $p || break; \
      sleep 0.02; done
        kill -9 $p; wait $p 2> /dev/null; gone
      done; kill $holder; echo over
      """, ["s.js": script])
    #expect(result.output == "over\n", "\(result)")
  }

  /// All kinds of contents in boards of their own, replaced and taken away at random.
  static let busy = """
    import { p } from "./secret.js";
    const [seed, count] = nbridge.args.map(Number);
    let state = seed * 7919 + 1; const random = (n) => (state = (state * 48271) % 2147483647) % n;
    const content = (i) => `TOK-${seed}x${i}-`.repeat(1 + random([2, 20, 200, 3000][random(4)]));
    for (let i = 0; i < count; i++) {
      const name = random(4) === 0 ? undefined : `b${random(25)}`, at = name && { name }, kept = name &&
        { name, persistent: true };
      const what = random(10);
      if (what === 0) await p.clear(at); else if (what === 1 && name) await p.remove(name);
      else if (what === 2) await p.clearHistory();
      else if (what === 3) await p.get(at);
      else if (what === 4) await p.add(content(i), { ...kept, concealed: random(2) === 0 });
      else await p.set(content(i), { ...kept, concealed: random(4) === 0, readOnce: random(5) === 0,
        ...(random(6) === 0 ? { expiresIn: 1 + random(30) } : {}) });
    }
    """
  /// Says which contents are still there, and takes the ones that are read once.
  static let there = """
    import { p } from "./secret.js";
    const say = (text) => { for (const token of new Set(text.match(/TOK-[a-z0-9]+-/g) ??
      [])) console.log(token) };
    const sayAll = (items) => { for (const item of items ??
      []) for (const form of Object.values(item)) say(String(form)) };
    for (const { name, readOnce } of await p.list()) {
      const items = await p.items({ name });
      if (!readOnce) sayAll(items);
    }
    for (const { changeCount } of await p.history()) sayAll(await p.items({ changeCount }));
    """
  static let compare = "nbridge run there.js | sort -u > there; found > found; comm -13 there found | head -3"

  /// SQLite leaves copies of rows behind that it moved from page to page; `secure_delete` does not reach
  /// them.
  @Test func noCopyIsLeftOfRowsThatWereMoved() throws {
    let result = try shell(
      """
      hold; for i in 1 2 3; do nbridge run busy.js $i 1500; \(Self.compare); done; kill $holder; \
      [ -s there ] && echo over
      """,
      ["busy.js": Self.busy, "there.js": Self.there])
    #expect(result.output == "over\n", "\(result.output.prefix(400))\(result.errors.prefix(1000))")
  }

  @Test(arguments: [false, true]) func afterAKillWhoeverComesNextErases(_ isHeld: Bool) throws {
    let result = try shell(
      """
      \(isHeld ? "hold" : "")
      for i in $(seq 20); do
        "$NBRIDGE" run busy.js $i 100000 & p=$!
        until found | grep -q "TOK-${i}x"; do kill -0 $p || break; done
        sleep 0.0$((i * 13 % 10)); kill -9 $p; wait $p 2> /dev/null
        \(Self.compare)
      done; \(isHeld ? "kill $holder" : ":"); [ -s there ] && echo over
      """, ["busy.js": Self.busy, "there.js": Self.there])
    #expect(result.output == "over\n", "\(result.output.prefix(400))\(result.errors.prefix(1000))")
  }

  /// While a reader is at it, what it reads from stays; then it goes.
  @Test func whoReadsForLongDelaysItAndNoMore() throws {
    let script = """
      import { p, secret } from "./secret.js";
      await p.set(secret("a"), { name: "n", persistent: true }); console.log("set");
      while (await p.get({ name: "go" }) === null) await new Promise((r) => setTimeout(r, 5));
      await p.set("other", { name: "n" }); console.log("done"); setTimeout(() => {}, 1e6);
      """
    let result = try shell(
      """
      "$NBRIDGE" run s.js > out & p=$!; until grep -q set out; do sleep 0.02; done
      python3 '\(LogShell.clients)/hold_database.py' & r=$!
      until [ -e reads ]; do kill -0 $r || break; sleep 0.02; done
      nbridge eval 'await nbridge.pasteboard.set("x", { name: "go", persistent: true })'
      until grep -q done out; do sleep 0.02; done; found; touch enough; wait $r; gone; kill $p; echo over
      """, ["s.js": script])
    #expect(result.output == "TOK-a-\nover\n", "\(result)")
  }

  @Test func aStoreThatWasSetAsideGoesWithWhatItMayHold() throws {
    let script = """
      import { p, secret } from "./secret.js";
      for (let i = 0; i < 60; i++) await p.set(secret(`a${i}`, 3000), { name: `n${i}`, persistent: true });
      await p.set(secret("concealed", 600), { name: "c", persistent: true, concealed: true });
      """
    let result = try shell(
      """
      nbridge run s.js; f=home/.shared/pasteboard/pasteboards.db
      dd if=/dev/urandom of=$f bs=1024 seek=$(($(grep -abo TOK-a30- $f | head -1 | cut -d : -f 1) / 1024)) \
      count=1 conv=notrunc 2> /dev/null
      nbridge run there.js > there; ls home/.shared/pasteboard | grep -c damaged
      # What was concealed was never in it.
      grep -lc TOK-a1- home/.shared/pasteboard/*damaged* | wc -l; grep -la TOK-concealed- \
      home/.shared/pasteboard/*damaged*
      nbridge eval 'await nbridge.pasteboard.set("younger", { name: "y", persistent: true })';
      ls home/.shared/pasteboard | grep -c damaged
      nbridge eval 'for (const { name } of await nbridge.pasteboard.list()) await nbridge.pasteboard.clear({ \
      name })'
      found; ls home/.shared/pasteboard | grep damaged
      """, ["s.js": script, "there.js": Self.there])
    #expect(result.output == "1\n1\n1\n", "\(result)")
  }

  /// A store of the first version is carried over, with all that is on the boards, and nothing is left of the
  /// old file.
  @Test func anEarlierVersionsStoreIsCarriedOver() throws {
    let older = """
      import sqlite3
      c = sqlite3.connect("home/.shared/pasteboard/pasteboards.db", isolation_level=None)
      c.execute("PRAGMA journal_mode=WAL")
      rows = {t: c.execute(f"SELECT * FROM {t}").fetchall() for t in ("boards", "history", \
      "representations", "changes")}
      c.execute("CREATE TABLE old (number INTEGER PRIMARY KEY, item INTEGER NOT NULL, type TEXT NOT NULL, \
      size INTEGER NOT NULL, file TEXT, bytes BLOB)")
      c.execute("INSERT INTO old SELECT number, item, type, size, file, bytes FROM representations")
      c.execute("DROP TABLE representations"); c.execute("ALTER TABLE old RENAME TO representations"); \
      c.execute("PRAGMA user_version=1")
      """
    let result = try shell(
      """
      nbridge eval 'const p = nbridge.pasteboard; await p.set("TOK-one-"); await p.set({ text: "TOK-two-", \
      "a/b": new Uint8Array(30000) }); await p.set("s", { name: "n", persistent: true })'
      python3 older.py
      nbridge eval -p 'const p = nbridge.pasteboard; [await p.get(), (await p.items())[0]["a/b"].length, \
      (await p.history()).length, await p.get({ name: "n" })].join()'
      ls home/.shared/pasteboard | grep -c 'damaged\\|new';
      nbridge eval 'await nbridge.pasteboard.clear(); await nbridge.pasteboard.clearHistory()'; found
      """, ["older.py": older])
    #expect(result.output == "TOK-two-,30000,1,s\n0\n" && !result.errors.contains("damaged"), "\(result)")
  }
}

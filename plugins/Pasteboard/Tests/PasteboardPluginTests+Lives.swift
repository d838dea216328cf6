// SPDX-License-Identifier: MIT

import BothWays
import Foundation
import NBridge
import NBridgePlugin
import NBridgeTesting
import PasteboardPlugin
import Testing

/// How long contents live, and which watchers are told of their end.
extension PasteboardPluginTests {
  @Test func whatExpiresGoes() async {
    await expect(
      """
      await p.set("soon", { expiresIn: 600_000, concealed: true });
      console.log(await p.get(), (await p.info()).expiresAt instanceof Date);
      await p.set("soon", { expiresIn: 200, concealed: true });
      while (await p.has("text")) await new Promise((r) => setTimeout(r, 50));
      console.log(await p.get(), await p.types(), await p.history());
      await p.set("past", { expiresAt: new Date(0) }); console.log(await p.get());
      await p.set("later", { expiresIn: 1e15 }); console.log(await p.get()); await p.set("kept");
      console.log((await p.info()).expiresAt, await p.history());
      """,
      prints: "soon true\nnull [] []\nnull\nlater\nundefined []\n")
  }

  @Test func whatIsReadOnceIsGoneForTheNext() async {
    await expect(
      """
      await p.set({ text: "t", "a/b": new Uint8Array(100_000) }, { readOnce: true });
      console.log(await p.types(), await p.get({ type: "png" }), (await p.items())[0]["a/b"].length,
        await p.get(), await p.types());
      await p.set("s", { readOnce: true }); console.log(
        (await Promise.all([p.get(), p.get(), p.get()])).filter((x) => x === "s").length);
      """,
      prints: "[ 'text/plain', 'a/b' ] null 100000 null []\n1\n")
  }

  @Test func theHistoryKeepsWhatIsNotConcealed() async {
    await expect(
      """
      await p.set("first"); await p.set("secret", { concealed: true }); await p.set("second");
      await p.set("once", { readOnce: true }); await p.set("third");
      const h = await p.history(); console.log(h.map((e) => [e.changeCount, e.source.id, e.types[0]]),
        await p.get({ changeCount: h[0].changeCount }), await p.get({ changeCount: 2 }));
      for (let i = 0; i < 40; i++) await p.set(`n${i}`);
      console.log((await p.history()).length, await p.get({ changeCount: h[0].changeCount }));
      await p.set("a", { name: "n" }); await p.set("b", { name: "n" });
      console.log(await p.history({ name: "n" }));
      console.log(await p.clearHistory(), await p.history(), await p.get());
      """,
      prints: """
        [ [ 3, 'one', 'text/plain' ], [ 1, 'one', 'text/plain' ] ] second null
        32 null
        []
        32 [] n39

        """)
  }

  @Test func kindsOfTextAreToldWithoutTheText() async {
    await expect(
      """
      for (const text of ["nothing here", "see https://example.org/a.", "(ada@example.org)", "12",
        "-1,234.5e3 EUR", "1,23", "v1.2.3", "www.example.org/x", "a@b", "http://", "@.", ""]) {
        await p.set(text); console.log(text, await p.detectPatterns());
      }
      await p.set("1 a@b.c https://x.y"); console.log(await p.detectPatterns(["email", "number"]));
      await t(() => p.detectPatterns(["date"]));
      """,
      prints: """
        nothing here []
        see https://example.org/a. [ 'url' ]
        (ada@example.org) [ 'email' ]
        12 [ 'number' ]
        -1,234.5e3 EUR [ 'number' ]
        1,23 []
        v1.2.3 []
        www.example.org/x [ 'url' ]
        a@b []
        http:// []
        @. []
         []
        [ 'number', 'email' ]
        invalid_parameter patterns[0] must be one of 'url', 'number', 'email'

        """)
  }

  // MARK: - Watching

  @Test func changesAreToldInOrder() async {
    await expect(
      """
      const events = p.watch(); await p.set("a"); await p.add("b"); await p.clear();
      await p.set("n", { name: "n" }); await p.set("c", { readOnce: true }); await p.get();
      await p.set("d", { expiresIn: 50 });
      for await (const e of events) { console.log(e.name, e.changeCount, e.change, e.types, e.source?.id,
        e.isOwn, e.coalesced); if (e.change === "expired") break; }
      const late = p.watchAll(); for (let i = 0; i < 6000; i++) await p.set("x", { name: "late" });
      let first; for await (const e of late) { first ??= e; if (e.changeCount === 6000) break;
        } console.log(first.coalesced === first.changeCount - 1);
      const all = p.watchAll(); await p.set("x", { name: "n" }); await p.remove("n");
      for await (const e of all) { console.log(e.name, e.change); if (e.change === "removed") break; }
      """,
      prints: """
        general 1 set [ 'text/plain' ] one true 0
        general 2 added [ 'text/plain' ] one true 0
        general 3 cleared [] one true 0
        general 4 set [ 'text/plain' ] one true 0
        general 5 read [] one true 0
        general 6 set [ 'text/plain' ] one true 0
        general 7 expired [] undefined false 0
        true
        n set
        n removed

        """)
  }

  @Test func aWatchThatIsTooSlowHearsHowMuchItMissed() async {
    await expect(
      """
      const events = p.watch(), { changes } = await p.limits(); await p.set("first");
      for (let i = 0; i < changes + 999; i++) await p.set("x", { concealed: true });
      let seen = 0, missed = 0; for await (const e of events) { seen++; missed += e.coalesced;
        if (e.changeCount === changes + 1000) break; }
      console.log(seen + missed === changes + 1000, missed > 0);
      """,
      prints: "true true\n")
  }

  @Test func aWatchThatDoesNotHoldLetsTheProgramEnd() async {
    await expect(
      """
      let isHeard = false; p.watch({ holdsOpen: false }, (e) => { console.log(e.change); isHeard = true; });
      await p.set("x");
      for (let i = 0; !isHeard && i < 1000; i++) await new Promise((r) => setTimeout(r, 20));
      """,
      prints: "set\n")
  }

  @Test func aWatchSeesItsOwnChangesBehindManyOthers() async {
    await expect(
      """
      const events = p.watch({ name: "a" }); for (let i = 0; i < 700; i++) await p.set("x", { name: "b" });
      await p.set("y", { name: "a" });
      for await (const e of events) { console.log(e.name, e.changeCount, e.coalesced); break; }
      """,
      prints: "a 1 0\n")
  }

  @Test func callsTakeEffectInTheirOrder() async {
    await expect(
      """
      p.set({ text: "first" }); await p.set("second"); console.log(await p.get());
      p.set(new URL("https://example.org")); await p.clear(); console.log(await p.get());
      const item = { text: "as it was" }, list = [item]; const done = p.set(list); item.text = "changed";
      list.push("more"); await done; console.log(await p.items());
      p.set(new Uint8Array(1 << 20), { type: "a/b" }); await p.set("behind the large one");
      console.log(await p.get());
      """,
      prints: "second\nnull\n[ { 'text/plain': 'as it was' } ]\nbehind the large one\n")
  }

  // MARK: - Permissions and faults

  @Test func whatIsOverIsNoHindrance() async {
    await expect(
      """
      await p.set("x", { expiresIn: 1 }); await new Promise((r) => setTimeout(r, 30));
      console.log(await p.clearHistory());
      await p.set("x", { expiresIn: 1 }); await new Promise((r) => setTimeout(r, 30));
      console.log(await p.clear(), await p.remove("none"));
      """,
      prints: "0\n4 false\n")
  }

  @Test func aFileThatIsMissingIsSaid() async {
    await PasteboardFixture.with { fixture in
      _ = await fixture.run("await p.set(new Uint8Array(100_000), { type: 'a/b' })")
      for name in try! FileManager.default.contentsOfDirectory(atPath: fixture.store + "/blobs") {
        try! FileManager.default.removeItem(atPath: fixture.store + "/blobs/" + name)
      }
      let result = await fixture.run(
        "await t(() => p.get()); console.log(await p.set('anew'), await p.get())")
      #expect(
        result.output == """
          io_error a part of what is on the pasteboard 'general' is missing: its file was removed or shortened
          2 anew

          """, "\(result.errors)")
    }
  }

  @Test func eachMattersItsOwnPermission() async {
    await PasteboardFixture.with { fixture in
      let result = await fixture.run(
        """
        await t(() => p.types()); await t(() => p.detectPatterns());
        for (const f of [() => p.get(), () => p.set('x'), () => p.history(), () => p.clear(),
          () => p.open('n')]) try { await f() } catch (e) { console.log(e.code) }
        """,
        permissions: ["pasteboard.look"])
      #expect(
        result.output == "[]\n[]\n" + String(repeating: "permission_denied\n", count: 5), "\(result.errors)")
    }
  }

  @Test func aDamagedStoreIsMendedAndTheRestIsKept() async {
    await PasteboardFixture.with { fixture in
      _ = await fixture.run(
        """
        for (let i = 0; i < 300; i++) await p.set('v'.repeat(2000) + i, { name: `n${i}`, persistent: true });
        await p.set(new Uint8Array(100_000), { type: 'a/b' })
        """
      )
      let path = fixture.store + "/pasteboards.db"
      let file = FileHandle(forUpdatingAtPath: path)!
      let size = try! file.seekToEnd()
      try! file.seek(toOffset: size / 2 / 4096 * 4096)
      file.write(Data(repeating: 0xA5, count: 8192))
      try! file.close()
      let after = await fixture.run(
        """
        const all = await p.items().then((x) => x.length, (e) => e.code); const list = await p.list();
        let whole = 0; for (const { name } of list) if (name !== 'general' &&
          (await p.get({ name }))?.endsWith(name.slice(1))) whole++;
          console.log(all, list.length > 200, whole > 150, await p.set('after'))
        """
      )
      #expect(after.output.hasPrefix("1 true true "), "\(after.output) \(after.errors)")
    }
  }

  @Test(arguments: ["garbage", "", String(repeating: "\0", count: 10_000)])
  func aStoreThatIsNoneIsBegunAnew(_ content: String) async {
    await PasteboardFixture.with { fixture in
      try! FileManager.default.createDirectory(atPath: fixture.store, withIntermediateDirectories: true)
      try! content.write(toFile: fixture.store + "/pasteboards.db", atomically: false, encoding: .utf8)
      let result = await fixture.run("console.log(await p.get(), await p.set('x'), await p.get())")
      #expect(result.output == "null 1 x\n", "\(result.errors)")
      #expect(content.isEmpty || result.errors.contains("were damaged"))
    }
  }
}

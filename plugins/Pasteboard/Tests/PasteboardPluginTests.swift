// SPDX-License-Identifier: MIT

import BothWays
import Foundation
import NBridge
import NBridgePlugin
import NBridgeTesting
import PasteboardPlugin
import Testing

/// Runs scripts against pasteboards of their own.
struct PasteboardFixture {
  let folder = TemporaryFolder.make()
  var store: String { folder + "/.shared/pasteboard" }

  func run(_ script: String, app: String = "one", permissions: [String]? = nil) async -> ScriptHarness.Result
  {
    var harness = ScriptHarness(plugins: [PasteboardPlugin()])
    harness.options.app = AppInfo(id: app, name: app.uppercased(), version: "1", build: "1")
    harness.options.shared = SharedFolders(below: folder)
    if let permissions { harness.options.permissions = PermissionSet(permissions) }
    harness.container = folder + "/" + app
    harness.usesRealTime = true
    let head = """
      const p = nbridge.pasteboard;
      const t = async (f) => { try { console.log(await f()) } catch (e) { console.log(e.code ?? e.name,
        e.message) } };

      """
    return await harness.run(head + script)
  }

  static func with(_ body: (PasteboardFixture) async throws -> Void) async rethrows {
    let fixture = PasteboardFixture()
    defer { TemporaryFolder.remove(fixture.folder) }
    try await body(fixture)
  }
}

@Suite(.bothWays) struct PasteboardPluginTests {
  func expect(_ script: String, prints expected: String) async {
    await PasteboardFixture.with { fixture in
      let result = await fixture.run(script)
      #expect(result.output == expected, "\(result.errors)")
    }
  }

  // MARK: - Contents

  /// Encoding would put another character in the place of half of one, and say nothing.
  @Test func halfOfACharacterIsRefusedInEachForm() async {
    await expect(
      """
      const half = "\\ud800x", long = "a".repeat(5000) + "\\udc00";
      await t(() => p.set({ text: half })); await t(() => p.set(half)); await t(() => p.set(long));
      await t(() => p.add({ html: half })); await t(() => p.set(half, { type: "application/json" }));
      await t(() => p.set("/" + half, { type: "files" }));
      console.log(await p.changeCount(),
        await p.set({ half }, { type: "json" }), (await p.get()).half === half);
      await t(() => p.set(Symbol(), { type: "json" })); await t(() => p.set(() => 1, { type: "json" }));
      await t(() => p.set(undefined, { type: "json" }));
      """,
      prints: """
        invalid_parameter the representation 'text' holds \(Self.half)
        invalid_parameter the representation 'text/plain' holds \(Self.half)
        invalid_parameter the representation 'text/plain' holds \(Self.half)
        invalid_parameter the representation 'html' holds \(Self.half)
        invalid_parameter the representation 'application/json' holds \(Self.half)
        invalid_parameter a file's path holds \(Self.half)
        0 1 true
        invalid_parameter the value has no JSON: it is a symbol
        invalid_parameter the value has no JSON: it is a function
        invalid_parameter the value has no JSON: it is undefined

        """)
  }

  private static let half = "a lone surrogate, half of a character, which text can't carry"

  @Test func valuesComeBackAsWhatTheyAre() async {
    await expect(
      """
      console.log(await p.get(), await p.types(), await p.changeCount());
      console.log(await p.set("text é"), await p.get(), await p.string(), await p.types());
      console.log(await p.set(new Uint8Array([1, 2]), { type: "image/png" }), await p.get(), await p.image(),
        await p.string());
      console.log(await p.set(new URL("https://example.org/a?b")), await p.get(), await p.url());
      console.log(await p.set({ a: [1, null] }, { type: "json" }), await p.get(),
        await p.get({ type: "json" }));
      console.log(await p.set(["/a b", "/ü%"], { type: "files" }), await p.get({ type: "files" }),
        await p.get());
      console.log(await p.set(new Blob(["<b>"], { type: "text/html" })), await p.get({ type: "html" }),
        await p.types());
      """,
      prints: """
        null [] 0
        1 text é text é [ 'text/plain' ]
        2 Uint8Array(2) [ 1, 2 ] Uint8Array(2) [ 1, 2 ] null
        3 https://example.org/a?b https://example.org/a?b
        4 { a: [ 1, null ] } { a: [ 1, null ] }
        5 [ '/a b', '/ü%' ] file:///a%20b\r
        file:///%C3%BC%25\r

        6 <b> [ 'text/html' ]

        """)
  }

  @Test func anItemHasSeveralFormsAndAPasteboardSeveralItems() async {
    await expect(
      """
      await p.set({ text: "a", html: "<i>a</i>", "application/x-own": new Uint8Array([7]) });
      console.log(await p.items(), await p.get(), await p.has("html"), await p.has("png"),
        await p.has("application/X-OWN"));
      console.log(await p.add({ rtf: "{\\\\rtf}" }), await p.add("b"), (await p.items()).length,
        await p.get({ type: "rtf" }), await p.types());
      console.log((await p.info()).items, (await p.info()).bytes);
      await p.set(["x", "y"]); console.log(await p.items());
      console.log(await p.clear(), await p.get(), await p.clear());
      """,
      prints: """
        [
          {
            'text/plain': 'a',
            'text/html': '<i>a</i>',
            'application/x-own': Uint8Array(1) [ 7 ]
          }
        ] a true false true
        2 3 3 {\\rtf} [ 'text/plain', 'text/html', 'application/x-own', 'text/rtf' ]
        3 17
        [ { 'text/plain': 'x' }, { 'text/plain': 'y' } ]
        5 null 5

        """)
  }

  @Test func typesWithOddNamesAreTypes() async {
    await expect(
      """
      const odd = ["__proto__", "constructor", "'); DROP TABLE boards; --", "x/❤", "a b",
        "text/plain;charset=utf-8", "public.utf8-plain-text", "y".repeat(255)];
      for (const type of odd) await p.set(type === "a b" ? "s" : new Uint8Array([1]), { type });
      for (const type of odd) { await p.set("v", { type });
        console.log(await p.has(type), (await p.get({ type })).length, (await p.types())[0].length); }
      console.log(Object.keys((await (await p.set("v", { type: "__proto__" }), p.items()))[0]));
      for (const type of ["", " a", "a\\n", "a\\0b", "z".repeat(256)]) await t(() => p.set("v", { type }));
      await t(() => p.set("v", { type: 5 }));
      """,
      prints: """
        true 1 9
        true 1 11
        true 1 25
        true 1 3
        true 1 3
        true 1 24
        true 1 22
        true 1 255
        [ '__proto__' ]
        invalid_parameter the type of item 0 must have 1 to 255 bytes, \
        no control characters and no spaces at its ends, as "image/png" or "text"
        invalid_parameter the type of item 0 must have 1 to 255 bytes, \
        no control characters and no spaces at its ends, as "image/png" or "text"
        invalid_parameter the type of item 0 must have 1 to 255 bytes, \
        no control characters and no spaces at its ends, as "image/png" or "text"
        invalid_parameter the type of item 0 must have 1 to 255 bytes, \
        no control characters and no spaces at its ends, as "image/png" or "text"
        invalid_parameter the type of item 0 must have 1 to 255 bytes, \
        no control characters and no spaces at its ends, as "image/png" or "text"
        invalid_parameter option.type must be a string, not number

        """)
  }

  @Test func whatCantBeOnAPasteboardIsSaid() async {
    await expect(
      """
      for (const value of [undefined, null, 5, [], {}, Symbol("s"), () => {}, { text: 5 }, { url: "no" },
        { files: ["rel"] }, new Map()]) await t(() => p.set(value));
      await t(() => p.set({ text: "a", "text/plain": "b" })); await t(() => p.set("x", "y"));
      await t(() => p.set("x", { name: "" }));
      await t(() => p.set("x", { expiresIn: -1 })); await t(() => p.set("x", { expiresIn: NaN }));
      await t(() => p.open(5)); await t(() => p.remove("general"));
      await t(() => p.get({ tpye: "text" })); await t(() => p.set("x", { persistant: true }));
      await t(() => p.set("x", { shared: false })); await t(() => p.set("x", { persistent: false }));
      await t(() => p.get({ name: "a\\0" }));
      console.log(await p.changeCount(), await p.list());
      """,
      prints: """
        invalid_parameter undefined can't be put on a pasteboard; a string, bytes, a URL, a Blob, or { json: \
        ... } can
        invalid_parameter null can't be put on a pasteboard; a string, bytes, a URL, a Blob, or { json: ... \
        } can
        invalid_parameter number can't be put on a pasteboard; a string, bytes, a URL, a Blob, or { json: \
        ... } can
        invalid_parameter there is no item to write; clear() empties a pasteboard
        invalid_parameter an item must have a representation, as { text: "...", html: "..." }
        invalid_parameter symbol can't be put on a pasteboard; a string, bytes, a URL, a Blob, or { json: \
        ... } can
        invalid_parameter function can't be put on a pasteboard; a string, bytes, a URL, a Blob, or { json: \
        ... } can
        invalid_parameter the representation 'text' must be a string or bytes, not number; use { json: ... } \
        for other values
        invalid_parameter another string is not a whole URL, as "https://example.org/"
        invalid_parameter a file must be a whole path, as "/home/ada/a.txt", not another string
        invalid_parameter object can't be put on a pasteboard; a string, bytes, a URL, a Blob, or { json: \
        ... } can
        invalid_parameter item 0 has two representations of one type
        invalid_parameter option must be an object, as { name: ... }
        invalid_parameter option.name must have 1 to 255 bytes and no control characters
        invalid_parameter option.expiresIn must be milliseconds from 0 on
        invalid_parameter option.expiresIn must be milliseconds from 0 on
        invalid_parameter the name of a pasteboard must be a string, not number
        invalid_parameter the general pasteboard can't be removed; clear() empties it
        invalid_parameter option has no 'tpye'; did you mean 'type'?
        invalid_parameter option has no 'persistant'; did you mean 'persistent'?
        invalid_parameter the general pasteboard is always persistent and shared
        invalid_parameter the general pasteboard is always persistent and shared
        invalid_parameter option.name must have 1 to 255 bytes and no control characters
        0 []

        """)
  }

  @Test func sizesUpToTheLimitComeBackAndPastItAreRefused() async {
    await expect(
      """
      const { itemBytes, totalBytes } = await p.limits(); console.log(itemBytes, totalBytes);
      console.log(await p.set("")); console.log([await p.get()], (await p.info()).bytes);
      console.log(await p.set(new Uint8Array(0), { type: "a/b" }), (await p.get()).length);
      for (const size of [65536, 65537, 1 << 20, itemBytes]) {
        const bytes = new Uint8Array(size).fill(size % 251); bytes[size - 1] = 9;
        await p.set(bytes, { type: "a/b" }); const back = await p.get();
        console.log(back.length === size, back[0] === bytes[0], back[size - 1]);
      }
      await t(() => p.set(new Uint8Array(itemBytes + 1), { type: "a/b" }));
      await t(() => p.set({ "a/a": new Uint8Array(itemBytes), "a/b": "x" }));
      console.log((await p.info()).bytes === itemBytes);
      await p.set("é".repeat(100_000));
      console.log((await p.get()).length, await p.get() === "é".repeat(100_000));
      """,
      prints: """
        67108864 268435456
        1
        [ '' ] 0
        2 0
        true true 9
        true true 9
        true true 9
        true true 9
        too_large an item takes 67108864 bytes; item 0 has 67108865
        too_large an item takes 67108864 bytes; item 0 has 67108865
        true
        100000 true

        """)
  }

  @Test func allTogetherTakeNoMoreThanTheirLimit() async {
    await expect(
      """
      const { itemBytes } = await p.limits(), big = new Uint8Array(itemBytes);
      for (const name of ["a", "b", "c"]) await p.set(big, { name, type: "x/y" });
      await p.set("old"); await p.set(big, { type: "x/y" }).catch((e) => console.log(e.code));
      await p.set(big.subarray(1000), { type: "x/y" }); await p.set(big.subarray(1000), { type: "x/y" });
      console.log((await p.history()).length, await p.changeCount());
      await t(() => p.set(big, { name: "d", type: "x/y" }));
      await p.remove("a"); console.log(await p.set(big, { name: "d", type: "x/y" }));
      """,
      prints: """
        0 4
        too_large all pasteboards together take 268435456 bytes; there are 268434456 and 67108864 would come \
        to them (pasteboard.list() tells where)
        1

        """)
  }

  // MARK: - Names and lives

  @Test func namedOnesAreMadeOnDemandOrNot() async {
    await expect(
      """
      console.log(await p.set("x", { name: "n", create: false }), await p.open("n", { create: false }),
        await p.get({ name: "n" }), await p.info({ name: "n" }));
      const n = await p.open("n"); console.log(n.name, await n.types(), await n.set("a"), await n.get(),
        await n.add("b"), (await n.items()).length);
      console.log((await p.list()).map(({ name, kind, persistent, owner }) => [name, kind, persistent,
        owner.id]));
      console.log(await n.clear(), await n.get(), await n.remove(), await n.remove(),
        await p.open("n", { create: false }));
      const u = await p.unique(), v = await p.unique(); console.log(u.name !== v.name,
        u.name.startsWith("unique-"), (await u.info()).kind, await u.set(1n.toString()),
        await p.get({ name: u.name }));
      await t(() => p.set("x", { name: u.name, persistent: true }));
      """,
      prints: """
        null null null null
        n [] 1 a 2 2
        [ [ 'n', 'named', false, 'one' ] ]
        3 null true false null
        true true unique 1 1
        invalid_parameter a unique pasteboard can't be persistent: nobody would know its name

        """)
  }

  @Test func whatOutlivesItsProcessIsGeneralOrPersistent() async {
    await PasteboardFixture.with { fixture in
      _ = await fixture.run(
        """
        await p.set('g'); await p.set('n', { name: 'n' }); await p.set('k', { name: 'k', persistent: true });
        await (await p.unique()).set('u')
        """
      )
      let after = await fixture.run(
        """
        console.log(await p.get(), await p.get({ name: 'n' }), await p.get({ name: 'k' }),
          (await p.list()).map((b) => b.name))
        """,
        app: "two")
      #expect(after.output == "g null k [ 'general', 'k' ]\n", "\(after.errors)")
      try! FileManager.default.removeItem(atPath: fixture.folder + "/one")
      let gone = await fixture.run(
        "console.log(await p.get(), await p.get({ name: 'k' }), await p.open('k', { create: false }))",
        app: "two")
      #expect(gone.output == "g null null\n", "\(gone.errors)")
    }
  }

  @Test func othersSeeWhatIsSharedAndCantTakeItAway() async {
    await PasteboardFixture.with { fixture in
      _ = await fixture.run(
        """
        await p.set('s', { name: 's', persistent: true });
        await p.set('o', { name: 'o', persistent: true, shared: false })
        """
      )
      let other = await fixture.run(
        """
        console.log(await p.get({ name: "s" }), (await p.list()).map((b) => b.name),
          (await p.info({ name: "s" })).owner);
        await t(() => p.get({ name: "o" })); await t(() => p.set("x", { name: "o" }));
        await t(() => p.types({ name: "o" })); await t(() => p.remove("s"));
        console.log(await p.set("by two", { name: "s" }), (await p.info({ name: "s" })).source,
          (await p.info({ name: "s" })).owner.id, await p.clear({ name: "s" }));
        """, app: "two")
      #expect(
        other.output == """
          s [ 's' ] { id: 'one', name: 'ONE' }
          permission_denied the pasteboard 'o' is not shared by 'one'
          permission_denied the pasteboard 'o' is not shared by 'one'
          permission_denied the pasteboard 'o' is not shared by 'one'
          permission_denied the pasteboard 's' is 'one's; only its owner can remove it
          2 { id: 'two', name: 'TWO' } one 3

          """, "\(other.errors)")
      let own = await fixture.run("console.log(await p.get({ name: 'o' }), await p.remove('o'))")
      #expect(own.output == "o true\n", "\(own.errors)")
    }
  }

  // MARK: - What goes by itself
}

// SPDX-License-Identifier: MIT

import BothWays
import DocumentsPlugin
import Foundation
import NBridge
import NBridgeTesting
import Testing

/// Documents that save themselves, undo, and meet other writers.
@Suite(.bothWays) struct LivingDocumentTests {
  static let head = """
    const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
    const until = async (is) => { for (let i = 0; i < 1000 && !is(); i++) await wait(5) };

    """

  func expect(
    _ script: String, prints expected: String, realTime: Bool = false, after: String? = nil,
    in fixture: DocumentsFixture, sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    let result = await fixture.run(Self.head + script, realTime: realTime)
    #expect(result.output == expected, "\(result.errors)", sourceLocation: sourceLocation)
  }

  func text(_ path: String, in fixture: DocumentsFixture) -> String? {
    try? String(contentsOfFile: fixture.documents + "/" + path, encoding: .utf8)
  }

  // MARK: - Saving by itself

  @Test func aChangeIsSavedWhenItHasBeenQuietForAWhile() async {
    await DocumentsFixture.with { fixture in
      await expect(
        """
        const doc = await d.open("f");
        doc.set("a"); await wait(900); doc.set("ab"); await wait(900);
        console.log(await d.exists("f"), doc.hasUnsavedChanges);
        await wait(200); console.log(await d.read("f"), doc.hasUnsavedChanges);
        """, prints: "false true\nab false\n", in: fixture)
    }
  }

  @Test func whatNeverIsQuietIsSavedAtTheLatestInTime() async {
    await DocumentsFixture.with { fixture in
      await expect(
        """
        const doc = await d.open("f", { autosave: { quiet: 1000, latest: 3000 } });
        for (let i = 0; i < 59; i++) { doc.set(`${i}`); await wait(50);
          if (i === 50) console.log(await d.exists("f")) }
        await wait(60); console.log(await d.read("f"));
        const off = await d.open("g", { autosave: false }); off.set("x"); await wait(1e6);
        console.log(await d.exists("g"));
        await off.close(); console.log(await d.read("g"));
        """, prints: "false\n58\nfalse\nx\n", in: fixture)
    }
  }

  @Test(arguments: [
    ("", NBridge.ExitStatus.success), ("throw new Error('x')", NBridge.ExitStatus(1)),
    ("exit(7)", NBridge.ExitStatus(7)),
    ("Promise.reject(1); await wait(100)", NBridge.ExitStatus(1)),
    ("await new Promise(() => {})", NBridge.ExitStatus(13)),
  ])
  func whatIsUnsavedIsSavedHoweverAProgramEnds(_ ending: String, _ status: NBridge.ExitStatus) async {
    await DocumentsFixture.with { fixture in
      let result = await fixture.run(
        Self.head + "const doc = await d.open('f'); doc.set('kept');\n" + ending)
      #expect(text("f", in: fixture) == "kept", "\(result.errors)")
      #expect(result.status == status)
    }
  }

  @Test func aSaveThatIsUnderWayAtTheEndIsFollowedByTheLast() async {
    await DocumentsFixture.with { fixture in
      for count in 0..<20 {
        let result = await fixture.run(
          "const doc = await d.open('f'); doc.set('first'); doc.save(); doc.set('last \(count)'); exit(0)")
        #expect(text("f", in: fixture) == "last \(count)", "\(result.errors)")
      }
      #expect(try! FileManager.default.contentsOfDirectory(atPath: fixture.documents) == ["f"])
    }
  }

  @Test func whatCannotBeSavedIsSaidAndStaysUnsaved() async {
    await DocumentsFixture.with { fixture in
      let result = await fixture.run(
        Self.head + """
          await d.makeDirectory("dir"); const doc = await d.open("dir/f");
          doc.set("x"); await d.remove("dir");
          await t(() => doc.save()); console.log(doc.state, doc.error.code, doc.hasUnsavedChanges);
          await d.makeDirectory("dir"); await wait(20_000); console.log(doc.state, await d.read("dir/f"));
          doc.set("y"); await d.remove("dir");
          """)
      #expect(
        result.output == """
          not_found can't save 'dir/f': there is no such file or folder
          savingError not_found true
          normal x

          """, "\(result.errors)")
      #expect(result.errors.contains("can't save 'dir/f'"))
      #expect(result.status == .failure)
    }
  }

  // MARK: - Undo

  @Test func undoLeadsBackStepByStepAndRedoForthAgain() async {
    await DocumentsFixture.with { fixture in
      await expect(
        """
        const doc = await d.open("f");
        doc.set("a", { action: "Type" }); doc.set("ab", { action: "Type", merge: true });
        doc.set("", { action: "Clear" });
        console.log(doc.undoAction, doc.canRedo, doc.undo(), doc.content, doc.undoAction, doc.redoAction);
        console.log(doc.undo(), doc.content === "", doc.undo(), doc.hasUnsavedChanges, doc.redo(),
          doc.content);
        doc.set("new"); console.log(doc.canRedo);
        doc.group("Paste", () => { doc.set("1"); doc.set("12"); doc.group("inner", () => doc.set("123")) });
        console.log(doc.undoAction, doc.undo(), doc.content);
        await doc.group("Later", async () => { doc.set("x"); await wait(1); doc.set("xy") }); doc.undo();
        console.log(doc.content);
        await t(() => { doc.group("Bad", () => { doc.set("half"); throw new Error("no") }) });
        console.log(doc.undo(), doc.content);
        const few = await d.open("g", { undoLevels: 2 }); for (const c of "abcd") few.set(c);
        console.log(few.undo(), few.undo(), few.undo(), few.content);
        """,
        prints: """
          Clear false true ab Type Clear
          true true false false true ab
          false
          Paste true new
          new
          Error no
          true new
          true true false b

          """, in: fixture)
    }
  }

  @Test func takingBackEveryChangeLeavesNothingToSave() async {
    await DocumentsFixture.with { fixture in
      await expect(
        """
        await d.write("f", "saved"); const before = (await d.stat("f")).identity;
        const doc = await d.open("f"); doc.set("changed"); doc.undo(); console.log(doc.hasUnsavedChanges);
        await wait(20_000); await doc.close(); console.log((await d.stat("f")).identity === before);
        """, prints: "false\ntrue\n", in: fixture)
    }
  }

  // MARK: - Formats

  @Test func everyFormatComesBackAsItWas() async {
    await DocumentsFixture.with { fixture in
      await expect(
        """
        const trip = async (format, content, option) => {
          const one = await d.open(format, { format, ...option }); console.log(one.content); one.set(content);
          await one.close();
          const two = await d.open(format, { format, ...option }); console.log(two.content);
          await two.close();
        };
        await trip("text", "héllo", { encoding: "latin1" });
        await trip("json", { a: [1, { b: null }] });
        await trip("bytes", new Uint8Array([0, 255]));
        await trip("propertyList", { s: "x", n: 1.5, i: 7, t: true, d: new Date(0), x: new Uint8Array([1]),
          l: [1, "2"] }, { binary: true });
        await trip("package", { "a.txt": "A", "i.json": { v: 1 }, "deep/er/x": new Uint8Array([9]) },
          { members: { ".txt": "text", "i.json": "json" } });
        await t(() => d.open("x", { format: "cake" })); await t(() => d.open("x", { create: false }));
        await d.write("bad", "{"); await t(() => d.open("bad", { format: "json" }));
        const doc = await d.open("y"); await t(() => doc.set(5)); await t(() => doc.set({}));
        """,
        prints: """
          \nhéllo
          {}
          { a: [ 1, { b: null } ] }
          Uint8Array(0) []
          Uint8Array(2) [ 0, 255 ]
          {}
          {
            d: 1970-01-01T00:00:00.000Z,
            i: 7,
            l: [ 1, '2' ],
            n: 1.5,
            s: 'x',
            t: true,
            x: Uint8Array(1) [ 1 ]
          }
          {}
          { 'a.txt': 'A', 'deep/er/x': Uint8Array(1) [ 9 ], 'i.json': { v: 1 } }
          invalid_parameter option.format must be one of 'text', 'json', 'bytes', 'propertyList', 'package', \
          not 'cake'
          not_found can't open 'x': there is no such file
          invalid_data 'bad' is not JSON: JSON Parse error: Expected '}'
          invalid_parameter content must be a string for the format 'text'
          invalid_parameter content must be a string for the format 'text'

          """, in: fixture)
    }
  }

  @Test func aPackageWritesOnlyTheMembersThatChanged() async {
    await DocumentsFixture.with { fixture in
      await expect(
        """
        const doc = await d.open("p", { format: "package", members: { ".txt": "text" } });
        doc.set({ "a.txt": "A", "b.txt": "B", "sub/c.bin": new Uint8Array(3) }); await doc.save();
        const facts = async (name) => (await d.stat("p/" + name)).identity;
        const before = [await facts("a.txt"), await facts("b.txt"), await facts("sub/c.bin")];
        const { "b.txt": gone, ...rest } = doc.content;
        doc.set({ ...rest, "a.txt": "AA", "new/d.txt": "D" }); await doc.save();
        console.log(await facts("a.txt") !== before[0], await d.exists("p/b.txt"),
          await facts("sub/c.bin") === before[2]);
        console.log((await d.list("p", { recursive: true }).toArray()).map((e) => e.path).join(),
          (await d.list().toArray()).length);
        await t(async () => { doc.set({ "../x": "X" }); await doc.save() });
        await t(async () => { doc.set({ "/x": "X" }); await doc.save() });
        await t(async () => { doc.set({ "a": "X", "a/b": "Y" }); await doc.save() });
        console.log((await d.list("p", { recursive: true }).toArray()).length);
        await doc.close({ discard: true });
        """,
        prints: """
          true false true
          a.txt,new,new/d.txt,sub,sub/c.bin 1
          invalid_parameter '../x' can't be the name of a member of 'p'; use names as 'images/a.png'
          invalid_parameter '/x' can't be the name of a member of 'p'; use names as 'images/a.png'
          exists can't save 'a': something of that name is there already
          5

          """, in: fixture)
    }
  }

  // MARK: - Others
}

// SPDX-License-Identifier: MIT

import BothWays
import DocumentsPlugin
import Foundation
import NBridge
import NBridgeTesting
import Testing

/// What goes wrong around living documents: contents that can't be saved, other programs that write at the
/// worst moment, strange options.
@Suite(.bothWays) struct LivingDocumentEdgeTests {
  func expect(
    _ script: String, prints expected: String, realTime: Bool = false, in fixture: DocumentsFixture,
    sourceLocation: SourceLocation = #_sourceLocation
  ) async {
    let result = await fixture.run(LivingDocumentTests.head + script, realTime: realTime)
    #expect(result.output == expected, "\(result.errors)", sourceLocation: sourceLocation)
  }

  @Test func anOpeningThatIsNotPermittedAndCaughtEndsNothing() async {
    await DocumentsFixture.with { fixture in
      let result = await fixture.run(
        "try { await d.open('f') } catch (e) { console.log(e.code) } console.log('on')",
        permissions: ["app.*"])
      #expect(result.output == "permission_denied\non\n" && result.status == .success, "\(result.errors)")
    }
  }

  // MARK: - Contents

  @Test func aContentThatCanNotBeWrittenIsSaidAndTheNextOneIsSaved() async {
    await DocumentsFixture.with { fixture in
      await expect(
        """
        const doc = await d.open("f", { format: "json" });
        doc.set({ n: 1n }); await wait(5000); console.log(doc.state, doc.error.code);
        await t(() => doc.save()); await t(() => doc.close()); console.log(doc.state);
        doc.set({ n: 1 }); await wait(1500);
        console.log(doc.state, doc.hasUnsavedChanges, await d.read("f", { format: "json" }));
        const pack = await d.open("p", { format: "package" }); pack.set({ a: 5 }); await t(() => pack.save());
        pack.set({ a: "\\udc00" }); await t(() => pack.save());
        pack.set({ a: "x" }); await pack.save(); console.log(pack.state);
        doc.set(undefined); await t(() => doc.save()); doc.undo(); console.log(doc.state, doc.error);
        """,
        prints: """
          savingError invalid_parameter
          invalid_parameter content has no JSON: JSON.stringify cannot serialize BigInt.
          invalid_parameter content has no JSON: JSON.stringify cannot serialize BigInt.
          savingError
          normal false { n: 1 }
          invalid_parameter the member 'a' must be bytes or a string, or have the format 'json'
          invalid_parameter the member 'a' holds a lone surrogate, half of a character, which text can't carry
          normal
          invalid_parameter content has no JSON: it is undefined
          normal undefined

          """, in: fixture)
    }
  }

  @Test func whatCanNotBeWrittenAtTheEndIsNamedAndTheOthersAreSaved() async {
    await DocumentsFixture.with { fixture in
      let result = await fixture.run(
        """
        const bad = await d.open("bad", { format: "json" }); bad.set(1n); const good = await d.open("good");
        good.set("kept");
        const half = await d.open("half"); half.set("half \\ud83d");
        """)
      let reason = "content has no JSON: JSON.stringify cannot serialize BigInt."
      #expect(result.errors == "nbridge: can't save 'bad': \(reason)\n")
      #expect(result.status == .failure)
      #expect(try! String(contentsOfFile: fixture.documents + "/good", encoding: .utf8) == "kept")
      #expect(try! String(contentsOfFile: fixture.documents + "/half", encoding: .utf8) == "half \u{FFFD}")
    }
  }

  @Test(arguments: [
    ("'text'", "'lost?'", ["documents.read"]), ("'propertyList'", "{ a() {} }", ["documents.*"]),
  ])
  func aLastSaveThatIsRefusedAtOnceIsSaid(_ format: String, _ content: String, _ permissions: [String]) async
  {
    await DocumentsFixture.with { fixture in
      let result = await fixture.run(
        "const doc = await d.open('f', { format: \(format) }); doc.set(\(content));", permissions: permissions
      )
      #expect(result.errors.contains("nbridge: can't save 'f': the call was refused"), "\(result.errors)")
      #expect(result.status == .failure)
    }
  }

  @Test func bytesThatTheScriptGoesOnChangingAreSavedAsTheyWere() async {
    await DocumentsFixture.with { fixture in
      await expect(
        """
        const doc = await d.open("f", { format: "bytes" }); const bytes = new Uint8Array(8 << 20);
        doc.set(bytes); const saving = doc.save();
        for (let i = 0; i < 50; i++) { bytes.fill(i + 1); await null } await saving;
        const saved = await d.read("f", { format: "bytes" });
        console.log(saved.every((byte) => byte === saved[0]));
        """, prints: "true\n", in: fixture)
    }
  }

  @Test func whatIsChangedInPlaceIsWrittenWhenItIsSaid() async {
    await DocumentsFixture.with { fixture in
      await expect(
        """
        const doc = await d.open("p", { format: "package", members: { ".json": "json" } });
        doc.set({ "i.json": { v: 1 }, "a": "A" }); await doc.save();
        doc.content["i.json"].v = 2; doc.content["new"] = "N"; doc.updateChangeCount(); await doc.save();
        console.log(await d.read("p/i.json", { format: "json" }), await d.read("p/new"), doc.state);
        """, prints: "{ v: 2 } N normal\n", in: fixture)
    }
  }

  @Test func aPackageKeepsWhatIsNoMember() async {
    await DocumentsFixture.with { fixture in
      fixture.shell("mkdir -p Documents/p/empty Documents/p/sub && cd Documents/p && ln -s run.sh link")
      fixture.shell("cd Documents/p && echo x > run.sh && echo y > sub/y && chmod 755 run.sh sub")
      await expect(
        """
        const doc = await d.open("p", { format: "package", members: { ".sh": "text" } });
        doc.set({ ...doc.content, "run.sh": "new" }); await doc.save();
        for await (const { path, kind } of d.list("p", { recursive: true })) console.log(path, kind,
          ((await d.stat("p/" + path)).mode).toString(8));
        await t(() => doc.set(new Map())); await t(() => doc.set([]));
        """,
        prints: """
          empty folder 755
          link link 755
          run.sh file 755
          sub folder 755
          sub/y file 644
          invalid_parameter content must be a plain object of members for the format 'package'
          invalid_parameter content must be a plain object of members for the format 'package'

          """, in: fixture)
    }
  }

  @Test func namesLikeThoseOfObjectsAreNamesOnly() async {
    await DocumentsFixture.with { fixture in
      await expect(
        """
        const doc = await d.open("p/", { format: "package", members: { ".txt": "text" } });
        doc.set({ constructor: new Uint8Array([255]), toString: "x", "b.txt": "B" }); await doc.close();
        console.log(Object.keys((await d.open("p", { format: "package" })).content).join());
        await d.write("p/b.txt", new Uint8Array([255]));
        await t(() => d.open("p", { format: "package", members: { ".txt": "text" } }));
        await t(() => d.open("x", { format: "toString" }));
        """,
        prints: """
          b.txt,constructor,toString
          invalid_data 'p/b.txt' is not text in UTF-8; open it with another format
          invalid_parameter option.format must be one of 'text', 'json', 'bytes', 'propertyList', 'package', \
          not 'toString'

          """, in: fixture)
    }
  }

  // MARK: - Options

  static let delays = "option.autosave must be false, or { quiet, latest } in milliseconds from 0 on"
  static let members =
    "option.members must give 'text', 'json' or 'bytes' by name or extension, as { \".txt\": \"text\" }"

  @Test(arguments: [
    ("5", "the path must be a string, not 5"), ("'f', 5", "option must be an object, as { directory: ... }"),
    ("'f', { autosave: 5 }", delays), ("'f', { autosave: { quiet: NaN } }", delays),
    ("'f', { fromat: 'json' }", "option has no 'fromat'; did you mean 'format'?"),
    ("'f', { autosave: { quite: 5 } }", "option.autosave has no 'quite'; did you mean 'quiet'?"),
    ("'f', { undoLevels: -1 }", "option.undoLevels must be a whole number from 0 on, not -1"),
    ("'f', { members: { '.x': 'cake' } }", members),
    ("'f', { encoding: 'klingon' }", "the system knows no encoding 'klingon'; `iconv -l` lists them"),
    ("'f', { format: 'text', content: 7 }", "content must be a string for the format 'text'"),
  ])
  func whatOpenCanNotTakeIsSaid(_ arguments: String, _ message: String) async {
    await DocumentsFixture.with { fixture in
      await expect(
        "await t(() => d.open(\(arguments)));", prints: "invalid_parameter \(message)\n", in: fixture)
    }
  }

  @Test func aDocumentNeedsItsFolder() async {
    await DocumentsFixture.with { fixture in
      await expect(
        "await t(() => d.open('no/f'));",
        prints: "not_found can't open 'no/f': there is no such file or folder\n",
        in: fixture)
    }
  }

  // MARK: - Undo and closing

  @Test func toAssignTheContentIsToSetIt() async {
    await DocumentsFixture.with { fixture in
      await expect(
        """
        const doc = await d.open('f'); doc.content += 'x'; console.log(doc.canUndo, doc.hasUnsavedChanges);
        await t(() => { doc.content = 5 });
        """,
        prints: "true true\ninvalid_parameter content must be a string for the format 'text'\n", in: fixture)
    }
  }

  @Test func undoWithinAGroupLosesNoStep() async {
    await DocumentsFixture.with { fixture in
      await expect(
        """
        const doc = await d.open("f"); doc.set("0");
        doc.group("G", () => { doc.set("1"); doc.undo(); doc.set("2") }); doc.undo();
        console.log(doc.content);
        """, prints: "0\n", in: fixture)
    }
  }

  @Test func nothingIsTakenBetweenTheLastSaveAndTheEndOfADocument() async {
    await DocumentsFixture.with { fixture in
      await expect(
        """
        for (let steps = 0; steps < 40; steps++) {
          const doc = await d.open("f" + steps); doc.set("a"); const closing = doc.close();
          let taken = "a"; for (let i = 0; i < steps; i++) await null;
          try { doc.set("b"); taken = "b" } catch {}
          await closing; if (await d.read("f" + steps) !== taken) console.log("lost", steps);
        }
        console.log("done");
        """, prints: "done\n", in: fixture)
    }
  }

  // MARK: - Others

  @Test func autosaveGoesOnAfterAConflict() async {
    await DocumentsFixture.with { fixture in
      await expect(
        """
        await d.write("f", "base"); const doc = await d.open("f", { autosave: { quiet: 30, latest: 100 } });
        doc.set("mine"); await d.write("f", "theirs"); await until(() => doc.state === "inConflict");
        await wait(150);
        await doc.resolve({ keep: "theirs" }); doc.set("after"); await until(() => !doc.hasUnsavedChanges);
        console.log(await d.read("f"));
        doc.set("same"); await d.write("f", "same"); await until(() => !doc.hasUnsavedChanges);
        await wait(150);
        doc.set("again"); await until(() => !doc.hasUnsavedChanges); console.log(await d.read("f"));
        """, prints: "after\nagain\n", realTime: true, in: fixture)
    }
  }

  @Test func whatOthersOnlyTouchedIsNoConflictAndWhatTheyTookBackIsNoneAnyMore() async {
    await DocumentsFixture.with { fixture in
      await expect(
        """
        await d.write("f", "base"); const doc = await d.open("f", { autosave: false }); doc.set("mine");
        await d.write("f", "base"); await wait(200); console.log(doc.state); await doc.save();
        console.log(await d.read("f"));
        doc.set("more"); await d.write("f", "theirs"); await until(() => doc.state === "inConflict");
        doc.undo();
        await until(() => doc.state === "normal"); console.log(doc.content, doc.hasUnsavedChanges);
        doc.undo(); console.log(doc.content);
        """, prints: "normal\nmine\ntheirs false\nmine\n", realTime: true, in: fixture)
    }
  }

  @Test func aSaveRightAfterATouchIsNoConflict() async {
    await DocumentsFixture.with { fixture in
      await expect(
        """
        await d.write("f", "base"); const doc = await d.open("f", { autosave: false });
        for (let round = 0; round < 20; round++) {
          const before = await d.read("f"); doc.set("mine " + round);
          await d.write("f", before); await doc.save();
          if (await d.read("f") !== "mine " + round) console.log("lost", round);
        }
        doc.set("last"); await d.write("f", "theirs"); await doc.save().catch((e) => console.log(e.code));
        console.log(doc.state, await d.read("f"));
        """, prints: "conflict\ninConflict theirs\n", realTime: true, in: fixture)
    }
  }

  @Test func aVersionThatCanNotBeReadCanBeReplaced() async {
    await DocumentsFixture.with { fixture in
      await expect(
        """
        await d.write("f", "base"); const doc = await d.open("f"); doc.set("mine");
        await d.write("f", new Uint8Array([255]));
        await until(() => doc.state === "inConflict");
        console.log(doc.conflict.theirs, doc.conflict.error.code);
        await t(() => doc.resolve({ keep: "both" })); console.log((await d.list().toArray()).length);
        await doc.resolve({ keep: "mine" }); console.log(await d.read("f"), doc.state);
        """,
        prints: """
          undefined invalid_data
          invalid_data 'f' is not text in UTF-8; name its encoding, as {encoding: 'latin1'}, \
          or read it as bytes
          1
          mine normal

          """, realTime: true, in: fixture)
    }
  }

  @Test func aFolderThatGoesAndComesBackIsFollowed() async {
    await DocumentsFixture.with { fixture in
      await expect(
        """
        await d.makeDirectory("fold"); await d.write("fold/f", "one"); const doc = await d.open("fold/f");
        const seen = []; doc.states(({ reason }) => seen.push(reason));
        await d.move("fold", "elsewhere"); await until(() => seen.includes("removed"));
        console.log(doc.state, doc.content);
        await d.makeDirectory("fold"); await d.write("fold/f", "two");
        await until(() => doc.content === "two"); console.log(doc.content);
        await d.write("fold/f", "three"); await until(() => doc.content === "three");
        console.log(doc.content);
        await d.remove("fold", { permanently: true });
        await until(() => seen.filter((reason) => reason === "removed").length === 2);
        console.log(doc.state);
        """, prints: "normal one\ntwo\nthree\nnormal\n", realTime: true, in: fixture)
    }
  }

  @Test func aRemovalIsToldAlsoWhenMuchElseHappensInTheFolder() async {
    await DocumentsFixture.with { fixture in
      await expect(
        """
        await d.write("f", "x"); const doc = await d.open("f"); let gone = 0; const start = Date.now();
        doc.states(({ reason }) => { if (reason === "removed") gone = Date.now() - start });
        await d.remove("f"); while (gone === 0 &&
          Date.now() - start < 120000) { await d.write("other", "y", { durable: false }); await wait(20) }
        console.log(gone > 0);
        """, prints: "true\n", realTime: true, in: fixture)
    }
  }

  @Test func everyChangeThatComesWhileOneIsReadIsSeen() async {
    await DocumentsFixture.with { fixture in
      await expect(
        """
        await d.write("f", "start"); const doc = await d.open("f"); let stale = 0;
        for (let i = 0; i < 20; i++) {
          await d.write("f", "x".repeat(4 << 20)); await wait(i); await d.write("f", `small ${i}`);
          await until(() => doc.content === `small ${i}`); if (doc.content !== `small ${i}`) stale++;
        }
        console.log(stale, doc.state);
        """, prints: "0 normal\n", realTime: true, in: fixture)
    }
  }

  @Test func aLongNameHasRoomForAConflict() async {
    await DocumentsFixture.with { fixture in
      await expect(
        """
        const name = "\u{D55C}".repeat(80) + ".txt"; await d.write(name, "base");
        const doc = await d.open(name); doc.set("mine");
        await d.write(name, "theirs"); await until(() => doc.state === "inConflict");
        const copy = await doc.resolve({ keep: "both" });
        console.log(await d.read(copy), copy.endsWith(").txt"), new TextEncoder().encode(copy).length <= 255);
        """, prints: "mine true true\n", realTime: true, in: fixture)
    }
  }

  @Test func caseTwinsAreTwoDocuments() async {
    await DocumentsFixture.with { fixture in
      await expect(
        """
        const [a, b] = [await d.open("Note"), await d.open("note")]; a.set("upper"); b.set("lower");
        await a.close(); await b.close();
        console.log(await d.read("Note"), await d.read("note"),
          (await d.list().toArray()).map((e) => e.name).join());
        """, prints: "upper lower Note,note\n", in: fixture)
    }
  }
}

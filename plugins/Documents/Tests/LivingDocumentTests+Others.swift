// SPDX-License-Identifier: MIT

import BothWays
import DocumentsPlugin
import Foundation
import NBridge
import NBridgeTesting
import Testing

/// What other programs do to a document that is open.
extension LivingDocumentTests {
  @Test func aCleanDocumentFollowsWhatOthersWrite() async {
    await DocumentsFixture.with { fixture in
      await expect(
        """
        await d.write("f", "one"); const doc = await d.open("f");
        const seen = []; doc.states((state) => seen.push(state.reason));
        await d.write("f", "two"); await until(() => doc.content === "two");
        console.log(doc.content, doc.hasUnsavedChanges, doc.state);
        await d.append("f", "!"); await until(() => doc.content === "two!"); console.log(doc.content);
        await d.remove("f"); await until(() => seen.includes("removed")); console.log(doc.content, doc.state);
        doc.set("again"); await doc.save(); console.log(await d.read("f"), [...new Set(seen)].join());
        """,
        prints: "two false normal\ntwo!\ntwo! normal\nagain opened,reloaded,removed,edited,saved\n",
        realTime: true,
        in: fixture)
    }
  }

  @Test func aPackageFollowsWhatOthersWriteInIt() async {
    await DocumentsFixture.with { fixture in
      await expect(
        """
        const doc = await d.open("p", { format: "package", members: { ".txt": "text" } });
        doc.set({ "a.txt": "A", "s/b.txt": "B" }); await doc.save();
        await d.write("p/s/b.txt", "BB"); await until(() => doc.content["s/b.txt"] === "BB");
        console.log(doc.content);
        await d.write("p/c.txt", "C"); await until(() => "c.txt" in doc.content);
        console.log(Object.keys(doc.content).join());
        """, prints: "{ 'a.txt': 'A', 's/b.txt': 'BB' }\na.txt,c.txt,s/b.txt\n", realTime: true, in: fixture)
    }
  }

  @Test(arguments: [
    ("keep: 'mine'", "mine", "mine", "f"), ("keep: 'theirs'", "theirs", "theirs", "f"),
    ("content: 'both of us'", "both of us", "both of us", "f"),
  ])
  func aConflictShowsBothVersionsAndIsResolved(
    _ decision: String, _ content: String, _ onDisk: String, _ names: String
  ) async {
    await DocumentsFixture.with { fixture in
      await expect(
        """
        await d.write("f", "base"); const doc = await d.open("f"); doc.set("mine");
        await d.write("f", "theirs");
        await until(() => doc.state === "inConflict");
        console.log(doc.conflict.mine, doc.conflict.theirs, doc.hasUnsavedChanges);
        await t(() => doc.save()); await t(() => doc.close()); console.log(await d.read("f"));
        await t(() => doc.resolve({ keep: "yours" }));
        await doc.resolve({ \(decision) });
        console.log(doc.state, doc.content, await d.read("f"), doc.hasUnsavedChanges);
        console.log((await d.list().toArray()).map((e) => e.name).join());
        await t(() => doc.resolve({ keep: "mine" }));
        doc.set("on"); await doc.close(); console.log(await d.read("f"));
        """,
        prints: """
          mine theirs true
          conflict 'f' was changed by others; decide with resolve({ keep: "mine" }), "theirs" or "both"
          conflict 'f' was changed by others; decide with resolve({ keep: "mine" }), "theirs" or "both"
          theirs
          invalid_parameter resolve takes { keep: "mine" }, "theirs" or "both", or { content }, not 'yours'
          normal \(content) \(onDisk) false
          \(names)
          unavailable 'f' is not in conflict
          on

          """, realTime: true, in: fixture)
    }
  }

  @Test func bothVersionsAreKeptWhenAskedOrWhenTheProgramEndsInConflict() async {
    await DocumentsFixture.with { fixture in
      await expect(
        """
        await d.write("f.txt", "base"); const doc = await d.open("f.txt"); doc.set("mine");
        await d.write("f.txt", "theirs");
        await until(() => doc.state === "inConflict");
        const copy = await doc.resolve({ keep: "both" });
        console.log(/^f \\(conflict \\d{4}-\\d\\d-\\d\\d \\d\\d\\.\\d\\d\\.\\d\\d\\)\\.txt$/.test(copy),
          await d.read(copy), doc.content);
        doc.undo(); console.log(doc.content);
        await d.remove(copy);
        """, prints: "true mine theirs\nmine\n", realTime: true, in: fixture)
      let result = await fixture.run(
        """
        await d.write('g', 'base'); const doc = await d.open('g'); doc.set('mine');
        await d.write('g', 'theirs');
        """
      )
      let names = try! FileManager.default.contentsOfDirectory(atPath: fixture.documents)
      let copy = names.first { $0.hasPrefix("g (conflict") } ?? "none"
      #expect(text("g", in: fixture) == "theirs")
      #expect(text(copy, in: fixture) == "mine", "\(result.errors)")
      #expect(result.errors.contains("'g' was changed by others; what this program had is in '\(copy)'"))
    }
  }

  @Test func theSameChangeHereAndThereIsNoConflict() async {
    await DocumentsFixture.with { fixture in
      await expect(
        """
        await d.write("f", "base"); const doc = await d.open("f"); doc.set("same");
        await d.write("f", "same");
        await until(() => !doc.hasUnsavedChanges); console.log(doc.state, doc.hasUnsavedChanges);
        """, prints: "normal false\n", realTime: true, in: fixture)
    }
  }

  @Test func revertSaveAsAndClose() async {
    await DocumentsFixture.with { fixture in
      await expect(
        """
        await d.write("f", "old"); const doc = await d.open("f");
        doc.set("new"); const reverting = doc.revert(); console.log(doc.state);
        await t(() => doc.set("lost"));
        await reverting; console.log(doc.content, doc.canUndo, doc.hasUnsavedChanges);
        await d.write("there", "x"); await t(() => doc.saveAs("there"));
        doc.set("moved"); await doc.saveAs("g"); console.log(doc.path, await d.read("f"), await d.read("g"));
        doc.set("more"); await doc.close(); console.log(doc.state, await d.read("g"), await d.read("f"));
        await t(() => doc.set("x")); await t(() => doc.save()); await doc.close();
        const gone = await d.open("f"); gone.set("x"); await gone.close({ discard: true });
        console.log(await d.read("f"));
        const only = await d.open("new"); await only.save(); console.log(await d.exists("new"));
        const ro = await d.open("preferences.sqlite", { directory: "preferences", format: "bytes" });
        console.log(ro.state); await t(() => ro.set(new Uint8Array(1)));
        """,
        prints: """
          editingDisabled
          unavailable 'f' can't be edited while it is read again or closed; await that first
          old false false
          exists can't save as 'there': something of that name is there already
          g old moved
          closed more old
          unavailable 'f' is closed; open it again with documents.open
          unavailable 'g' is closed; open it again with documents.open
          old
          true
          editingDisabled
          permission_denied 'preferences.sqlite' can't be edited: its folder is read-only

          """.replacing("'f' is closed", with: "'g' is closed"), in: fixture)
    }
  }

  @Test func statesAreToldInOrderAndEndWithTheDocument() async {
    await DocumentsFixture.with { fixture in
      await expect(
        """
        const doc = await d.open("f"); const states = doc.states();
        doc.set("a"); doc.set("b"); await doc.save(); await doc.close();
        for await (const { reason, state, hasUnsavedChanges }
          of states) console.log(reason, state, hasUnsavedChanges);
        const other = await d.open("g"); for await (const { reason } of other.states()) console.log(reason);
        console.log("the program's end ends it");
        """,
        prints: """
          opened normal false
          edited normal true
          saved normal false
          closed closed false
          opened
          the program's end ends it

          """, in: fixture)
    }
  }
}

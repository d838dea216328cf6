// SPDX-License-Identifier: MIT

import BothWays
import DocumentsPlugin
import Foundation
import NBridge
import NBridgePlugin
import NBridgeTesting
import Testing

/// Folders: lists, copies, removals, watches.
extension DocumentsPluginTests {
  @Test func namesThatAreNotUTF8AreShownAndUsable() async {
    await DocumentsFixture.with { fixture in
      _ = await fixture.run("await d.write('x', '1')")
      fixture.shell("cd Documents && mv x \"$(printf 'a\\377\\300b')\"")
      await expect(
        """
        const [{ name }] = await d.list().toArray();
        console.log(await d.read(name), name.length); await d.move(name, name + "2");
        await d.remove(name + "2"); console.log(await d.list().toArray());
        """, prints: "1 6\n[]\n", in: fixture)
    }
  }

  // MARK: - Trees

  @Test func listsAreSortedFilteredAndCanGoDown() async {
    await DocumentsFixture.with { fixture in
      await expect(
        """
        await d.makeDirectory("b/c/d"); await d.write("a.txt", "12345"); await d.write("b/x.txt", "1");
        await d.write("b/c/y.md", "123"); await d.write("B", "");
        const names = async (path, option) =>
          console.log((await d.list(path, option).toArray()).map((e) => e.path).join(" "));
        await names(); await names("b"); await names("", { recursive: true });
        await names("", { recursive: true, glob: "*.txt" });
        await names("", { recursive: true, glob: "b/**/*.md" });
        await names("", { recursive: true, glob: "?" });
        await names("", { recursive: true, sort: "size", descending: true, glob: "*.*" });
        console.log((await d.list("", { glob: "a.txt", facts: true }).toArray()).map((e) => [e.size,
          e.modified instanceof Date, e.kind]));
        for await (const entry of d.list("", { sort: "none" })) { console.log(typeof entry.path); break; }
        await t(() => d.list("a.txt").toArray()); await t(() => d.list("nope").toArray());
        await t(() => d.list("", { sort: "x" }).toArray());
        """,
        prints: """
          B a.txt b
          c x.txt
          B a.txt b b/c b/c/d b/c/y.md b/x.txt
          a.txt b/x.txt
          b/c/y.md
          B b b/c b/c/d
          a.txt b/c/y.md b/x.txt
          [ [ 5, true, 'file' ] ]
          string
          not_directory can't list 'a.txt': a part of the path is not a folder
          not_found can't list 'nope': there is no such file or folder
          invalid_parameter option.sort must be one of 'name', 'modified', 'size', 'none'

          """, in: fixture)
    }
  }

  /// Names are bytes: what stands between them in a page stands in none.
  @Test func allNamesThatADiskCanHoldAreListed() async {
    await DocumentsFixture.with { fixture in
      _ = await fixture.run("await d.makeDirectory('odd/below')")
      fixture.shell(
        #"cd Documents/odd; touch "$(printf 'a\nb')" "$(printf 'c\377')" "$(printf '\364\217\276\200')""#
          + " é longer-than-8 longer-than-8-1 below/x")
      await expect(
        """
        const shown = async (option) => console.log((await d.list("odd", option).toArray())
          .map(({ name, path }) => JSON.stringify(name === path ? name : [name, path])).join(" "));
        await shown(); await shown({ recursive: true, glob: "**/x" });
        for (const { name } of await d.list("odd", { glob: "[!b]*" }).toArray()) await d.read("odd/" + name);
        """,
        prints: #""a\nb" "below" "c\#u{10FFFF}" "longer-than-8" "longer-than-8-1" "é" "#
          + #""\#u{10FFF4}\#u{10FF8F}\#u{10FFBE}\#u{10FF80}"\#n["x","below/x"]\#n"#, in: fixture)
    }
  }

  /// More than a page holds, by two readers who take turns.
  @Test func longListsAreWhole() async {
    await DocumentsFixture.with { fixture in
      _ = await fixture.run("await d.makeDirectory('many')")
      fixture.shell("cd Documents/many; seq -w 10000 | xargs touch")
      await expect(
        """
        const sorted = (await d.list("many").toArray()).map((entry) => entry.name);
        console.log(sorted.length, sorted.every((name, at) => Number(name) === at + 1));
        const back = await d.list("many", { descending: true, facts: true }).toArray();
        console.log(back.length,
          back.every(({ name, size }, at) => Number(name) === 10000 - at && size === 0));
        const list = d.list("many"), read = [];
        const all = async () => { for await (const { name } of list) read.push(name); };
        await Promise.all([all(), all(), all()]);
        console.log(read.length, new Set(read).size, read.join() === sorted.join());
        """, prints: "10000 true\n10000 true\n10000 10000 true\n", in: fixture)
    }
  }

  @Test func aTreeWithMoreFoldersThanMayBeOpenIsListed() async {
    await DocumentsFixture.with { fixture in
      _ = await fixture.run("await d.makeDirectory('many')")
      fixture.shell("cd Documents/many; seq 3000 | sed 's/^/d/' | xargs mkdir")
      await expect(
        "console.log((await d.list('', { recursive: true }).toArray()).length, (await d.usage()).folders)",
        prints: "3001 3001\n",
        in: fixture)
    }
  }

  @Test func copiesKeepTimesAndTakeTheirPlaceWhole() async {
    await DocumentsFixture.with { fixture in
      _ = await fixture.run("await d.makeDirectory('a/b'); await d.write('a/b/f', 'x')")
      fixture.shell(
        "cd Documents && touch -d 2001-02-03 a/b/f && chmod 604 a/b/f && ln -s f a/b/l && mkfifo a/p")
      await expect(
        """
        await d.copy("a", "c");
        const { modified, mode } = await d.stat("c/b/f");
        console.log(modified.getFullYear(), mode.toString(8), await d.read("c/b/l"), await d.exists("c/p"));
        await t(() => d.copy("a", "c")); await d.write("c/own", "1");
        await d.copy("a", "c", { overwrite: true }); console.log(await d.exists("c/own"));
        await t(() => d.move("c", "a")); await d.move("c", "m");
        console.log(await d.exists("c"), await d.read("m/b/f"));
        await t(() => d.move("nope", "x")); await t(() => d.copy("nope", "x"));
        await t(() => d.move("a", "a/b/in"));
        """,
        prints: """
          2001 604 x false
          exists can't copy to 'c': something of that name is there already
          false
          exists can't move to 'a': something of that name is there already
          false x
          not_found can't move 'nope': there is no such file or folder
          not_found can't copy 'nope': there is no such file or folder
          invalid_parameter can't move to 'a/b/in': a folder can't be put into itself

          """, in: fixture)
    }
  }

  @Test func aThingThatIsMovedToItsOwnPlaceStays() async {
    await DocumentsFixture.with { fixture in
      await expect(
        """
        await d.makeDirectory("a"); await d.write("a/f", "x", null);
        for (const to of ["a/f", "a/./f", "a/../a/f"]) { await d.move("a/f", to, { overwrite: true });
          await d.move("a/f", to); }
        await d.copy("a/f", "a/f", { overwrite: true }); await d.move("a", "a", { overwrite: true });
        console.log(await d.read("a/f", null)); await t(() => d.move("no", "no"));
        """, prints: "x\nnot_found can't move 'no': there is no such file or folder\n", in: fixture)
    }
  }

  /// `node:fs` asks so: what the system would not replace stays. `overwrite` alone replaces it.
  @Test func asTheSystemDoesAFolderWithSomethingInItStays() async {
    await DocumentsFixture.with { fixture in
      await expect(
        """
        await d.makeDirectory("full"); await d.write("full/own", "1", null); await d.makeDirectory("a");
        await d.write("f", "2", null);
        const says = (promise) => promise.then(() => "done", (e) => `${e.code} ${e.details.system}`);
        const how = { overwrite: true, asSystem: true };
        console.log(await says(d.move("a", "full", how)), await says(d.move("f", "a", how)));
        console.log(await says(d.copy("f", "full", how)), await says(d.copy("full", "b", how)));
        console.log(await says(d.remove("full", { only: "emptyFolder" })));
        console.log(await says(d.remove("full", { only: "file" })));
        console.log(await d.read("full/own"), await says(d.move("full", "a", how)), await d.read("a/own"));
        await d.move("f", "a", { overwrite: true }); console.log(await d.read("a"));
        """,
        prints: """
          exists ENOTEMPTY io_error EISDIR
          io_error EISDIR io_error EISDIR
          exists ENOTEMPTY
          io_error EISDIR
          1 done 1
          2

          """, in: fixture)
    }
  }

  @Test func whatIsRemovedCanBeHadBack() async {
    await DocumentsFixture.with { fixture in
      await expect(
        """
        await d.makeDirectory("a"); await d.write("a/f", "x");
        const id = await d.remove("a");
        console.log(await d.exists("a"), (await d.trash()).map((item) => item.path));
        await d.restore(id); console.log(await d.read("a/f"), await d.trash());
        const other = await d.remove("a/f"); await d.write("a/f", "new"); await t(() => d.restore(other));
        console.log(await d.remove("a", { permanently: true }), await d.emptyTrash(), await d.emptyTrash());
        await d.restore(id).catch((e) => console.log(e.code)); await t(() => d.restore("../x"));
        await t(() => d.remove("a")); await t(() => d.remove("."));
        """,
        prints: """
          false [ 'a' ]
          x []
          exists can't restore 'a/f': something of that name is there already
          null 1 0
          not_found
          not_found the trash holds nothing of the name '../x'; trash() lists what it holds
          not_found can't remove 'a': there is no such file or folder
          invalid_parameter the path '.' must end with the name of what is meant, not with '.' or '..'

          """, in: fixture)
    }
  }

  @Test func usageHashAndQuota() async {
    await DocumentsFixture.with { fixture in
      await expect(
        """
        await d.makeDirectory("a/b"); await d.write("a/f", "12345"); await d.write("a/b/g", "123");
        await d.write("h", "1");
        console.log(await d.usage(), (await d.usage("a")).bytes);
        console.log(await d.hash("h"), await d.hash("h", { algorithm: "md5" }));
        const { available, total } = await d.quota(); console.log(available > 0 && available <= total);
        await t(() => d.hash("a")); await t(() => d.usage("h"));
        """,
        prints: """
          { bytes: 9, files: 3, folders: 2, byFolder: { a: 8 } } 8
          6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b c4ca4238a0b923820dcc509a6f75849b
          true
          io_error can't read 'a': it is a folder
          not_directory can't count 'h': a part of the path is not a folder

          """, in: fixture)
    }
  }

  // MARK: - Watching

  @Test func aWatchTellsWhatHappensBelow() async {
    await DocumentsFixture.with { fixture in
      await expect(
        """
        await d.write("old", "1");
        const seen = []; const watch = d.watch("", { recursive: true });
        const done = (async () => { for await (const e of watch) {
          seen.push([e.kind, e.path, e.from].join(" ").trim()); if (e.path === "end") break; } })();
        await d.write("new", "1"); await d.write("old", "2"); await d.move("new", "moved");
        await d.makeDirectory("x/y"); await d.write("x/y/f", "1");
        await d.remove("moved", { permanently: true }); await d.write("end", "");
        await done; console.log(seen.join("\\n"));
        """,
        prints: """
          created new
          modified old
          renamed moved new
          created x
          created x/y
          created x/y/f
          removed moved
          created end

          """, in: fixture, realTime: true)
    }
  }

  @Test func manyChangesOfOneFileAreFewEvents() async {
    await DocumentsFixture.with { fixture in
      _ = await fixture.run("await d.write('f', ''); await d.write('g', '')")
      async let watched = fixture.run(
        """
        const watch = d.watch(); console.log("ready"); await d.write("ready", "");
        let events = 0; for await (const e of watch) { events++;
          if (e.path === "end" || e.kind === "overflow") break; }
        console.log(events < 20000);
        """, realTime: true)
      let ready = fixture.documents + "/ready"
      while !FileManager.default.fileExists(atPath: ready) { await Task.yield() }
      fixture.shell("cd Documents; yes | dd bs=2 count=200000 of=f conv=notrunc 2> /dev/null; echo > end")
      #expect(await watched.output == "ready\ntrue\n")
    }
  }
}

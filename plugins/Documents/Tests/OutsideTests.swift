// SPDX-License-Identifier: MIT

import BothWays
import DocumentsPlugin
import Foundation
import NBridgeTesting
import Testing

/// Copies from and to places outside of the app's folders, and the progress of long operations.
@Suite(.bothWays) struct OutsideTests {
  /// A fixture and a folder outside of it, whose path scripts know as `out`.
  func withOutside(_ body: (DocumentsFixture, _ outside: String) async throws -> Void) async rethrows {
    try await DocumentsFixture.with { fixture in
      let outside = URL(fileURLWithPath: TemporaryFolder.make()).resolvingSymlinksInPath().path
      defer { TemporaryFolder.remove(outside) }
      try await body(fixture, outside)
    }
  }

  @Test func filesAndFoldersGoInAndOutOfTheFoldersThatArePermitted() async {
    await withOutside { fixture, outside in
      let script = """
        const out = "\(outside)";
        await d.makeDirectory("a/b"); await d.write("a/b/f", "x");
        await d.export("a", out + "/copy"); await d.import(out + "/copy/b/f", "g");
        console.log(await d.read("g"));
        await t(() => d.export("g", out + "/copy")); await d.export("g", out + "/copy", { overwrite: true });
        await d.import(out + "/copy", "h", { directory: "caches" });
        console.log(await d.read("h", { directory: "caches" }));
        await t(() => d.import(out + "/none", "x")); await t(() => d.import(out + "/copy", "g"));
        """
      let result = await fixture.run(
        script,
        permissions: ["documents.*", "documents.import:\(outside)", "documents.export:\(outside)"])
      #expect(
        result.output == """
          x
          exists can't copy to '\(outside)/copy': something of that name is there already
          x
          not_found can't copy '\(outside)/none': there is no such file or folder
          exists can't copy to 'g': something of that name is there already

          """, "\(result.errors)")
      #expect(try! FileManager.default.contentsOfDirectory(atPath: outside) == ["copy"])
    }
  }

  @Test func nothingElseIsReached() async {
    await withOutside { fixture, outside in
      fixture.shell(
        "ln -s /etc '\(outside)/link'; ln -s /etc/hostname '\(outside)/file'; mkfifo '\(outside)/pipe';"
          + "printf own > '\(outside)/own'; ln -s own '\(outside)/inner'")
      let script = """
        const out = "\(outside)";
        for (const path of [out + "/link/passwd", out + "/../passwd", "/etc/passwd", "/", "relative",
          "a\\u0000b"]) {
          try { await d.import(path, "x"); console.log("reached", path) } catch (e) { console.log(e.code) }
        }
        await t(() => d.import(out + "/pipe", "x"));
        await t(() => d.import(out + "/file", "x")); await t(() => d.read("x"));
        await d.import(out + "/inner", "x"); console.log(await d.read("x"));
        await t(() => d.export("x", out + "/x"));
        """
      let result = await fixture.run(script, permissions: ["documents.*", "documents.import:\(outside)"])
      #expect(
        result.output == """
          permission_denied
          permission_denied
          permission_denied
          invalid_parameter
          permission_denied
          invalid_parameter
          io_error can't copy '\(outside)/pipe': it is a pipe or a device, not a file
          permission_denied 'import' of '/etc/hostname' is not permitted; to allow it, add \
          "documents.import:/etc" to "permissions" in app.json (or to --permissions)
          not_found can't read 'x': there is no such file or folder
          own
          permission_denied 'export' of '\(outside)/x' is not permitted; to allow it, \
          add "documents.export:\(outside)" to "permissions" in app.json (or to --permissions)

          """, "\(result.errors)")
    }
  }

  @Test func anotherAppsContainerDeepInAnImportedFolderIsLeftOut() async {
    await withOutside { fixture, outside in
      fixture.shell(
        """
        cd '\(outside)'; mkdir -p a/b/app/Documents a/b/app/Library/Preferences; echo secret > \
        a/b/app/Documents/f; echo x > a/b/g
        """
      )
      let script = """
        await d.import("\(outside)/a", "a");
        console.log(await d.read("a/b/g"), await d.exists("a/b/app"));
        """
      let result = await fixture.run(script, permissions: ["documents.*", "documents.import:\(outside)"])
      #expect(result.output == "x\n false\n", "\(result.errors)")
    }
  }

  @Test func whoMayDoAThingMayKnowHowFarItIs() async {
    await withOutside { fixture, outside in
      fixture.shell("mkdir -p Documents; head -c 3000000 /dev/zero > '\(outside)/big'")
      let result = await fixture.run(
        """
        let n = 0; const c = { progress() { n++ } }; await d.import('\(outside)/big', 'big', {}, c);
        console.log(n > 0);
        """,
        permissions: ["documents.import:\(outside)"])
      #expect(result.output == "true\n", "\(result.errors)")
      let written = await fixture.run(
        """
        let n = 0; await d.write('f', new Uint8Array(4 << 20), {}, { progress() { n++ } });
        console.log(n > 0);
        """,
        permissions: ["documents.write"])
      #expect(written.output == "true\n", "\(written.errors)")
    }
  }

  @Test func withoutAListOfPermissionsNothingOutsideIsReached() async {
    await withOutside { fixture, outside in
      let result = await fixture.run("await t(() => d.export('x', '\(outside)/x'))")
      #expect(
        result.output.hasPrefix("permission_denied 'export'"), "\(result.output)")
    }
  }

  @Test func longOperationsTellHowFarTheyAre() async {
    await DocumentsFixture.with { fixture in
      let script = """
        const size = 9 << 20, content = new Uint8Array(size).fill(65);
        const follow = async (name, call) => {
          const seen = []; await call({ progress: ({ done, total }) => seen.push([done, total]) });
          const grows = seen.every(([done, total], i) => total === size && done <= total &&
            (i === 0 || done > seen[i - 1][0]));
          console.log(name, seen.length > 0, grows, seen.at(-1)?.[0] === size);
        };
        await follow("write", (c) => d.write("f", content, { durable: false }, c));
        await follow("read", (c) => d.read("f", { format: "bytes" }, c));
        await follow("text", (c) => d.read("f", {}, c));
        await follow("copy", (c) => d.copy("f", "g", {}, c));
        await follow("hash", (c) => d.hash("f", {}, c));
        await d.write("small", "x", {}, { progress: () => console.log("not for less than a mebibyte") });
        await t(() => d.copy("none", "x", {}, { progress() {} }));
        """
      let result = await fixture.run(script)
      let each = ["write", "read", "text", "copy", "hash"].map { "\($0) true true true\n" }.joined()
      #expect(
        result.output == each + "not_found can't copy 'none': there is no such file or folder\n",
        "\(result.errors)")
    }
  }
}

// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// The parts of the bundle that scripts may read.
extension DocumentsFaultTests {
  /// A script in a home folder: keys, other apps' documents and their stores lie beside it.
  @Test func theBundleHoldsNeitherHiddenFilesNorWhatNBridgeKeeps() throws {
    try withRunner { runner in
      try runner.write([
        "app.json": #"{ "id": "home" }"#,
        "s.js": """
        const d = nbridge.documents, directory = "bundle";
        const t = async (name, f) => {
          try { console.log(name, await f()) } catch (e) { console.log(name, e.code) } };
        await d.write("own", "x");
        const paths = [".ssh/key", ".ssh", "link", "a/up/.ssh/key", "c/Documents/own", "a/c/own",
          "kept/other/Documents/secret",
          "elsewhere/Documents/secret", "kept/.shared", "plain"];
        for (const path of paths) await t(path, () => d.read(path, { directory }));
        const list = (options) => async () =>
          (await d.list("", { recursive: true, ...options }).toArray()).map((entry) =>
            entry.path).filter((path) => !path.startsWith("out.")).sort().join(" ");
        await t("list", list({ directory }));
        await t("copy", async () => { await d.makeDirectory("copies");
          await d.copy("a", "copies/a", { directory, toDirectory: "documents" }) });
        await t("copied", list({}));
        await t("stat", () => d.stat(".ssh", { directory }));
        await t("exists", () => d.exists(".ssh/key", { directory }));
        await t("hash", () => d.hash(".ssh/key", { directory }));
        await t("usage", async () => (await d.usage("", { directory })).byFolder);
        await t("open", async () => (await d.open("elsewhere/Documents/secret",
          { directory, create: false })).content);
        for (const path of [".ssh", "c/Documents"])
          await t(`watch ${path}`, () => d.watch(path,
            { directory, recursive: true })[Symbol.asyncIterator]().next());
        await t("store", () => d.read("preferences.db", { directory: "preferences" }));
        await t("stores", list({ directory: "preferences" }));
        """,
        "p.js": "await nbridge.preference.set('k', 'v')",
      ])
      let result = try runner.shell(
        """
        export NBRIDGE_HOME="$PWD/kept"; mkdir -p .ssh a kept/other/Documents kept/.shared \
        elsewhere/Documents elsewhere/Library/Preferences
        for f in .ssh/key kept/other/Documents/secret elsewhere/Documents/secret plain a/b a/.hidden; \
        do echo "in $f" > $f; done
        ln -s .ssh/key link; ln -s .. a/up; ln -s ../c/Documents a/c
        nbridge run --container c p.js && nbridge run --container c s.js
        """)
      #expect(
        result.output == """
          .ssh/key permission_denied
          .ssh permission_denied
          link permission_denied
          a/up/.ssh/key permission_denied
          c/Documents/own permission_denied
          a/c/own permission_denied
          kept/other/Documents/secret permission_denied
          elsewhere/Documents/secret permission_denied
          kept/.shared permission_denied
          plain in plain

          list a a/b a/c a/up app.json link p.js plain s.js
          copy undefined
          copied copies copies/a copies/a/b copies/a/c copies/a/up own
          stat permission_denied
          exists permission_denied
          hash permission_denied
          usage { a: 23 }
          open permission_denied
          watch .ssh permission_denied
          watch c/Documents permission_denied
          store permission_denied
          stores lock notice notice/changed

          """, "\(result.errors)")
    }
  }

  /// The files beside a script without an app.json are not the script's, unless it imports them or its user
  /// names them.
  @Test func aScriptWithoutAnAppReadsWhatIsNamedOrImportedOnly() throws {
    try withRunner { runner in
      try runner.write([
        "s.mjs": """
        import "./lib/m.mjs"; import data from "./data.json" with { type: "json" };
        const d = nbridge.documents, directory = "bundle";
        for (const path of ["s.mjs", "lib/m.mjs", "data.json", "letter", "pictures/a", "other",
          "pictures/.b"]) {
          try { console.log(path, (await d.read(path, { directory })).length) } catch (e) { console.log(path,
            e.code, e.message.split("; ")[1] ?? "") }
        }
        console.log((await d.list("", { recursive: true, directory }).toArray()).map((entry) =>
          entry.path).sort().join(" "));
        """,
        "lib/m.mjs": "export {}", "lib/other.mjs": "", "data.json": "[]", "letter": "Dear",
        "pictures/a": "...", "other": "?",
        "pictures/.b": "",
      ])
      let result = try runner.shell(
        """
        nbridge run s.mjs | tail -n 5; nbridge run --resources letter --resources pictures/ s.mjs | \
        tail -n 6; nbridge run --resources ../x s.mjs 2>&1
        """)
      #expect(
        result.output == """
          letter permission_denied name it with --resources, or in "resources" of an app.json
          pictures/a permission_denied name it with --resources, or in "resources" of an app.json
          other permission_denied name it with --resources, or in "resources" of an app.json
          pictures/.b permission_denied\u{20}
          data.json lib lib/m.mjs s.mjs
          data.json 2
          letter 4
          pictures/a 3
          other permission_denied name it with --resources, or in "resources" of an app.json
          pictures/.b permission_denied\u{20}
          data.json letter lib lib/m.mjs pictures pictures/a s.mjs
          nbridge: --resources must be a path from the script's folder on, without '..', \
          not '../x' (nbridge --help shows how)

          """, "\(result.errors)")
    }
  }

  @Test func aWatchedFolderThatIsHiddenIsNotToldOfAnyMore() throws {
    try withRunner { runner in
      try runner.write([
        "app.json": #"{ "id": "hides" }"#, "seen/deep/a": "",
        "s.js": """
        const directory = "bundle";
        (async () => { for await (const { path }
          of nbridge.documents.watch("", { directory })) if (path === "end") exit(0); })();
        const told = nbridge.documents.watch("seen", { directory, recursive: true });
        console.log("ready");
        for await (const { path } of told) console.log(path);
        """,
      ])
      let result = try runner.shell(
        """
        timeout 30 "$NBRIDGE" run s.js > told & pid=$!; until grep -q ready told; do kill -0 $pid || break; \
        sleep 0.02; done
        echo x > seen/first; until grep -q first told; do kill -0 $pid || break; sleep 0.02; done
        mv seen .seen; echo x > .seen/SECRET; echo x > .seen/deep/SECRET; echo x > end; wait $pid; \
        echo "$? $(grep -c SECRET told)"
        """)
      #expect(result.output == "0 0\n", "\(result.output) \(result.errors)")
    }
  }

  @Test func anAppThatNamesItsResourcesHasNoOthers() throws {
    try withRunner { runner in
      try runner.write([
        "app.json": #"{ "id": "names", "resources": ["letter"] }"#, "letter": "Dear", "other": "?",
        "s.js": """
        for (const path of ["letter", "other", "s.js"])
          await nbridge.documents.read(path, { directory: "bundle" }).then((text) => console.log(path,
            text.length > 0), (e) => console.log(path, e.code));
        await nbridge.documents.open("other", { directory: "bundle" }).then((doc) => console.log(doc.content),
          (e) => console.log("open", e.code));
        """,
      ])
      let result = try runner.shell(
        #"""
        nbridge run s.js; echo '{ "resources": ["/etc"] }' > app.json; nbridge run s.js 2>&1
        """#)
      #expect(
        result.output == """
          letter true
          other permission_denied
          s.js true
          open permission_denied
          nbridge: 'app.json': resources names '/etc', which must be a path from the file's folder on, \
          without '..'

          """, "\(result.errors)")
    }
  }

  @Test func aScriptThatLiesInAContainerHasNoBundle() throws {
    try withRunner { runner in
      try runner.write(["s.js": "await nbridge.documents.read('x', { directory: 'bundle' })"])
      for container in ["c", "other"] {
        let result = try runner.shell(
          """
          mkdir -p c/Documents c/Library/Preferences; cp s.js c/Documents; \
          nbridge run --container \(container) c/Documents/s.js
          """)
        #expect(
          result.status == 1 && result.errors.contains("permission_denied")
            && result.errors.contains("has no bundle; move it elsewhere"), "\(result.errors)")
      }
    }
  }
}

// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// Names that are no UTF-8, or that strings take for the same: what decides about access compares bytes.
@Suite struct SealedPathTests {
  func run(_ files: [String: String], _ line: String) throws -> CommandRunner.Result {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(files)
    return try runner.shell(Self.helpers + line)
  }

  /// `container PATH` makes another app's container with a secret in it.
  static let helpers = """
    container() { mkdir -p "$1/Documents" "$1/Library/Preferences"; echo SECRET > "$1/Documents/diary"; }
    latin=$(printf 'caf\\351'); nfc=$(printf 'caf\\303\\251'); nfd=$(printf 'cafe\\314\\201'); \
    mark=$(printf '\\314\\201x')

    """
  /// `tell(action)` prints what it answers, or its error's code.
  static let tell = """
    const d = nbridge.documents, bundle = { directory: "bundle" };
    const tell = (action) => action.then((value) => console.log(value), (error) => console.log(error.code));

    """

  @Test func aContainerBelowANameThatIsNotUTF8IsClosedInTheBundle() throws {
    let result = try run(
      [
        "app/app.json": "{}",
        "app/m.js": Self.tell + """
          const c = "caf\\u{10FFE9}";
          await tell(d.read(c + "/other/Documents/diary", bundle));
          await tell(d.read(c + "/open", bundle));
          await tell(d.copy(c, "stolen", { ...bundle, toDirectory: "documents" }));
          await tell(d.list(c, { ...bundle,
            recursive: true }).toArray().then((all) => all.map((entry) => entry.name).join()));
          """,
      ],
      """
      mkdir "app/$latin"; container "app/$latin/other"; echo OPEN > "app/$latin/open"; \
      nbridge run --container c app/m.js
      grep -rl SECRET c
      """)
    #expect(result.output == "permission_denied\nOPEN\n\nundefined\nopen\n", "\(result)")
  }

  @Test func aContainerBelowANameThatIsNotUTF8IsNotImportedFromNorExportedTo() throws {
    let result = try run(
      [
        "s.js": Self.tell + """
          const out = nbridge.args[0] + "/caf\\u{10FFE9}";
          await d.write("own", "own");
          await tell(d.import(out + "/other/Documents/diary", "i1"));
          await tell(d.import(out, "i2"));
          await tell(d.import(out + "/open", "i3"));
          await tell(d.export("own", out + "/other/Documents/planted"));
          await tell(d.export("own", out + "/fine"));
          """
      ],
      """
      mkdir -p "out/$latin"; container "out/$latin/other"; echo OPEN > "out/$latin/open"
      nbridge run --container c --permissions \
      "documents.*,documents.import:$PWD/out,documents.export:$PWD/out" s.js "$PWD/out"
      grep -rl SECRET c; cat "out/$latin/fine"; ls "out/$latin/other/Documents"
      """)
    #expect(
      result.output
        == "permission_denied\nundefined\nundefined\npermission_denied\nundefined\nowndiary\n", "\(result)")
  }

  @Test func aPermissionForAFolderWhoseNameIsNotUTF8NamesItAsScriptsDo() throws {
    let result = try run(
      [
        "s.js": Self.tell + """
          await tell(d.import(nbridge.args[0] + "/caf\\u{10FFE9}/open", "i1"));
          await tell(d.import(nbridge.args[0] + "/caf\\u{10FFE8}/open", "i2"));
          """
      ],
      """
      other=$(printf 'caf\\350'); named=$(printf 'caf\\364\\217\\277\\251'); \
      mkdir -p "out/$latin" "out/$other"; echo OPEN > "out/$latin/open"; echo OTHER > "out/$other/open"
      nbridge run --container c --permissions "documents.*,documents.import:$PWD/out/$named" s.js "$PWD/out"
      """)
    #expect(result.output == "undefined\npermission_denied\n", "\(result)")
  }

  /// Paths that an app could use before: its own container and folder, by names from the current folder on or
  /// through a link.
  @Test func anAppInAFolderWhoseNameIsNotUTF8HasItsContainerAndItsFolder() throws {
    let script = """
      await nbridge.documents.write("f", "kept"); await nbridge.preference.set("k", "word");
      console.log(await nbridge.documents.read("f"), await nbridge.preference.get("k"),
        await nbridge.documents.read("data.txt", { directory: "bundle" }));
      """
    let files = [
      "app/app.json": #"""
      { "id": "an.app", "permissions": ["documents.*", "preference.*"] }
      """#, "app/m.js": script, "app/data.txt": "data",
      "plain.js": """
      await nbridge.documents.write('f', 'kept'); console.log(await nbridge.documents.read('f'),
        (await nbridge.documents.list('', { directory: 'preferences' }).toArray()).length)
      """,
    ]
    let result = try run(
      files,
      """
      mkdir "$latin"; mv app "$latin/app"; ln -s "$latin" link; nbridge run link/app/m.js
      cp plain.js "$latin"; cd "$latin"; nbridge run --container ./c plain.js
      """)
    #expect(result.output == "kept word data\nkept 0\n", "\(result)")
  }

  @Test func namesThatOnlyLookAlikeAreDifferentFolders() throws {
    let result = try run(
      [
        "app/m.js": Self.tell + """
          const out = nbridge.args[0];
          await tell(d.import(out + "/cafe\\u0301/s", "i1"));
          await tell(d.import(out + "/caf\\u00e9/s", "i2"));
          await tell(d.export("i2", out + "/cafe\\u0301/planted"));
          await tell(d.read("cafe\\u0301/s", bundle));
          await tell(d.read("caf\\u00e9/s", bundle));
          """
      ],
      """
      for at in out app; do mkdir -p "$at/$nfc" "$at/$nfd"; echo OPEN > "$at/$nfc/s"; echo SECRET > \
      "$at/$nfd/s"; done
      echo "{\\"id\\":\\"an.app\\",\\"resources\\":[\\"$nfc\\"]}" > app/app.json
      nbridge run --container c --permissions \
      "documents.*,documents.import:$PWD/out/$nfc,documents.export:$PWD/out/$nfc" app/m.js "$PWD/out"
      ls "out/$nfd"
      """)
    #expect(
      result.output == """
        permission_denied
        undefined
        permission_denied
        permission_denied
        OPEN

        s

        """, "\(result)")
  }

  @Test func aNameThatBeginsWithAnAccentIsStillInItsFolder() throws {
    let result = try run(
      [
        "app/app.json": "{}",
        "app/m.js": Self.tell + """
          const out = nbridge.args[0];
          await tell(d.read("data/nbridge/\\u0301x", bundle));
          await tell(d.import(out + "/other/Documents/\\u0301x", "i1"));
          await tell(d.import(out + "/link/\\u0301x", "i2"));
          await tell(d.import(out + "/plain/\\u0301x", "i3"));
          """,
      ],
      """
      unset NBRIDGE_HOME; export XDG_DATA_HOME="$PWD/app/data" XDG_STATE_HOME="$PWD/app/state"; \
      mkdir -m 700 -p app/data/nbridge out/plain away
      container out/other; for at in app/data/nbridge out/other/Documents out/plain away; do echo SECRET > \
      "$at/$mark"; done; ln -s ../away out/link
      nbridge run --container c --permissions "documents.*,documents.import:$PWD/out" app/m.js "$PWD/out"
      """)
    #expect(
      result.output == "permission_denied\npermission_denied\npermission_denied\nundefined\n", "\(result)")
  }

  @Test func aScriptWhoseNameBeginsWithAnAccentHasItsOwnFolderOnly() throws {
    let result = try run(
      [
        "above/app.json": #"""
        { "id": "above", "permissions": ["*"] }
        """#, "above/secret.js": "export default 'SECRET'",
        "above/app/app.json": #"{ "id": "below", "permissions": [] }"#,
        "above/app/m.js": "import x from '../secret.js'; console.log(x)",
      ],
      """
      cp above/app/m.js "above/app/$mark.js"; nbridge run "above/app/$mark.js"
      """)
    #expect(result.status == 1 && result.output == "", "\(result)")
    #expect(result.errors.contains("lies outside of the app's folder"), "\(result.errors)")
  }
}

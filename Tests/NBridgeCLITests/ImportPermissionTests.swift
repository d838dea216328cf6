// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// Which files modules may be: the way in that is no call.
@Suite struct ImportPermissionTests {
  static let files = [
    "app/app.json": #"{"permissions": []}"#,
    "app/own.txt": "own", "secret.txt": "secret", "secret.json": #"{"a": "secret"}"#,
    "secret.js": "module.exports = 'secret'",
    "node_modules/pack/index.js": "module.exports = 'packed'",
    "app/page.html": #"<script src="../secret.js"></script>"#,
    "app/module.html": #"<script type="module" src="../secret.js"></script>"#,
  ]

  func run(_ script: String, _ line: String = "nbridge run app/s.js") throws -> CommandRunner.Result {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(Self.files)
    try runner.write(["app/s.js": script])
    return try runner.shell(line)
  }

  @Test(arguments: [
    #"import x from "../secret.txt" with { type: "text" }; console.log(x)"#,
    #"import x from "../secret.json" with { type: "json" }; console.log(x)"#,
    #"import x from "/proc/self/environ" with { type: "text" }; console.log(x)"#,
    #"console.log(require("../secret.js"), import.meta.main)"#,
    #"const { default: x } = await import("../secret.js"); console.log(x)"#,
    #"const { default: x } = await import("../secret" + ".js"); console.log(x)"#,
    #"exports.x = 1; console.log(require("../secret" + ".js"))"#,
    #"const x = await import("./link" + "", { with: { type: "text" } }); console.log(x.default)"#,
    #"import x from "./link" with { type: "text" }; console.log(x)"#,
    #"import x from "./folder/secret.txt" with { type: "text" }; console.log(x)"#,
  ])
  func withAListOnlyTheAppsOwnFilesAreModules(_ script: String) throws {
    let result = try run(script, "ln -s ../secret.txt app/link; ln -s .. app/folder; nbridge run app/s.js")
    #expect(result.status == 1 && result.output == "", "\(result.output)")
    #expect(result.errors.contains("lies outside of the app's folder"), "\(result.errors)")
    #expect(result.errors.contains("to allow it, add \"import:"), "\(result.errors)")
  }

  @Test(
    arguments: ["run app/page.html", "run app/module.html", "check app/page.html", "check app/module.html"])
  func aPageRunsNoScriptFromOutsideOfTheApp(_ command: String) throws {
    let result = try run("", "nbridge " + command)
    #expect(
      result.status == 1 && result.errors.contains("lies outside of the app's folder"), "\(result.errors)")
  }

  /// Whether a file is there is told of the app's own only.
  @Test(arguments: ["../secret.txt", "/etc/passwd"])
  func namesAreFollowedWithinTheApp(_ path: String) throws {
    let result = try run(
      """
      import { createRequire } from 'module'; const require = createRequire(import.meta.url);
      console.log(require.resolve('./s.js') === import.meta.filename);
      try { require.resolve('\(path)'); } catch (error) { console.log(error.code, error.message); }
      """, "nbridge run --permissions app.appInfo app/s.js")
    #expect(result.output.hasPrefix("true\nMODULE_NOT_FOUND "), "\(result)")
    #expect(result.output.contains("lies outside of the app's folder"), "\(result)")
  }

  /// Whether something is there is not told of what lies outside, whoever asks.
  @Test func whatLiesOutsideIsAnsweredTheSameWhetherItIsThereOrNot() throws {
    let result = try run(
      """
      import { createRequire } from 'module'; const require = createRequire(import.meta.url);
      const outside = import.meta.dirname.replace(/app$/, '');
      const said = async (call, name) => {
        try { return String(await call(name)).replaceAll(name, 'NAME'); } catch ({ code, message }) {
          return `${code} ${message.replaceAll(name, 'NAME')}`;
        }
      };
      const types = [undefined, ...['text', 'json', 'bytes'].map((type) => ({ with: { type } }))];
      const elsewhere = createRequire(outside + 'x.js');
      for (const start of ['../', outside, `file://${outside}`]) {
        for (const [there, none] of [['secret.txt', 'none.txt'], ['secret', 'none'], ['more', 'mere']]) {
          const calls = [...types.map((type) => (name) => import(start + name, type)),
            (name) => require(start + name), (name) => require.resolve(start + name),
            (name) => import.meta.resolve(start + name), (name) => elsewhere.resolve('./' + name),
            (name) => elsewhere.resolve(name)];
          for (const call of calls) {
            const [one, other] = [await said(call, there), await said(call, none)];
            const isTold = /lies outside|is no script|^file:/.test(one);
            if (one !== other || !isTold) console.log(start, one, other);
          }
        }
      }
      console.log(elsewhere('node:path').sep);
      """,
      """
      mkdir -p more node_modules/secret; echo > more/index.js; echo > node_modules/secret/index.js
      nbridge run --permissions app.appInfo app/s.js
      """)
    #expect(result.output == "/\n" && result.status == 0, "\(result)")
  }

  @Test func aSourceMapThatNeverEndsIsNotRead() throws {
    let result = try run(
      "throw new Error('told')\n//# sourceMappingURL=../../../../../../../dev/zero",
      "mkfifo app/pipe; nbridge run --timeout 20 app/s.js")
    #expect(result.status == 1 && result.errors.contains("told"), "\(result.errors)")
  }

  @Test(arguments: ["./pipe", "/dev/zero", "/dev/null"])
  func whatIsNoPlainFileIsNoModule(_ path: String) throws {
    let result = try run(
      "import x from '\(path)' with { type: 'bytes' }; console.log(x)",
      "mkfifo app/pipe; timeout -k 1 30 \"$NBRIDGE\" run --permissions import:/ app/s.js")
    #expect(
      result.status == 1 && result.errors.contains("no plain file"), "\(result.status) \(result.errors)")
  }

  @Test(arguments: [
    """
    echo '{"extends": "/etc/passwd"}' > app/tsconfig.json
    """, "ln -s /etc/passwd app/package.json", "ln -s /etc/passwd app/tsconfig.json",
    """
    echo '{"extends": "./t"}' > app/tsconfig.json; ln -s /etc/passwd app/t.json
    """, "mkfifo app/package.json", "mkdir -p app/sub; mkfifo app/sub/tsconfig.json",
    "echo '{\"extends\": [\"./p\"]}' > app/tsconfig.json; mkfifo app/p.json",
  ])
  func settingsThatLeadElsewhereAreNotRead(_ make: String) throws {
    let result = try run(
      "import x from './sub/x.js'; console.log(x)",
      """
      mkdir -p app/sub; echo 'export default 1' > app/sub/x.js; \(make); \
      timeout -k 1 30 "$NBRIDGE" run app/s.js
      """)
    #expect(result.status == 1 && !result.errors.contains("root:"), "\(result)")
    #expect(
      result.errors.contains("no JSON file") || result.errors.contains("no plain file"), "\(result.errors)")
  }

  /// esbuild looks for settings in more places than nBridge looks at before: what it says of a file from
  /// outside is not told.
  @Test(arguments: [
    #"printf '{"extends":"..\\/secret.txt"}' > app/tsconfig.json"#,
    #"""
    printf '{"\\u0065xtends":"../secret.txt"}' > app/tsconfig.json
    """#,
    #"""
    printf '{"extends":/* "x" */"../secret.txt"}' > app/tsconfig.json
    """#, "ln -s ../secret.txt app/.pnp.data.json",
    """
    mkdir -p app/node_modules/foo; ln -s ../../../secret.txt app/node_modules/foo/package.json; \
    echo 'import "foo"' >> app/sub/x.js
    """,
  ])
  func whatSettingsFromOutsideHoldIsNotShown(_ make: String) throws {
    let result = try run(
      "import x from './sub/x.js'; console.log('ran')",
      """
      mkdir -p app/sub; echo 'export default 1' > app/sub/x.js; \(make)
      timeout -k 1 30 "$NBRIDGE" run app/s.js
      printf 'try { await import("./app/sub/x.js") } catch (e) { e.message }\\n' | \
      nbridge repl --permissions 'import:app' --app app/app.json
      """)
    #expect(
      !"\(result.output)\(result.errors)".contains("secret\n") && !result.errors.contains("\"secret\""),
      "\(result)")
    #expect(result.output.contains("ran") || result.errors.contains("is not shown"), "\(result)")
  }

  @Test func anotherAppsContainerIsNoModuleAndIsNotCopied() throws {
    let result = try run(
      "import x from '../other/Documents/letter' with { type: 'text' }; console.log(x)",
      """
      mkdir -p other/Documents other/Library/Preferences; echo LETTER > other/Documents/letter
      nbridge run --permissions "*,import:/" app/s.js; nbridge run --permissions "import:$PWD" app/s.js; \
      nbridge run --permissions "import:$PWD" --container other app/s.js
      echo 'for (const path of ["other/Documents/letter", "other/Documents"]) \
      await nbridge.documents.import(`${nbridge.args[0]}/${path}`, "l").catch((e) => console.log(e.code))' > \
      app/i.js
      nbridge run --permissions "documents.import:$PWD" app/i.js "$PWD"
      """)
    // Its own the app may read.
    #expect(result.output == "LETTER\n\npermission_denied\npermission_denied\n", "\(result)")
    #expect(result.errors.components(separatedBy: "is closed to scripts").count == 3, "\(result.errors)")
  }

  @Test func aSourceMapFromOutsideIsNotRead() throws {
    let map = #"{"version":3,"sources":["o.ts"],"sourcesContent":["SECRETSRC here"],"mappings":"AAAA"}"#
    let result = try run(
      "import './m.js'",
      """
      echo '\(map)' > m.map; printf 'throw new Error(1)\\n//# sourceMappingURL=../m.map\\n' > app/m.js;
      mkfifo app/f.map; nbridge run app/s.js
      sed -i 's/..\\/m.map/f.map/' app/m.js; timeout -k 1 30 "$NBRIDGE" run app/s.js
      """)
    #expect(
      result.status == 1 && result.errors.contains("Error: 1") && !result.errors.contains("SECRETSRC"),
      "\(result)")
  }

  @Test func theScriptThatIsNamedMayBeAPipe() throws {
    let result = try run("", "mkfifo app/p; echo 'console.log(1)' > app/p & nbridge run app/p")
    #expect(result.output == "1\n", "\(result.errors)")
  }

  @Test func ownFilesAndPackagesAboveTheAppAreModules() throws {
    let result = try run(
      #"import own from "./own.txt" with { type: "text" }; import pack from "pack"; console.log(own, pack)"#)
    #expect(result.output == "own packed\n", "\(result.errors)")
  }

  @Test func aScopedPermissionOpensAFileOrAFolder() throws {
    let script = #"import x from "../secret.txt" with { type: "text" }; console.log(x)"#
    for path in ["$PWD/secret.txt", "$PWD"] {
      let result = try run(script, "nbridge run --permissions \"import:\(path)\" app/s.js")
      #expect(result.output == "secret\n", "\(result.errors)")
    }
    let other = try run(script, "nbridge run --permissions \"import:$PWD/secret\" app/s.js")
    #expect(other.status == 1)
  }

  @Test func aBundleMadeUnderOtherRulesIsNotUsed() throws {
    let script = #"import x from "../secret.txt" with { type: "text" }; console.log(x)"#
    let result = try run(
      script, "nbridge run --permissions \"import:$PWD\" app/s.js; nbridge run app/s.js > second; cat second")
    #expect(result.output == "secret\n", "\(result.errors)")
  }

  @Test func withoutAListAllButWhatIsSealedIsAModule() throws {
    let open = try run(
      #"import x from "../secret.txt" with { type: "text" }; console.log(x)"#,
      "rm app/app.json; nbridge run --audit app/s.js 2> audit; sed \"s|$PWD|HERE|\" audit")
    #expect(open.output == "secret\n\"permissions\": [\"import:HERE/secret.txt\"]\n", "\(open.errors)")
    let sealed = try run(
      #"import x from "../home/.shared/kept.txt" with { type: "text" }; console.log(x)"#,
      "rm app/app.json; mkdir -p home/.shared; echo kept > home/.shared/kept.txt; nbridge run app/s.js")
    #expect(sealed.status == 1 && sealed.errors.contains("is closed to scripts"), "\(sealed.errors)")
  }

  @Test func whatIsForbiddenIsNotImportedFromTheAppsOwnFolderEither() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(["app/s.mjs": "import './own.mjs'", "app/own.mjs": "console.log('runs')"])
    for list in ["*,!import:$PWD/app/own.mjs", "documents.*,!import:$PWD/app/own.mjs"] {
      let result = try runner.shell("nbridge run --permissions \"\(list)\" app/s.mjs")
      #expect(result.status == 1 && result.output == "", "\(result)")
      #expect(result.errors.contains("is not to be imported"), "\(result)")
    }
    let all = #"'{"permissions":["!*","documents.write"]}' > app/app.json"#
    let result = try runner.shell("printf \(all); nbridge run app/s.mjs")
    #expect(result.status == 1 && result.errors.contains(#"is not to be imported: "!*" in"#), "\(result)")
  }
}

// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// The cache of bundles must never give an old program, nor another one.
@Suite struct ModuleCacheTests {
  private static let clients = CommandRunner.root + "/Tests/NBridgeCLITests/Clients"

  /// How the same program runs before a change and after it, and again without the cache.
  func run(_ files: [String: String], _ line: String, _ change: String) throws -> CommandRunner.Result {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(files)
    return try runner.shell("\(line); \(change); \(line); rm -rf home; \(line)")
  }

  @Test(arguments: [
    (
      "a release that a link leads to",
      [
        "r1/app.json": #"{"id": "a.b"}"#, "r2/app.json": #"{"id": "a.b"}"#,
        "r1/main.mjs": """
        import v from './x.mjs'; console.log(v)
        """,
        "r2/main.mjs": """
        import v from './x.mjs'; console.log(v)
        """, "r1/x.mjs": "export default 1", "r2/x.mjs": "export default 2",
      ], "[ -e now ] || ln -s r1 now; nbridge run now/main.mjs", "ln -sfn r2 now"
    ),
    (
      "a link to another file",
      [
        "main.mjs": "import v from './x.mjs'; console.log(v)", "v1.mjs": "export default 1",
        "v2.mjs": "export default 2",
      ],
      "[ -e x.mjs ] || ln -s v1.mjs x.mjs; nbridge run main.mjs", "ln -sf v2.mjs x.mjs"
    ),
    (
      "a package that is a link",
      [
        "main.mjs": "import v from 'p'; console.log(v)", "store/p1/index.js": "module.exports = 1",
        "store/p2/index.js": "module.exports = 2", "node_modules/x": "",
      ],
      """
      [ -e node_modules/p ] || ln -s ../store/p1 node_modules/p; nbridge run main.mjs
      """, "ln -sfn ../store/p2 node_modules/p"
    ),
    (
      "a nearer package of a scope",
      [
        "a/main.mjs": "import v from '@s/b'; console.log(v)",
        "node_modules/@s/b/index.js": "module.exports = 1",
        "a/node_modules/@s/c/index.js": "", "later/index.js": "module.exports = 2",
      ], "nbridge run a/main.mjs", "mv later a/node_modules/@s/b"
    ),
    (
      "a file before a folder",
      [
        "main.mjs": "import v from './a/b'; console.log(v)", "a/b/index.js": "export default 1",
        "later.js": "export default 2",
      ],
      "nbridge run main.mjs", "mv later.js a/b.js"
    ),
    (
      "a package's file before a folder",
      [
        "main.mjs": "import v from 'p'; console.log(v)", "node_modules/p/package.json": #"{"main": "./lib"}"#,
        "node_modules/p/lib/index.js": "module.exports = 1", "later.js": "module.exports = 2",
      ], "nbridge run main.mjs", "mv later.js node_modules/p/lib.js"
    ),
    (
      "a file that was not there",
      [
        "main.js": "let v = 1; try { v = require('./sub/o.js') } catch {} console.log(v)",
        "sub/later": "module.exports = 2",
      ],
      "nbridge run main.js", "mv sub/later sub/o.js"
    ),
    (
      "a link on the way to a file",
      [
        "main.mjs": "import v from './lib/x.js'; console.log(v)", "v1/x.js": "export default 1",
        "v2/x.js": "export default 2",
      ],
      "[ -e lib ] || ln -s v1 lib; nbridge run main.mjs", "ln -sfn v2 lib"
    ),
    (
      "a folder's package.json that leads out of it",
      [
        "main.mjs": "import v from './p'; console.log(v)", "p/package.json": #"{"main": "../o/x.js"}"#,
        "o/x.js": "export default 1",
        "o/y.js": "export default 2",
      ], "nbridge run main.mjs", "sed -i s/x.js/y.js/ p/package.json"
    ),
    (
      "settings that others extend",
      [
        "main.ts": "import v from '@v'; console.log(v as number)", "tsconfig.json": #"{"extends": "./base"}"#,
        "base.json": #"""
        {"compilerOptions": {"paths": {"@v": ["./v1.ts"]}}}
        """#, "v1.ts": "export default 1", "v2.ts": "export default 2",
      ], "nbridge run main.ts", "sed -i s/v1.ts/v2.ts/ base.json"
    ),
    (
      "a link behind a package's link",
      [
        "main.mjs": "import v from 'p'; console.log(v)", "store/p1/index.js": "module.exports = 1",
        "store/p2/index.js": "module.exports = 2", "node_modules/x": "",
      ],
      """
      [ -e node_modules/p ] || { ln -s p1 store/now; ln -s ../store/now node_modules/p; }
      nbridge run main.mjs
      """, "ln -sfn p2 store/now"
    ),
    (
      "a link behind a scope's link",
      [
        "main.mjs": "import v from '@s/p'; console.log(v)", "r1/p/index.js": "module.exports = 1",
        "r2/p/index.js": "module.exports = 2", "node_modules/x": "",
      ],
      """
      [ -e node_modules/@s ] || { ln -s r1 now; ln -s ../now node_modules/@s; }; nbridge run main.mjs
      """, "ln -sfn r2 now"
    ),
    (
      "a package nearer to a folder that is imported",
      [
        "main.mjs": "import v from './d'; console.log(v)", "d/index.js": "export { default } from 'p'",
        "node_modules/p/index.js": "module.exports = 1", "later/p/index.js": "module.exports = 2",
      ], "nbridge run main.mjs", "mv later d/node_modules"
    ),
    (
      "a file before a folder of a package that is linked",
      [
        "app/main.mjs": "import v from 'core'; console.log(v)", "app/node_modules/x": "",
        "pkgs/core/package.json": #"{"main": "./dist"}"#, "pkgs/core/dist/index.js": "module.exports = 1",
        "later.js": "module.exports = 2",
      ],
      """
      [ -e app/node_modules/core ] || ln -s ../../pkgs/core app/node_modules/core; nbridge run app/main.mjs
      """, "mv later.js pkgs/core/dist.js"
    ),
    (
      "settings that a package brings",
      [
        "main.ts": "import v from '@v'; console.log(v as number)",
        "tsconfig.json": #"{"extends": "tsb/tsconfig.json"}"#,
        "node_modules/tsb/tsconfig.json": #"""
        {"compilerOptions": {"baseUrl": "../..", "paths": {"@v": ["./v1.ts"]}}}
        """#, "v1.ts": "export default 1", "v2.ts": "export default 2",
      ], "nbridge run main.ts", "sed -i s/v1.ts/v2.ts/ node_modules/tsb/tsconfig.json"
    ),
    (
      "a file before a folder that app.json names",
      [
        "main.mjs": "import v from 'lib'; console.log(v)",
        "app.json": #"{"id": "a.b", "imports": {"lib": "./vendor/lib"}}"#,
        "vendor/lib/index.js": "export default 1", "later.js": "export default 2",
      ], "nbridge run main.mjs", "mv later.js vendor/lib.js"
    ),
    (
      "a file for an earlier entry of the settings' paths",
      [
        "main.ts": "import v from '@a/v'; console.log(v as number)", "later": "export default 2",
        "tsconfig.json": #"{"compilerOptions": {"paths": {"x": ["y"], "@a/*": ["./one/*", "./two/*"]}}}"#,
        "two/v.ts": "export default 1", "one/x": "",
      ], "nbridge run main.ts", "mv later one/v.ts"
    ),
    (
      "a file of the settings' baseUrl before a package",
      [
        "main.ts": "import v from 'p'; console.log(v as number)", "later": "export default 2",
        "tsconfig.json": #"{"compilerOptions": {"baseUrl": "./src"}}"#, "src/x": "",
        "node_modules/p/index.js": "module.exports = 1",
      ], "nbridge run main.ts", "mv later src/p.ts"
    ),
  ])
  func aChangeIsSeen(_ name: String, _ files: [String: String], _ line: String, _ change: String) throws {
    let result = try run(files, line, change)
    #expect(result.output == "1\n2\n2\n", "\(name): \(result)")
  }

  @Test func noScriptRewritesAProgram() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    let script = """
      const d = nbridge.documents, names = [];
      for (const directory of ["documents", "caches", "temporary", "applicationSupport"]) {
        await d.write("seen", "", { directory });
        for (const { path } of await d.list("", { directory, recursive: true }).toArray()) names.push(path);
      }
      console.log(names.filter((name) => name === "seen").length);
      console.log(names.filter((name) => name.includes("bundle") || name.toLowerCase().includes("modules")));
      """
    try runner.write(
      ["app.json": #"{"id": "a.b"}"#, "main.mjs": "import './x.mjs'", "x.mjs": "", "s.js": script])
    let result = try runner.shell(
      "nbridge run main.mjs; ls home/a.b/Library/Modules | wc -l; nbridge run s.js")
    #expect(result.output == "1\n4\n[]\n", "\(result)")
  }

  /// What is done to a kept program, in Python, its bytes called `kept`: lengths that lie, an end too early
  /// or too late, another format, bytes that are no text, each under a checksum that fits; and a letter that
  /// is another, under the old one.
  @Test(arguments: [
    "(-10).to_bytes(8, 'little', signed=True) + kept[8:]", "(1 << 62).to_bytes(8, 'little') + kept[8:]",
    "((1 << 63) - 1).to_bytes(8, 'little') + kept[8:]", "kept[:-1]", "kept[:len(kept) // 2]", "b''",
    "kept + b'x'",
    "kept[:-8] + (99).to_bytes(8, 'little')", "kept.replace(b'nbridge-modules ', b'nbridge-modulos ')",
    "kept.replace(b'console', bytes([0xFF]) * 7)",
    "kept.replace(b'console', b'konsole'); kept_sum = whole[:32]",
  ])
  func aKeptProgramThatIsDamagedIsMadeAgain(_ damage: String) throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(["main.ts": "export {}; console.log('x' as string);"])
    let result = try runner.shell(
      """
      nbridge run main.ts; cp home/*/Library/Modules/* before; python3 -Bc "
      import glob, sys
      sys.path.append('\(Self.clients)')
      from checksum import checksum
      path = glob.glob('home/*/Library/Modules/*')[0]
      whole = open(path, 'rb').read()
      kept = whole[32:]
      kept_sum = None
      damaged = \(damage)
      assert damaged != kept and whole[:32] == checksum(kept)
      open(path, 'wb').write((kept_sum or checksum(damaged)) + damaged)" || echo failed
      nbridge run main.ts; cmp before home/*/Library/Modules/*
      """)
    #expect(result.status == 0 && result.output == "x\nx\n", "\(result)")
  }

  /// Only root can give a file away.
  @Test(.enabled(if: getuid() == 0, "not root: no file can be given to another user"))
  func whatBelongsToAnotherUserIsNotRun() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(
      ["main.mjs": "import v from './x.mjs'; console.log(v)", "x.mjs": "export default 'mine'"])
    let result = try runner.shell(
      """
      nbridge run main.mjs; f=$(ls home/*/Library/Modules/*)
      tail -c +33 "$f" | sed s/mine/evil/g > body; sum=$(python3 '\(Self.clients)/checksum.py' < body)
      { printf %s "$sum"; cat body; } > "$f"; nbridge run main.mjs
      chown 65534 home/*/Library/Modules/*; nbridge run main.mjs
      """)
    // That it was run while it was the user's own shows that the change counts.
    #expect(result.output == "mine\nevil\nmine\n", "\(result)")
  }

  @Test func noEsbuildOutlivesAProgramThatIsKilled() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    var files = ["main.mjs": (0..<400).map { "import './m/\($0).mjs';" }.joined()]
    for index in 0..<400 {
      files["m/\(index).mjs"] = String(
        repeating: "export const a = 1;\n", count: 1
      ).replacingOccurrences(of: "a", with: "a\(index)")
    }
    try runner.write(files)
    let result = try runner.shell(
      """
      for n in 1 2 3 4 5; do
        "$NBRIDGE" run --container c$n main.mjs & pid=$!
        until child=$(pgrep -P $pid -f -- --service); do kill -0 $pid || break; done
        kill -9 $pid; wait $pid 2> /dev/null
        # Whoever has ended may still wait to be asked for its status.
        runs() { grep -q '^State:.[^ZX]' /proc/$child/status 2> /dev/null; }
        for i in 1 2 3 4 5 6 7 8 9; do runs && sleep 0.05; done
        runs && { echo "left: $child"; kill -9 $child; }
      done; echo over
      """)
    #expect(result.output == "over\n", "\(result)")
  }

  @Test func aTerminalsStopWhileModulesArePutTogetherIsOne() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([
      "main.mjs": "import './pipe.mjs'",
      "slow.sh": "#!/bin/sh\ntrap 'exit 1' INT TERM HUP\n: > begun\nwhile :; do sleep 0.1; done\n",
    ])
    for (signal, status) in [("INT", 130), ("TERM", 143), ("HUP", 129)] {
      let result = try runner.shell(
        """
        # A copy that the shell makes: what another test's fork still holds open for writing can't be run.
        rm -rf slow begun; mkdir slow; cp slow.sh slow/esbuild; chmod +x slow/esbuild; \
        export PATH=$PWD/slow:$PATH
        # A shell has what it starts behind it ignore INT, which a terminal does not.
        setsid sh -c 'env --default-signal "$NBRIDGE" run main.mjs & pid=$!
          until [ -e begun ]; do kill -0 $pid || break; sleep 0.02; done
          trap "" \(signal); kill -\(signal) 0; wait $pid; echo $?'
        """)
      #expect(result.output == "\(status)\n", "\(signal): \(result)")
    }
  }
}

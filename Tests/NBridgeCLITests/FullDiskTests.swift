// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// A program that only prints runs where nothing can be written: on a full disk, on one that is read-only,
/// and for a user without a home.
@Suite struct FullDiskTests {
  static let files = [
    "d/plain.js": "console.log('hello')", "d/awaits.js": "console.log(await 'hello')",
    "d/module.mjs": """
    import { word } from './word.mjs'; console.log(word)
    """, "d/word.mjs": "export const word = 'hello'",
    "d/typed.ts": """
    const word: string = 'hello'; console.log(word)
    """, "d/page.html": "<script>console.log('hello')</script>",
    "d/app/app.json": #"{ "id": "an.app", "name": "an app" }"#, "d/app/main.js": "console.log('hello')",
  ]
  /// Each a way to print something; the prompt has a terminal, and so a history.
  static let ways = """
    for way in 'run plain.js' 'run awaits.js' 'run module.mjs' 'run typed.ts' 'run page.html' 'run \
    app/main.js' 'run --container c plain.js' 'run --audit plain.js'; do
      "$NBRIDGE" $way > ../out 2> ../err || echo "$way: $?"; grep -qx hello ../out || echo "$way printed: \
    $(cat ../out)"; grep -v 'permissions' ../err
    done
    "$NBRIDGE" eval 'console.log("hello")'; echo 'console.log("hello")' | "$NBRIDGE" run -;
    echo '"hel" + "lo"' | "$NBRIDGE" repl
    printf '"he" + "llo there"\\r\\004' | script -qec "'$NBRIDGE' repl" /dev/null | grep -c 'hello there'
    """
  static let expected = "hello\nhello\n'hello'\n"

  func run(_ line: String) throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(Self.files)
    try runner.write(["ways": Self.ways])
    let result = try runner.shell(line)
    if result.errors.contains("unshare:") || result.errors.contains("mount:") {
      print("SKIPPED: a test of FullDiskTests: this user can't mount anything")
      return
    }
    #expect(result.output.hasPrefix(Self.expected), "\(result)")
    #expect((Int(result.output.dropFirst(Self.expected.count).dropLast()) ?? 0) > 0, "\(result)")
    #expect(
      !result.errors.lowercased().contains("no space") && !result.errors.contains("ead-only"),
      "\(result.errors)")
  }

  @Test func aFullDiskHindersNothingThatOnlyPrints() throws {
    // The disk takes the scripts, and then nothing more.
    try run(
      """
      export NBRIDGE_HOME="$PWD/d/home" HOME="$PWD/d" XDG_RUNTIME_DIR="$PWD/d/run"
      unshare -rm sh -c 'mkdir e; cp -r d/. e; mount -t tmpfs -o size=64k none d && cp -r e/. d; \
      cat /dev/zero > d/fill 2> /dev/null; cd d && : > x && echo y > x 2> /dev/null && echo "there is room"; \
      sh ../ways'
      """)
  }

  @Test func aReadOnlyDiskHindersNothingThatOnlyPrints() throws {
    try run(
      """
      export NBRIDGE_HOME="$PWD/d/home" HOME="$PWD/d" XDG_RUNTIME_DIR="$PWD/d/run"
      unshare -rm sh -c 'mount --bind d d && mount -o remount,ro,bind d && cd d && sh ../ways'
      """)
  }

  @Test func whoHasNoHomeIsHinderedInNothingThatOnlyPrints() throws {
    try run(
      """
      cd d; unset NBRIDGE_HOME HOME XDG_DATA_HOME XDG_RUNTIME_DIR XDG_CACHE_HOME XDG_STATE_HOME \
      XDG_CONFIG_HOME; sh ../ways; ls -A | grep -v '^[a-z]*[.][a-z]*$\\|^app$'
      """)
  }
}

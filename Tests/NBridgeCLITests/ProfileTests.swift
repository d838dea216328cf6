// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// `--profile`, through the real program.
@Suite struct ProfileTests {
  /// Busy for a while, and on a machine that gives it little of that as long as it takes. The clock is asked
  /// seldom: where that takes long it would be all that is seen.
  private static let script = """
    function busy(end: number) { let n = 0; \
    do { for (let i = 0; i < 5e6; i++) n += Math.sqrt(n + 1); } while (Date.now() < end); return n; }
    const outer = (): number => busy(Date.now() + 400);
    outer();
    """

  @Test func aFlameGraphShowsWhatRanAndWhatCalledIt() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(["a <b>.ts": Self.script])
    let result = try runner.shell("nbridge run --profile out.svg 'a <b>.ts' && stat -c %a out.svg")
    #expect(result.status == 0, "\(result.errors)")
    #expect(result.output == "600\n")
    let table = result.errors.split(separator: "\n").map(String.init)
    try #require(table.count > 2, "\(result.errors)")
    #expect(table[0].hasPrefix("nbridge: ") && table[0].hasSuffix("in out.svg"))
    let busy = try #require(table.first { $0.contains("  busy a <b>.ts:1") }, "\(result.errors)")
    let share = try #require(Double(busy.split(separator: " ")[2]))
    #expect(share > 50, "\(result.errors)")
    // A parser of XML takes the picture, and the bar of what was called is below its caller's.
    let picture = try runner.shell(
      """
      python3 -c '
      import xml.dom.minidom as x
      bars = {}
      for g in x.parse("out.svg").getElementsByTagName("g"):
          title = g.getElementsByTagName("title")[0].firstChild.data
          bars.setdefault(title.split(":")[0], int(g.getElementsByTagName("rect")[0].getAttribute("y")))
      print(bars["(program)"] < bars["outer a <b>.ts"] < bars["busy a <b>.ts"])'
      """)
    #expect(picture.output == "True\n", "\(picture.errors)")
  }

  /// A program that does not begin has no profile, and that of another run stays.
  @Test(arguments: ["missing.js", "broken.js", "broken.mjs", "lost.mjs", "waits.js"])
  func whatDoesNotBeginLeavesTheOldProfile(_ name: String) throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([
      "broken.js": "let = 1 2", "broken.mjs": "import 'a' from 1", "lost.mjs": "import './none.mjs'",
      "waits.js": "await 1; let = 1 2", "old.svg": "old",
    ])
    let result = try runner.shell("nbridge run --profile old.svg \(name); echo $?; cat old.svg")
    #expect(result.output == "1\nold", "\(result)")
    let new = try runner.shell("nbridge run --profile new.svg \(name); ls new.svg")
    #expect(new.output == "" && !new.errors.contains("new.svg:"), "\(new)")
    let failed = try runner.shell(
      "echo 'throw 1' > a.js; nbridge run --profile old.svg a.js; head -c 4 old.svg")
    #expect(failed.output == "<svg" || failed.output == "<?xm", "\(failed)")
  }

  @Test func browsersToolsGetTheirFormat() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(["main.ts": Self.script])
    let result = try runner.shell("nbridge run --profile out.cpuprofile main.ts")
    #expect(result.status == 0, "\(result.errors)")
    let text = try Data(contentsOf: URL(fileURLWithPath: runner.folder + "/out.cpuprofile"))
    let profile = try #require(try JSONSerialization.jsonObject(with: text) as? [String: Any])
    let nodes = try #require(profile["nodes"] as? [[String: Any]])
    let samples = try #require(profile["samples"] as? [Int])
    let deltas = try #require(profile["timeDeltas"] as? [Int])
    #expect(!samples.isEmpty && deltas.count == samples.count)
    #expect(deltas.reduce(0, +) == profile["endTime"] as? Int)
    let ids = Set(nodes.compactMap { $0["id"] as? Int })
    #expect(ids.count == nodes.count && ids.isSuperset(of: samples))
    let names = nodes.compactMap { ($0["callFrame"] as? [String: Any])?["functionName"] as? String }
    #expect(names.first == "(root)" && names.contains("busy") && names.contains("outer"))
    #expect(nodes.reduce(0) { $0 + ($1["hitCount"] as? Int ?? 0) } == samples.count)
  }

  @Test func aProgramThatEndsItselfIsProfiledToo() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    let result = try runner.shell(
      """
      nbridge eval --profile out.svg 'const end = Date.now() + 200; let x = 0;
      while (Date.now() < end) for (let i = 0; i < 10_000; i++) x += i % 7; exit(3)'
      """)
    #expect(result.status == 3)
    #expect(result.errors.contains("samples") && result.errors.contains("eval:"), "\(result.errors)")
  }

  @Test func aScriptThatIsStoppedInALoopHasAProfile() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(["loop.js": "const turn = (n) => Math.sqrt(n);\nfor (;;) turn(2);"])
    let result = try runner.shell("nbridge run --profile out.svg --timeout 2 loop.js")
    #expect(result.status == 124 && result.errors.contains("samples"), "\(result.errors)")
    #expect(try runner.shell("cat out.svg").output.contains("loop.js:"))
  }

  @Test func aVeryDeepStackDoesNotFillTheMemory() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    let result = try runner.shell(
      """
      nbridge eval --profile out.svg 'const busy = (end) => { while (Date.now() < end); return 0; };
      const deep = (n) => n ? 1 + deep(n - 1) : busy(Date.now() + 800); console.log(deep(9000))'
      """)
    // Where the engine does not come to hand over what it saw, the program is ended before it takes all
    // memory.
    let isWhole = result.status == 0 && result.output == "9000\n"
    let isEnded = result.status == 1 && result.errors.contains("memory grew by 4 GB under --profile")
    #expect(isWhole || isEnded, "\(result.status) \(result.errors)")
  }

  @Test func aProfileThatCanNotBeWrittenFailsTheRun() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    let result = try runner.shell("ln -s /dev/full out.svg; nbridge eval --profile out.svg 'console.log(1)'")
    #expect(result.status == 1 && result.output == "1\n", "\(result.errors)")
    #expect(result.errors.contains("can't write 'out.svg': No space left"))
  }

  @Test func aFileThatCanNotBeWrittenIsToldBeforeTheRun() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    let missing = try runner.shell("nbridge eval --profile none/out.svg 'console.log(1)'")
    #expect(missing.status == 2 && missing.output == "")
    #expect(missing.errors.contains("can't write 'none/out.svg'"), "\(missing.errors)")
    let ending = try runner.shell("nbridge eval --profile out.txt 'console.log(1)'")
    #expect(ending.status == 2 && ending.errors.contains(".cpuprofile"), "\(ending.errors)")
  }
}

// SPDX-License-Identifier: MIT

import Testing

/// Which snapshots `nbridge test -u` takes out: those that a test which came to its end looked at no more.
@Suite struct SnapshotKeepingTests {
  @Test func whatDidNotRunKeepsItsSnapshots() throws {
    let first = """
      test('skipped', () => expect(1).toMatchSnapshot());
      describe('group', () => { test('skipped too', () => expect(2).toMatchSnapshot()) });
      test('fails', () => { expect(3).toMatchSnapshot('with a hint') });
      test('stays', () => { expect(4).toMatchSnapshot() });
      test('goes', () => expect(5).toMatchSnapshot());
      test.failing('is to fail', () => { expect(6).toMatchSnapshot(); throw 1 });
      test('has a part', async (t) => { await t.test('in', () => { expect(7).toMatchSnapshot() }) });
      """
    let then = """
      test.skip('skipped', () => expect(1).toMatchSnapshot());
      describe.skip('group', () => { test('skipped too', () => expect(2).toMatchSnapshot()) });
      test('fails', () => { throw 1; expect(3).toMatchSnapshot('with a hint') });
      test('stays', () => { expect(4).toMatchSnapshot() });
      test.failing('is to fail', () => { throw 1; expect(6).toMatchSnapshot() });
      test('has a part', async (t) => { await t.test('in', { skip: true }, () => {}) });
      """
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(["a.test.mjs": first])
    let all = try runner.shell("nbridge test -u; grep '^#' __snapshots__/*")
    #expect(all.output.contains("7 snapshots written"), "\(all)")
    try runner.write(["a.test.mjs": then])
    let told = try runner.shell("nbridge test")
    #expect(told.output.contains("1 snapshot that no test looks at"), "\(told)")
    let updated = try runner.shell("nbridge test -u; grep '^#' __snapshots__/*")
    #expect(updated.output.contains("\n1 snapshot taken out\n"), "\(updated)")
    let names = updated.output.split(separator: "\n").filter { $0.hasPrefix("# ") }
    #expect(
      names == [
        "# fails: with a hint", "# group > skipped too 1", "# has a part 1", "# is to fail 1", "# skipped 1",
        "# stays 1",
      ], "\(updated)")
  }

  @Test(arguments: [
    first("test.only('b', () => expect(2).toMatchSnapshot())"),
    first("test('b', () => expect(2).toMatchSnapshot()); before(() => { throw 1 })", skips: false),
    first(
      "test('b', () => expect(2).toMatchSnapshot()); try { describe('x', () => { throw 1 }) } catch {}",
      skips: false),
  ])
  func noneGoesWhereOtherTestsDidNotRun(_ second: String) throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([
      "a.test.mjs": """
      test('a', () => expect(1).toMatchSnapshot()); test('b', () => expect(2).toMatchSnapshot())
      """
    ])
    _ = try runner.shell("nbridge test -u")
    try runner.write(["a.test.mjs": second])
    let result = try runner.shell("nbridge test -u; grep -c '^#' __snapshots__/*")
    #expect(result.output.hasSuffix("\n2\n") && !result.output.contains("taken out"), "\(result)")
  }

  private static func first(_ rest: String, skips: Bool = true) -> String {
    (skips ? "test('a', () => expect(1).toMatchSnapshot()); " : "") + rest
  }

  /// A title may read as that of another test with a hint.
  @Test(arguments: [
    "test('x: y', () => expect(1).toMatchSnapshot()); test('x', () => expect(2).toMatchSnapshot('y 1'))",
    "test('x: y', () => expect(1).toMatchSnapshot('z')); test('x', () => expect(2).toMatchSnapshot('y: z'))",
    """
    test('x', () => {
      expect(1).toMatchSnapshot('y'); expect(2).toMatchSnapshot('y'); expect(3).toMatchSnapshot('y 2');
    })
    """,
  ])
  func twoTextsByOneNameAreRefused(_ script: String) throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(["a.test.mjs": script])
    let result = try runner.shell("nbridge test -u")
    #expect(result.status == 1 && result.output.contains("two snapshots would have the name"), "\(result)")
  }

  @Test func namesWithHintsStayAsTheyWere() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([
      "a.test.mjs": """
      test('x', () => {
        for (const n of [1, 2]) { expect(n).toMatchSnapshot(); expect(n).toMatchSnapshot('y') }
      });
      test('x', () => expect(3).toMatchSnapshot());
      """
    ])
    let result = try runner.shell("nbridge test -u; grep '^#' __snapshots__/*")
    let names = result.output.split(separator: "\n").filter { $0.hasPrefix("# ") }
    #expect(names == ["# x 1", "# x 2", "# x 3", "# x: y", "# x: y 2"], "\(result)")
  }
}

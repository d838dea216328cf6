// SPDX-License-Identifier: MIT

import Foundation
import NBridgeTesting
import Testing

/// Files that are read line by line.
@Suite struct LinesTests {
  private func prints(_ script: String, _ expected: String) async {
    await DocumentsFixture.with { fixture in
      let result = await fixture.run(script)
      #expect(result.output == expected, "\(result.errors)")
    }
  }

  @Test(arguments: [
    (#""""#, "[]"), (#""\n""#, "[ '' ]"), (#""a\n\nb""#, "[ 'a', '', 'b' ]"),
    (#""a\r\nb\r""#, "[ 'a', 'b' ]"),
    (#""a\r\r\nb\rc""#, "[ 'a\\r', 'b\\rc' ]"), (#""\uFEFF\u00E9\n\u{1F389}""#, "[ '\u{FEFF}é', '🎉' ]"),
  ])
  func endsAreLeftOut(_ content: String, _ lines: String) async {
    await prints(
      "await d.write('f', \(content)); console.log(await d.lines('f').toArray());", lines + "\n")
  }

  /// A piece of what is read at once ends anywhere in a line, and in a character.
  @Test func aLineMayBeLongerThanAPiece() async {
    await prints(
      """
      const text = "x" + "\\u00E9".repeat(300000);
      await d.write("f", [text, text, "y", text].join("\\n"));
      const lines = await d.lines("f").toArray();
      console.log(lines.map((line) => line.length), lines[0] === text, lines[3] === text);
      """, "[ 300001, 300001, 1, 300001 ] true true\n")
  }

  @Test func readersTakeTurns() async {
    await prints(
      """
      await d.write("f", "1\\n2\\n3");
      const lines = d.lines("f");
      const steps = await Promise.all([lines.next(), lines.next(), lines.next(), lines.next()]);
      console.log(...steps.map(({ value, done }) => `${value} ${done}`));
      """, "1 false 2 false 3 false undefined true\n")
  }

  @Test func aLoopThatEndsEarlyClosesTheFile() async {
    await prints(
      """
      await d.write("f", "line\\n".repeat(1e6));
      const lines = d.lines("f");
      for await (const line of lines) { console.log(line); break; }
      console.log(await lines.next(), await lines.toArray());
      """, "line\n{ value: undefined, done: true } []\n")
  }

  @Test func aSignalEndsTheReading() async {
    await prints(
      """
      await d.write("f", "line\\n".repeat(1e6));
      const stop = new AbortController();
      let count = 0;
      try {
        for await (const line of d.lines("f", {}, { signal: stop.signal })) if (++count === 3) stop.abort();
      } catch (error) { console.log(error.code, error.action, count < 1e6); }
      """, "cancelled lines true\n")
  }

  @Test func aCallbackGetsEachLine() async {
    await prints(
      """
      await d.write("f", "a\\r\\nb\\n\\nc");
      const seen = [];
      await d.lines("f", {}, (line) => seen.push(line));
      const retainCallback = (line) => seen.push(line);
      await nbridge.callToNative("documents", "lines", { path: "f", retainCallback });
      console.log(seen.join("|"));
      """, "a|b||c|a|b||c\n")
  }

  @Test func whatIsNoTextIsRefused() async {
    await prints(
      """
      await d.write("f", new Uint8Array([0x61, 10, 200, 10])); await t(() => d.lines("f").toArray());
      await t(() => d.lines("none").next()); await t(() => d.lines("", {}).next());
      try { await d.lines("none").next(); } catch (error) { console.log(error.service, error.action); }
      """,
      """
      invalid_data 'f' is not text in UTF-8; read it as bytes
      not_found can't read 'none': there is no such file or folder
      io_error can't read '': it is a folder
      documents lines

      """)
  }
}

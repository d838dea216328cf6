// SPDX-License-Identifier: MIT

import NBridgeTesting
import Testing

/// What a script calls at the end of its stack may fail in its midst: it is done, or it is not, and all that
/// was begun before goes on.
@Suite struct StackEndTests {
  /// Calls `body` at each of the last places of a stack that overflows; has the names of the errors.
  private static let tools = """
    const atTheEnd = (body, most = 150) => {
      const errors = new Set();
      for (let padding = 0; padding < 4; padding++) {
        let left = most;
        const descend = () => {
          try { descend(); } catch (error) {
            if (left-- > 0) try { body(); } catch (error) { errors.add(error.name); }
            throw error;
          }
        };
        const pad = (count) => count > 0 ? pad(count - 1) : descend();
        try { pad(padding); } catch {}
      }
      return [...errors].join();
    };

    """

  private func expect(_ script: String, prints expected: String) async {
    let result = await ScriptHarness(plugins: []).run(Self.tools + script)
    #expect(result.output == expected, "\(result)")
  }

  @Test func timersAreSetOrNotAtTheEndOfTheStack() async {
    await expect(
      """
      let early = 0, set = 0, fired = 0, ids = [];
      for (let i = 0; i < 50; i++) setTimeout(() => early++, i % 7);
      console.log(atTheEnd(() => {
        setTimeout(() => fired++, set % 5);
        set++;
      }));
      setTimeout(() => console.log(early, set > 100, fired === set), 20);
      """,
      prints: "RangeError\n50 true true\n")
  }

  /// The program ends when none is left that it waits for.
  @Test func timersAreClearedOrNotAtTheEndOfTheStack() async {
    await expect(
      """
      const ids = [];
      for (let i = 0; i < 5000; i++) ids.push(setTimeout(() => console.log("was cleared"), 1e9 - i));
      setTimeout(() => console.log("came"), 5);
      let next = 0;
      console.log(atTheEnd(() => { for (; next < ids.length; next++) clearTimeout(ids[next]); }));
      for (const id of ids) clearTimeout(id);
      """,
      prints: "RangeError\ncame\n")
  }
}

// SPDX-License-Identifier: MIT

import BothWays
import NBridgeTesting
import Testing

/// The owner of a content says what it is to leave behind: a writer that adds to it takes nothing of that
/// away.
@Suite(.bothWays) struct ContentFlagTests {
  @Test(arguments: [
    "{ concealed: false }", "{ readOnce: false }", "{ concealed: false, readOnce: false, expiresIn: 9e9 }",
    "{}",
  ])
  func whoAddsDoesNotPutWhatIsThereIntoTheHistory(_ option: String) async throws {
    for flag in ["concealed: true", "readOnce: true", "expiresIn: 600_000"] {
      await PasteboardFixture.with { fixture in
        _ = await fixture.run("await p.set('secret', { \(flag) })")
        let result = await fixture.run(
          "await p.add('x', \(option)); await p.set('next'); console.log(await p.history())", app: "two")
        #expect(result.output == "[]\n", "\(flag) \(result.errors)")
      }
    }
  }

  @Test func whoAddsMayAskForMore() async {
    await PasteboardFixture.with { fixture in
      _ = await fixture.run("await p.set('plain')")
      let result = await fixture.run(
        """
        await p.add("x", { concealed: true }); await p.add("y", { expiresIn: 600_000 });
        await p.add("z", { expiresIn: 9e9, concealed: false });
        const { concealed, readOnce, expiresAt, items } = await p.info();
        console.log(concealed, readOnce, expiresAt - Date.now() < 700_000, items);
        await p.set("next"); console.log(await p.history());
        await p.set("open"); console.log((await p.info()).concealed, (await p.info()).expiresAt);
        """, app: "two")
      #expect(result.output == "true false true 4\n[]\nfalse undefined\n", "\(result.output)\(result.errors)")
    }
  }
}

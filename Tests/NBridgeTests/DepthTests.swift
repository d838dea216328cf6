// SPDX-License-Identifier: MIT

import BothWays
import NBridge
import NBridgePlugin
import NBridgeTesting
import StressPlugins
import Testing

/// How deep a value may be that crosses, and what is said of one that is deeper.
@Suite(.bothWays) struct DepthTests {
  let harness = ScriptHarness(plugins: [ProbePlugin()])

  func expect(_ script: String, prints expected: String) async {
    let result = await harness.run(script)
    #expect(result.output == expected + "\n", "\(result.errors)")
  }

  /// A level is one of the text's: a Map takes 4, a Set 3, what is tagged 2. What is refused has a short
  /// path, and never reaches the other side or the end of the engine's stack.
  @Test(arguments: [
    ("new Map([[1, d]])", 5000), ("new Map([[1, d]])", 128), ("new Set([d])", 5000), ("new Set([d])", 171),
    ("new Set([new Map([[d, 1]])])", 5000), ("({ $nb: d })", 5000), ("({ $nb: d })", 171),
    ("[new Map([['x', d]])]", 103), ("[d]", 512),
  ])
  func deepValuesOfEachKindAreRefusedByAShortPath(_ step: String, _ count: Int) async {
    await expect(
      """
      let d = 1; for (let i = 0; i < \(count); i++) d = \(step);
      try { await nbridge.probe.echo({ value: d }); console.log("crossed") } catch (e) {
        console.log(e.code, e.message.length < 120, e.message.startsWith("option.value"),
          e.message.endsWith("is nested deeper than 512")) }
      """,
      prints: "invalid_parameter true true true")
  }

  @Test(arguments: [
    ("new Map([[1, d]])", "1", 127), ("new Set([d])", "1", 170), ("({ $nb: d })", "1", 170),
    ("[d]", "1", 511),
    ("[d]", "undefined", 509), ("[d]", "new Date(0)", 509), ("[d]", "1n", 509),
    ("[d]", "new Uint8Array(1)", 509), ("[d]", "NaN", 509), ("new Map([[d, d]])", "1", 7),
  ])
  func whatIsAsDeepAsItMayBeCrosses(_ step: String, _ last: String, _ count: Int) async {
    await expect(
      """
      let d = \(last); for (let i = 0; i < \(count); i++) d = \(step);
      await nbridge.probe.echo({ value: d }); console.log("crossed")
      """,
      prints: "crossed")
  }

  @Test(arguments: ["undefined", "new Date(0)", "1n", "new Uint8Array(1)", "NaN", "new ArrayBuffer(1)"])
  func aTaggedLeafThatIsTooDeepIsRefusedByItsPath(_ last: String) async {
    await expect(
      """
      let d = \(last); for (let i = 0; i < 510; i++) d = [d];
      try { await nbridge.probe.echo({ value: d }); console.log("crossed") } catch (e) {
        console.log(e.message.startsWith("option.value[0]"),
          e.message.endsWith("[0] is nested deeper than 512")) }
      """,
      prints: "true true")
  }
}

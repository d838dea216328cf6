// SPDX-License-Identifier: MIT

import BothWays
import NBridge
import NBridgePlugin
import NBridgeTesting
import PasteboardPlugin
import Testing

@Suite(.bothWays) struct PasteboardPluginTests {
  @Test func aStringComesBack() async {
    let harness = ScriptHarness(plugins: [PasteboardPlugin()])
    let result = await harness.run(
      "const p = nbridge.pasteboard; console.log(await p.set('x'), await p.get(), await p.types())")
    #expect(result.output == "1 x [ 'text/plain' ]\n", "\(result.errors)")
  }
}

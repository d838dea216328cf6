// SPDX-License-Identifier: MIT

import BothWays
import NBridge
import NBridgePlugin
import NBridgeTesting
import StressPlugins
import Testing

/// A plugin that calls another goes by the same checks, deadlines, cancellation, ledger, trace and audit as a
/// script.
@Suite(.allWays) struct InvocationTests {
  let harness = ScriptHarness(plugins: [AttackedPlugin(), ProbePlugin()])

  @Test func ithasADeadline() async {
    let result = await harness.run(
      """
      const a = nbridge.attacked, code = (e) => e.code;
      console.log(await a.through({action: "never", milliseconds: 20}).catch(code));
      console.log(await a.through({action: "never"}, {timeout: 20}).catch(code));
      while (await a.cancellations() < await a.beginnings()) await nbridge.probe.later({ms: 1});
      """)
    #expect(result.output == "timeout\ntimeout\n", "\(result.errors)")
  }

  /// What is hidden is for the plugin's own script.
  @Test func itFindsNoHiddenAction() async {
    let result = await harness.run(
      "console.log(await nbridge.attacked.through({action: 'secret'}).catch((e) => e.code))")
    #expect(result.output == "invalid_action_name\n", "\(result.errors)")
  }

  @Test func largeAnswersComeWholeHoweverManyAreAwaited() async {
    let result = await ScriptHarness(plugins: [CarryingPlugin(), ProbePlugin()]).run(
      """
      const carry = (_, i) => nbridge.carrying.carry({ size: 3e6 + i });
      const sizes = await Promise.all(Array.from({ length: 12 }, carry));
      console.log(sizes.every((size, i) => size === 3e6 + i), await nbridge.carrying.carry({ size: 0 }));
      """)
    #expect(result.output == "true 0\n", "\(result.errors)")
  }

  /// Has another plugin give bytes back.
  struct CarryingPlugin: Plugin {
    static let manifest = PluginManifest(service: "carrying", version: "1.0.0", help: "Carries.")
    struct Size: Codable, Sendable { var size: Int }

    var body: PluginBody {
      Action("carry", "How many bytes come back.") { (options: Size, call) async throws -> Int in
        let bytes = Bytes([UInt8](repeating: 7, count: options.size))
        let back: Bytes = try await call.invoke("probe", "bytes", ["bytes": bytes])
        return back.count
      }
    }
  }

  @Test func itIsCancelledWithTheCallThatMadeIt() async {
    let result = await harness.run(
      """
      const a = nbridge.attacked, abort = new AbortController();
      const call = a.through({action: "never"}, {signal: abort.signal});
      while (await a.beginnings() === 0) await nbridge.probe.later({ms: 1});
      abort.abort();
      console.log(await call.catch((e) => e.code));
      while (await a.cancellations() === 0) await nbridge.probe.later({ms: 1});
      console.log("the inner handler was told");
      """)
    #expect(result.output == "cancelled\nthe inner handler was told\n", "\(result.errors)")
  }

  @Test func itIsCheckedAndAudited() async {
    var harness = harness
    harness.options.permissions = PermissionSet(["attacked.through", "attacked.cancellations"])
    harness.options.tracing.audits = true
    let denied = await harness.run(
      """
      console.log(await nbridge.attacked.through({action: 'never'}).catch((e) => e.code),
        await nbridge.attacked.through({action: 'cancellations'}))
      """
    )
    #expect(denied.output == "permission_denied 0\n", "\(denied.errors)")
    #expect(
      denied.errors == """
        "permissions": ["attacked.cancellations", "attacked.through"]

        """, "\(denied.errors)")
  }

  @Test(.inThisProcess) func itIsTracedWithWhoCalled() async {
    var harness = harness
    harness.options.tracing.toStandardError = true
    let result = await harness.run("await nbridge.attacked.through({action: 'cancellations'})")
    let lines = result.errors.split(separator: "\n")
    #expect(
      lines.count == 2 && lines[0].hasPrefix("trace: attacked.cancellations immediate ok"),
      "\(result.errors)")
    #expect(lines[0].hasSuffix("ms, by the plugin 'attacked'"), "\(result.errors)")
  }

  @Test func itStandsInTheLedgerAndIsAnsweredAtTheEnd() async {
    var harness = harness
    harness.options.checksLeaks = true
    harness.options.cleanupTime = 30
    let plugin = AttackedPlugin()
    harness.plugins = [plugin, ProbePlugin()]
    let result = await harness.run("nbridge.attacked.through({action: 'never'}); setTimeout(() => nope(), 5)")
    #expect(result.errors.contains("attacked.never (call), open for"), "\(result.errors)")
    #expect(result.errors.contains("made by the plugin 'attacked'"), "\(result.errors)")
    #expect(plugin.cancelled.value == 1)
  }

  @Test func oneThatBlocksRunsBesideThoseThatCompute() async {
    let result = await harness.run(
      """
      const inner = Array.from({length: 12},
        () => nbridge.attacked.through({action: "wait"}).catch((e) => e.code));
      console.log(await nbridge.probe.compute({count: 2}));
      await Promise.all(inner);
      """)
    #expect(result.output == "4\n", "\(result.errors)")
  }
}

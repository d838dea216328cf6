// SPDX-License-Identifier: MIT

import BothWays
import NBridge
import NBridgePlugin
import NBridgeTesting
import Synchronization
import Testing

/// What a plugin says while it is stopped, as of what it could not keep, reaches the person.
@Suite(.bothWays) struct LastWordsTests {
  private struct LastWordsPlugin: Plugin {
    static let manifest = PluginManifest(service: "last", version: "1.0.0", help: "Speaks at its end.")

    private final class State: Sendable { let app = Mutex<AppEnvironment?>(nil) }
    private let state = State()

    func start(_ app: AppEnvironment) throws { state.app.withLock { $0 = app } }
    func stop() { state.app.withLock { $0?.note("one record was lost") } }

    var body: PluginBody { Immediate("nothing", "Nothing.") { call in } }
  }

  @Test func whatAPluginSaysWhileItIsStoppedIsHeard() async {
    let result = await ScriptHarness(plugins: [LastWordsPlugin()]).run("await nbridge.last.nothing()")
    #expect(result.errors == "one record was lost\n" && result.status == .success)
  }
}

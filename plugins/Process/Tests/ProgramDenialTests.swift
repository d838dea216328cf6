// SPDX-License-Identifier: MIT

import NBridge
import NBridgeTesting
import ProcessPlugin
import Testing

/// What a script is told of a program that an entry forbids: one to add would not help. A plugin in a process
/// of its own can't ask which entry that is.
@Suite struct ProgramDenialTests {
  @Test(arguments: ["!process.run:/usr/bin/true", "!process.run:/usr"])
  func whatForbidsAProgramIsNamed(_ denial: String) async {
    #expect(
      await failure("run('true')", ["process.run:/usr/bin/true", denial]) == """
        permission_denied: 'run' of '/usr/bin/true' is not permitted: "\(denial)" in "permissions" of \
        app.json (or in --permissions) forbids it

        """)
  }

  @Test func whatForbidsAVariableIsNamed() async {
    #expect(
      await failure("env('HOME')", ["process.env:HOME", "!process.env:H*"]) == """
        permission_denied: 'env' of 'HOME' is not permitted: "!process.env:H*" in "permissions" of \
        app.json (or in --permissions) forbids it

        """)
  }

  private func failure(_ call: String, _ permissions: [String]) async -> String {
    var harness = ScriptHarness(plugins: [ProcessPlugin()])
    harness.options.permissions = PermissionSet(permissions)
    harness.usesRealTime = true
    return await harness.run(
      """
      try { console.log('none', await nbridge.process.\(call)) }
      catch (e) { console.log(e.code + ': ' + e.message) }
      """
    ).output
  }
}

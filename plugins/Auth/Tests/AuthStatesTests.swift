// SPDX-License-Identifier: MIT

import AuthPlugin
import DocumentsPlugin
import Foundation
import Glibc
import NBridge
import NBridgePlugin
import NBridgeTesting
import Testing

/// Changes by other programs, seen while a program runs.
extension AuthPluginTests {
  @Test func theDomainStateChangesWithEnrolmentOnly() async throws {
    try await withFolder { folder in
      let state = { (list: String) in
        await run(
          "await ask(); console.log(await auth.domainState());",
          try setup(#"{"enrolled": \#(list), "rules": [{"outcome": "fail"}]}"#), in: folder
        ).output
      }
      let (left, both, turned, none) = (
        try await state(#"["left"]"#), try await state(#"["left", "right"]"#),
        try await state(#"["right", "left"]"#), try await state("[]")
      )
      #expect(left.count == 65 && left != both && both == turned && none == "null\n")
      let again = try await state(#"["left"]"#)
      #expect(again == left)
    }
  }

  @Test func statesTellEnrolmentAndLockOfOtherPrograms() async throws {
    try await withFolder { folder in
      let failing = AuthSetup(always: .fail)
      var harness = ScriptHarness(plugins: [AuthPlugin(failing)])
      (harness.container, harness.usesRealTime) = (folder, true)
      let way = ScriptHarness.way
      let other = Task {
        try await ScriptHarness.$way.withValue(way) {
          for _ in 0..<2000 where !FileManager.default.fileExists(atPath: folder + "/Documents/watching") {
            try await Task.sleep(for: .milliseconds(20))
          }
          return await run("for (let i = 0; i < 5; i++) await ask();", failing, in: folder, id: "org.other")
            .status
        }
      }
      harness.plugins.append(DocumentsPlugin())
      let result = await harness.run(
        """
        for await (const { locked, enrolled, biometryType } of nbridge.auth.states()) {
          console.log(locked, enrolled, biometryType);
          if (locked) break;
          await nbridge.documents.write("watching", "");
        }
        """)
      #expect(result.output == "false true fingerprint\ntrue true fingerprint\n", "\(result.errors)")
      let status = try await other.value
      #expect(status == .success)
    }
  }
}

// SPDX-License-Identifier: MIT

import AuthPlugin
import DocumentsPlugin
import Foundation
import Glibc
import NBridge
import NBridgePlugin
import NBridgeTesting
import Testing

/// Scripts and programs that want in.
extension AuthPluginTests {
  @Test func aScriptThatRedefinesEverythingFoolsItselfOnly() async throws {
    try await withFolder { folder in
      let result = await run(
        """
        const real = nbridge.auth.evaluatePolicy;
        Promise.prototype.then = function (yes) { return yes?.({ success: true }); };
        JSON.parse = () => ({ success: true }); JSON.stringify = () => '{"policy":"passcode","reason":"x"}';
        Object.defineProperty(nbridge, "auth",
          { value: { evaluatePolicy: async () => ({ success: true }) }, configurable: true });
        await real({ policy: "biometrics", reason: "x" });
        """, AuthSetup(always: .fail), in: folder)
      _ = result
      var outcomes: [String] = []
      let log = try log(folder) { outcomes.append("\($0.policy?.rawValue ?? "") \($0.outcome ?? "")") }
      #expect(outcomes.allSatisfy { !$0.contains("success") } && log.problems.isEmpty, "\(outcomes)")
    }
  }

  @Test func scriptsReachNeitherLockNorLogNorPolicy() async throws {
    try await withFolder { folder in
      let place = TemporaryFolder.make()
      defer { TemporaryFolder.remove(place) }
      try Data(#"{"rules": [{"outcome": "fail"}]}"#.utf8).write(
        to: URL(fileURLWithPath: place + "/policy.json"))
      let setup = try AuthSetup(file: place + "/policy.json")
      let result = await run(
        """
        await ask();
        const { documents } = nbridge;
        const code = (call) => call.then(() => "done", (e) => e.code);
        await documents.write("mine", "x");
        for (const path of ["../.shared/auth/lockout", "/.shared/auth/audit.log",
          "\(folder)/.shared/auth/lockout"]) {
          console.log(await code(documents.write(path, "")), await code(documents.read(path)),
            await code(documents.remove(path)));
        }
        for (const path of ["\(folder)/.shared/auth/lockout", "\(folder)/.shared/auth/audit.log",
          "\(folder)/.shared", "\(folder)/.state/auth.key", "\(folder)/.state", "\(place)/policy.json",
          "\(place)"]) {
          console.log(await code(documents.import(path, "taken")),
            await code(documents.export("mine", path, { overwrite: true })));
        }
        """, setup, in: folder
      ) { harness in
        harness.plugins.append(DocumentsPlugin())
        harness.options.sealedNames = setup.sealedNames
        harness.options.permissions = PermissionSet([
          "auth.*", "documents.*", "documents.import:/", "documents.export:/", "documents.import:\(folder)",
          "documents.export:\(folder)", "documents.import:\(place)", "documents.export:\(place)",
        ])
      }
      let lines = result.output.split(separator: "\n")
      #expect(lines.count == 10 && !result.output.contains("done"), "\(result.output)\(result.errors)")
      #expect(lines.suffix(7).allSatisfy { $0 == "permission_denied permission_denied" }, "\(result.output)")
      let log = try log(folder)
      #expect(log.problems.isEmpty)
    }
  }

  @Test func aPolicyThatTheScriptCouldWriteIsRefused() async throws {
    try await withFolder { folder in
      try FileManager.default.createDirectory(
        atPath: folder + "/Documents", withIntermediateDirectories: true)
      let path = folder + "/Documents/policy.json"
      try Data(#"{"rules": [{"outcome": "pass"}]}"#.utf8).write(to: URL(fileURLWithPath: path))
      let result = await run("console.log(await ask());", try AuthSetup(file: path), in: folder)
      #expect(
        result.output != "stub\n" && result.errors.contains("where scripts can write"),
        "\(result.output)\(result.errors)")
    }
  }

  @Test func whatAFileAnswersInPlaceOfThePluginSaysSo() async throws {
    try await withFolder { folder in
      let path = folder + "/mocks.json"
      try Data(#"{"auth.evaluatePolicy": {"success": true, "method": "prompt", "then": 1}}"#.utf8).write(
        to: URL(fileURLWithPath: path))
      let mocks = [try MockFile(path: path)]
      let result = await run("console.log(await ask(), await ask());", AuthSetup(always: .fail), in: folder) {
        $0.options.mocks = mocks
      }
      #expect(
        result.output == "mock mock\n" && result.errors.components(separatedBy: "--mock answers").count == 2,
        "\(result.output)\(result.errors)")
      let log = try log(folder)
      #expect(log.count == 0)
    }
  }

  @Test func whatAnAppSaysOfItselfSetsNothingUp() async throws {
    let result = await run("console.log(await ask());", AuthSetup(always: .fail)) {
      $0.options.settings = ["auth": Value(text: Array(#"{"outcome":"pass"}"#.utf8))]
    }
    #expect(
      result.output.isEmpty && result.errors.contains("app.json can't set up 'auth'"),
      "\(result.output)\(result.errors)")
  }

  @Test func aPolicyThatIsChangedMeanwhileIsToldAndDoesNotCount() async throws {
    try await withFolder { folder in
      let place = TemporaryFolder.make()
      defer { TemporaryFolder.remove(place) }
      let path = place + "/policy.json"
      try Data(#"{"rules": [{"outcome": "fail"}]}"#.utf8).write(to: URL(fileURLWithPath: path))
      let setup = try AuthSetup(file: path)
      try Data(#"{"rules": [{"outcome": "pass"}]}"#.utf8).write(to: URL(fileURLWithPath: path))
      let result = await run("console.log(await ask(), await ask());", setup, in: folder)
      #expect(result.output == "authentication_failed authentication_failed\n")
      #expect(
        result.errors.components(separatedBy: "was changed while a program ran").count == 2,
        "\(result.errors)")
      let log = try log(folder)
      #expect(log.problems.map(\.text).contains { $0.contains("was changed while a program ran") })
    }
  }

  @Test(arguments: [
    "change lockout", "remove lockout", "replace lockout", "old lockout", "cut log", "remove log",
    "append log", "append garbage", "change log", "change app", "remove both", "empty both", "huge number",
    "huge log", "largest numbers",
  ])
  func whatIsChangedFromOutsideIsReportedAndLocks(_ attack: String) async throws {
    try await withFolder { folder in
      let (lockout, log) = (folder + "/.shared/auth/lockout", folder + "/.shared/auth/audit.log")
      #expect(
        await run("for (let i = 0; i < 3; i++) await ask();", AuthSetup(always: .fail), in: folder).status
          == .success)
      let old = try Data(contentsOf: URL(fileURLWithPath: lockout))
      #expect(
        await run("for (let i = 0; i < 3; i++) await ask();", AuthSetup(always: .fail), in: folder).status
          == .success)
      let text = try String(contentsOfFile: log, encoding: .utf8)
      func write(_ path: String, _ text: String) throws {
        try Data(text.utf8).write(to: URL(fileURLWithPath: path))
      }
      switch attack {
      case "change lockout":
        try write(
          lockout, try String(contentsOfFile: lockout, encoding: .utf8).replacing("true", with: "false"))
      case "remove lockout": try FileManager.default.removeItem(atPath: lockout)
      case "replace lockout": try write(lockout, "")
      case "old lockout": try old.write(to: URL(fileURLWithPath: lockout))
      case "cut log": try write(log, text.split(separator: "\n").prefix(3).joined(separator: "\n") + "\n")
      case "remove log": try FileManager.default.removeItem(atPath: log)
      case "append log": try write(log, text + (text.split(separator: "\n").last ?? "") + "\n")
      case "append garbage": try write(log, text + "no line of the log\n")
      case "change app":
        let lines = text.split(separator: "\n")
        let last = (lines.last ?? "").replacing("com.example.vault", with: "com.example.value")
        try write(log, lines.dropLast().joined(separator: "\n") + "\n" + last + "\n")
      case "huge number":
        let line = String(text.split(separator: "\n").last ?? "").replacing(
          "\"seq\":6", with: "\"seq\":\(Int.max)")
        try write(log, text + line + "\n")
      case "largest numbers":
        let line = String(text.split(separator: "\n").last ?? "").replacing(
          #/"seq":\d+/#, with: "\"seq\":\(1 << 53)"
        )
        .replacing(#/"key":\d+/#, with: "\"key\":\(1 << 53)")
        try write(log, text + line + "\n")
      case "huge log": truncate(log, 1 << 40)
      case "change log":
        try write(log, String(text.dropLast(200)) + String(text.suffix(200)).replacing("true", with: "false"))
      case "remove both": for path in [lockout, log] { try FileManager.default.removeItem(atPath: path) }
      default: for path in [lockout, log] { try write(path, "") }
      }
      let result = await run("console.log(await ask());", AuthSetup(always: .pass), in: folder)
      #expect(
        result.output == "biometry_lockout\n"
          && result.errors.contains("not by nBridge; biometrics are locked"),
        "\(result.output)\(result.errors)")
      let found = try self.log(folder)
      #expect(!found.problems.isEmpty)
      // A passcode ends it, and the log goes on.
      let unlocked = await run(
        "console.log(await ask({ policy: 'passcode' }), await ask());", AuthSetup(always: .pass), in: folder)
      #expect(unlocked.output == "stub stub\n", "\(unlocked.errors)")
      let later = await run("console.log(await ask());", AuthSetup(always: .pass), in: folder)
      #expect(later.output == "stub\n" && !later.errors.contains("not by nBridge"), "\(later.errors)")
    }
  }

  @Test func halfALineOfAProcessThatWasKilledIsNoTampering() async throws {
    try await withFolder { folder in
      let log = folder + "/.shared/auth/audit.log"
      #expect(await run("await ask();", AuthSetup(always: .fail), in: folder).status == .success)
      let text = try String(contentsOfFile: log, encoding: .utf8)
      try Data((text + text.prefix(100)).utf8).write(to: URL(fileURLWithPath: log))
      let result = await run("console.log(await ask());", AuthSetup(always: .pass), in: folder)
      let found = try self.log(folder)
      #expect(
        result.output == "stub\n" && found.problems.isEmpty && found.count == 2,
        "\(result.errors) \(found.problems)")
    }
  }

  @Test func whatCanNotBeWrittenDownDoesNotSucceed() async throws {
    try await withFolder { folder in
      #expect(await run("await ask();", AuthSetup(always: .fail), in: folder).status == .success)
      let log = folder + "/.shared/auth/audit.log"
      try FileManager.default.removeItem(atPath: log)
      try FileManager.default.createSymbolicLink(atPath: log, withDestinationPath: "/dev/full")
      let result = await run("console.log(await ask());", AuthSetup(always: .pass), in: folder)
      #expect(result.output == "io_error\n", "\(result.output)\(result.errors)")
    }
  }

  @Test func aStubThatLetsSomebodyInSaysSoOnce() async throws {
    let result = await run("await ask(); await ask();", AuthSetup(always: .pass))
    #expect(result.errors == "nbridge: auth: --auth pass let an authentication succeed; nobody was asked\n")
    #expect(await run("await ask();", AuthSetup(always: .fail)).errors.isEmpty)
  }
}

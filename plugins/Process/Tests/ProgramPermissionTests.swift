// SPDX-License-Identifier: MIT

import BothWays
import Foundation
import NBridge
import NBridgeSystem
import NBridgeTesting
import ProcessPlugin
import Testing

/// Which programs and variables a script may use, and what it is told of those that it may not.
@Suite(.bothWays) struct ProgramPermissionTests {
  func failure(_ call: String, _ permissions: [String]?) async -> String {
    var harness = ScriptHarness(plugins: [ProcessPlugin()])
    harness.options.permissions = permissions.map { PermissionSet($0) } ?? .everything
    harness.usesRealTime = true
    return await harness.run(
      """
      try { console.log('none', await nbridge.process.\(call)) }
      catch (e) { console.log(e.code + ': ' + e.message) }
      """
    ).output
  }

  func inFolder(_ body: (String) async throws -> Void) async rethrows {
    let folder = TemporaryFolder.make()
    defer { TemporaryFolder.remove(folder) }
    try await body(folder)
  }

  @Test(arguments: [nil, ["*"], ["process.*"], ["process.run:/usr/bin/git"], ["process.run:/usr/bin/tru"]])
  func aProgramThatNoPermissionNamesIsDenied(_ permissions: [String]?) async {
    #expect(
      await failure("run('true')", permissions) == """
        permission_denied: 'run' of '/usr/bin/true' is not permitted; to allow it, add \
        "process.run:/usr/bin/true" to "permissions" in app.json (or to --permissions)

        """)
  }

  @Test(arguments: ["process.run:/usr/bin/true", "process.run:/usr", "process.run:/"])
  func aProgramOrAFolderAboveItIsNamed(_ permission: String) async {
    #expect(await failure("run('true')", [permission]).hasPrefix("none"))
  }

  @Test func aLinkIsAskedForByWhatItLeadsTo() async throws {
    try await inFolder { folder in
      let link = folder + "/true"
      try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: "/usr/bin/id")
      let message = await failure("run('\(link)')", ["process.run:\(folder)"])
      #expect(message.hasPrefix("permission_denied: 'run' of '/usr/bin/id' "), "\(message)")
    }
  }

  @Test func aScriptIsRunByItsInterpreter() async throws {
    try await inFolder { folder in
      let script = folder + "/hello"
      // By another process: a child that a test beside this one starts would have the file open for a moment,
      // and what is being written can't be run.
      let write = "printf '#!/bin/sh\\necho \"hello $1\"\\n' > '\(script)'; chmod 755 '\(script)'"
      let writer = try ChildProcess.start("sh", ["-c", write])
      #expect(writer.wait() == 0)
      let output = await failure("run('\(script)', ['you']).then((r) => r.stdout)", ["process.run:\(folder)"])
      #expect(output == "none hello you\n\n")
    }
  }

  @Test(arguments: [
    ("run('/usr/bin')", "not_executable: can't run '/usr/bin': it is no file that this user may execute"),
    ("run('/etc/passwd')", "not_executable: can't run '/etc/passwd': it is no file"),
    ("run('/none/such')", "not_found: can't run '/none/such': there is no such program"),
    ("run('none-such')", "not_found: there is no program 'none-such' in the folders of PATH"),
    ("run('./true')", "invalid_parameter: the program must be a whole path"),
    ("run('')", "invalid_parameter: the program must be a whole path"),
    ("run('tr\\0ue')", "invalid_parameter: the program holds a NUL character"),
    ("run('true', ['a\\0b'])", "invalid_parameter: an argument holds a NUL character"),
    ("run('true', ['\\ud800'])", "invalid_parameter: args[0] holds a lone surrogate"),
    ("run('true', 'a')", "invalid_parameter: args must be an array of strings, not a string"),
    ("run('true', ['x'.repeat(3e6)])", "too_large: can't run 'true'"),
    ("run('true', [], { cwd: 'tmp' })", "invalid_parameter: option.cwd must be a whole path"),
    ("run('true', [], { cwd: '/none/such' })", "not_found: option.cwd: no child can start in '/none/such'"),
    ("run('true', [], { env: { LD_PRELOAD: 'x' } })", "invalid_parameter: option.env: 'LD_PRELOAD' would"),
    ("run('true', [], { env: { 'A=B': 'x' } })", "invalid_parameter: the name of a variable must not"),
    ("run('true', [], { env: { A: 'x\\0' } })", "invalid_parameter: option.env: 'A' holds a NUL"),
    ("run('true', [], { enw: {} })", "invalid_parameter: option has no 'enw'; did you mean 'env'?"),
    ("run('true', [], { timeLimit: 0 })", "invalid_parameter: option.timeLimit must be from 1"),
    (
      "run('true', [], { as: 'json' })",
      "invalid_parameter: option.as must be one of 'text', 'bytes', 'lines'"
    ),
    (
      "spawn('true', [], { stdin: 'own' })",
      "invalid_parameter: option.stdin must be one of 'pipe', 'inherit', 'none'"
    ),
    (
      "spawn('true', [], { stdin: 'inherit' })", "permission_denied: option.stdin: 'inherit' is not permitted"
    ),
  ])
  func whatCanNotBeRunIsSaid(_ call: String, _ message: String) async {
    let output = await failure(call, ["process.run:/"])
    #expect(output.hasPrefix(message), "\(output)")
  }

  @Test func aVariableIsReadByItsPermissionOnly() async {
    for permissions in [["process.env:NB_VARIABLE"], ["process.env:NB_*"]] {
      #expect(await failure("env('NB_VARIABLE')", permissions) == "none value\n")
    }
    #expect(await failure("env('NB_NONE')", ["process.env:NB_*"]) == "none null\n")
    for permissions in [nil, ["*"], ["process.*"], ["process.env"], ["process.env:NB_VARIABL"]] {
      let message = await failure("env('NB_VARIABLE')", permissions)
      #expect(message.hasPrefix("permission_denied: 'env' of 'NB_VARIABLE' is not permitted"), "\(message)")
    }
    // A permission's own pattern is no name that it permits.
    let message = await failure("env('NB_*')", ["process.env:NB_*"])
    #expect(message.hasPrefix("permission_denied: 'env' of 'NB_*' is not permitted"), "\(message)")
  }

  @Test func factsAreThereWithoutAskingForMore() async {
    let pid = getpid()
    #expect(await failure("pid()", nil) == "none \(pid)\n")
    #expect(await failure("args()", nil) == "none []\n")
    #expect(await failure("cwd()", nil) == "none \(FileManager.default.currentDirectoryPath)\n")
  }
}

// SPDX-License-Identifier: MIT

import BothWays
import Foundation
import Glibc
import LoggerPlugin
import NBridge
import NBridgePlugin
import NBridgeTesting
import Testing

/// Scripts that log, linked and loaded.
@Suite(.bothWays) struct LoggerPluginTests {
  /// Runs a script whose records go into a file; answers what it printed and the file's records.
  func run(_ script: String, settings: String = "{}", before: String = "") async throws -> (
    result: ScriptHarness.Result, records: [[String: Any]]
  ) {
    let container = TemporaryFolder.make()
    defer { TemporaryFolder.remove(container) }
    var harness = ScriptHarness(plugins: [LoggerPlugin()])
    harness.container = container
    harness.usesRealTime = true
    harness.options.settings = ["logger": Value(text: Array(settings.utf8))]
    let head =
      before + """
        const { logger } = nbridge;
        const t = async (f) => { try { console.log(await f()) } catch (e) { \
        console.log(e.code ?? e.name, e.message) } };

        """
    let result = await harness.run(head + script)
    let text = (try? String(contentsOfFile: container + "/Library/Logs/app.log", encoding: .utf8)) ?? ""
    let records = try text.split(separator: "\n").map { line in
      try #require(try JSONSerialization.jsonObject(with: Data(line.utf8)) as? [String: Any], "\(line)")
    }
    return (result, records)
  }

  static let file = #"{"sinks":[{"kind":"file"}]}"#

  @Test func recordsSayWhatWhenWhoseAndWhere() async throws {
    let (result, records) = try await run(
      """
      logger.info("hello", { user: "ada", n: 3 });
      function outer() { logger.error("bad"); }
      outer();
      """, settings: Self.file)
    #expect(result.status == .success, "\(result.errors)")
    try #require(records.count == 2)
    #expect(records[0]["message"] as? String == "hello" && records[0]["level"] as? String == "info")
    #expect(records[0]["service"] as? String == "script" && records[0]["at"] as? String == "test.js:3")
    #expect((records[0]["fields"] as? [String: Any])?["user"] as? String == "ada")
    #expect(records.map { $0["seq"] as? Int } == [1, 2])
    #expect(records[1]["function"] as? String == "outer" && records[1]["at"] as? String == "test.js:4")
    let time = try #require(records[0]["time"] as? String)
    #expect(time.wholeMatch(of: /\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z/) != nil)
  }

  @Test func whatMattersLessThanTheLevelIsNotRecorded() async throws {
    let (result, records) = try await run(
      """
      await logger.setLevel("warning");
      logger.info("no"); logger.warn("yes");
      console.log(logger.isEnabled("info"), logger.isEnabled("error"));
      await logger.setLevel("trace"); logger.trace("yes");
      await t(() => logger.setLevel("loud"));
      """, settings: Self.file)
    #expect(records.map { $0["level"] as? String } == ["warning", "trace"])
    #expect(
      result.output
        == """
        false true
        invalid_parameter the level must be one of trace, debug, info, notice, warning, error, critical, \
        not 'loud'

        """,
      "\(result.errors)")
  }

  @Test func childrenBringTheirFieldsAndAService() async throws {
    let (_, records) = try await run(
      """
      const db = logger.child({ service: "db", request: 12 });
      db.info("query", { ms: 2 }); db.info("again"); db.child({ request: 13 }).info("other");
      """, settings: Self.file)
    #expect(records.map { $0["service"] as? String } == ["db", "db", "db"])
    #expect(records.map { ($0["fields"] as? [String: Any])?["request"] as? Int } == [12, 12, 13])
    #expect((records[0]["fields"] as? [String: Any])?["ms"] as? Int == 2)
  }

  @Test(arguments: [
    ("{ a: 1, self: o }", #"{"a":1,"self":{"self":"[circular]"}}"#),
    ("{ get boom() { throw new Error('no') } }", #"{"boom":"[threw: no]"}"#),
    ("{ n: 10n, i: Infinity, u: undefined, f() {} }", #"{"f":"[function f]","i":"Infinity","n":"10n"}"#),
    ("new Map([[1, 'a']])", #"{"entries":[[1,"a"]]}"#),
    ("new Map([['token', 'a']])", #"{"token":"[redacted]"}"#), ("'text'", #"{"value":"text"}"#),
    ("{ s: 'a\\nb\\u0000\\ud800' }", #"{"s":"a\nb\u0000\ud800"}"#),
    ("{ d: new Date(0), b: new Uint8Array(3) }", #"{"b":"[3 bytes]","d":"1970-01-01T00:00:00.000Z"}"#),
    ("new Proxy({}, { ownKeys() { throw new Error('trap') } })", #"["[threw: trap]"]"#),
  ])
  func fieldsMayBeAnything(_ fields: String, _ expected: String) async throws {
    let (result, _) = try await run(
      """
      const o = {}; o.self = o;
      logger.info("x", \(fields));
      await logger.flush();
      """, settings: #"{"sinks":[{"kind":"terminal","format":"json"}]}"#)
    let line = try #require(result.errors.split(separator: "\n").first)
    let shown = line.firstRange(of: "\"fields\":").map { String(line[$0.upperBound...].dropLast()) } ?? ""
    let sorted = { (text: String) -> String in
      guard let value = try? JSONSerialization.jsonObject(with: Data(text.utf8)),
        let data = try? JSONSerialization.data(withJSONObject: value, options: [.sortedKeys])
      else { return text }
      return String(decoding: data, as: UTF8.self)
    }
    #expect(sorted(shown) == sorted(expected) || "[\(shown)]" == expected, "\(result.errors)")
  }

  @Test func secretsAreTakenOutWhereverTheyStand() async throws {
    let settings =
      #"""
      {"sinks":[{"kind":"file"}],"redact":{"keys":["password","token","secret","authorization","pin"],"patte\#
      rns":["Bearer [A-Za-z0-9]+"]}}
      """#
    let (_, records) = try await run(
      """
      logger.info("login with Bearer abc123", { password: "p1",
        nested: { accessToken: "t1", list: [{ clientSecret: 1, ok: 2 }] }, PIN: 4 });
      await logger.configure({ redact: { keys: ["colour"] } });
      logger.info("more", { colour: "red", password: "p2" });
      """, settings: settings)
    let text = "\(records)"
    for secret in ["abc123", "p1", "t1", "red\"", "p2"] { #expect(!text.contains(secret), "\(text)") }
    #expect(records[0]["message"] as? String == "login with [redacted]")
    let nested = (records[0]["fields"] as? [String: Any])?["nested"] as? [String: Any]
    #expect(nested?["accessToken"] as? String == "[redacted]")
    #expect((nested?["list"] as? [[String: Any]])?[0]["ok"] as? Int == 2)
  }

  @Test func whatComesTooOftenIsHeldBackAndCounted() async throws {
    let (_, records) = try await run(
      """
      for (let i = 0; i < 10; i++) logger.info("same", { i });
      logger.info("other");
      await logger.configure({ limits: [{ key: "user", most: 1, period: 60000 }] });
      for (let i = 0; i < 4; i++) logger.info("n" + i, { user: "ada" });
      """, settings: #"{"sinks":[{"kind":"file"}],"limits":[{"key":"message","most":3,"period":60000}]}"#)
    let messages = records.compactMap { $0["message"] as? String }
    #expect(messages.filter { $0 == "same" }.count == 3 && messages.contains("other"))
    #expect(messages.contains("3 more like 'ada' were held back"), "\(messages)")
    #expect(messages.contains("7 more like 'same' were held back"), "\(messages)")
  }

  @Test func settingsThatCanNotBeAreNamed() async throws {
    let (result, _) = try await run(
      """
      await t(() => logger.configure({ sinks: [{ kind: "file", name: "../x" }] }));
      await t(() => logger.configure({ sinks: [{ kind: "file", keep: -1 }] }));
      await t(() => logger.configure({ redact: { patterns: ["("] } }));
      await t(() => logger.configure({ sinks: [{ kind: "cloud" }] }));
      await t(() => logger.child(3));
      """)
    let lines = result.output.split(separator: "\n")
    #expect(lines.count == 5 && lines.allSatisfy { $0.hasPrefix("invalid_parameter") }, "\(result.output)")
    #expect(
      result.output.contains("'../x'") && result.output.contains("0 to 1000, not -1")
        && result.output.contains("'('"))
  }

  /// A rule that is passed over would let out what it is there for.
  @Test(arguments: [
    (#"{ "redact": { "key": ["pin"] } }"#, ".redact has no 'key'; did you mean 'keys'?"),
    (
      #"{ "limits": [{ "key": "message", "most": 1, "period": 9, "perod": 1 }] }"#,
      ".limits[0] has no 'perod'; did you mean 'period'?"
    ),
    (
      #"{ "sinks": [{ "kind": "terminal" }, { "kind": "terminal", "fromat": "json" }] }"#,
      ".sinks[1] has no 'fromat'; did you mean 'format'?"
    ),
    (#"{ "levl": "debug" }"#, " has no 'levl'; did you mean 'level'?"),
  ])
  func aNameThatThereIsNotIsRefusedWhereverItStands(_ settings: String, _ problem: String) async throws {
    let (result, _) = try await run("await t(() => logger.configure(\(settings)));")
    #expect(result.output == "invalid_parameter option\(problem)\n")
    let (started, _) = try await run("console.log('runs')", settings: settings)
    #expect(
      started.output == "" && started.errors.contains("plugins.logger\(problem)"),
      "\(started.output)\(started.errors)")
  }

  /// Another process was stopped while it put the file aside.
  @Test func aLogThatSomebodyElseHoldsGrowsMeanwhile() async throws {
    let container = TemporaryFolder.make()
    defer { TemporaryFolder.remove(container) }
    let folder = container + "/Library/Logs"
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    let lock = open(folder + "/.app.log.lock", O_RDWR | O_CREAT | O_CLOEXEC, 0o600)
    defer { close(lock) }
    #expect(flock(lock, LOCK_EX) == 0)
    var harness = ScriptHarness(plugins: [LoggerPlugin()])
    harness.container = container
    harness.usesRealTime = true
    harness.options.settings = [
      "logger": Value(text: Array(#"{"sinks":[{"kind":"file","maximumSize":4096}]}"#.utf8))
    ]
    let result = await harness.run(
      """
      for (let i = 0; i < 20; i++) { nbridge.logger.info('x'.repeat(1000));
        await nbridge.logger.flush({ timeout: 20_000 }); } console.log('logged')
      """
    )
    #expect(result.output == "logged\n", "\(result.errors)")
    #expect(
      try String(contentsOfFile: folder + "/app.log", encoding: .utf8).split(separator: "\n").count == 20)
  }

  @Test func whoMayNotLogHearsIt() async {
    var harness = ScriptHarness(plugins: [LoggerPlugin()])
    harness.options.permissions = PermissionSet(["app.*"])
    let result = await harness.run("nbridge.logger.info('x')")
    #expect(
      result.status == .failure && result.errors.contains("'logger.log' is not permitted"), "\(result.errors)"
    )
  }

  @Test func whoMayNotLogAndLogsNothingHearsOfHisOwnCallsOnly() async {
    var harness = ScriptHarness(plugins: [LoggerPlugin()])
    harness.options.permissions = PermissionSet(["app.*"])
    let result = await harness.run(
      "try { await nbridge.logger.statistics() } catch (e) { console.log(e.code) }")
    #expect(result.status == .success && result.output == "permission_denied\n", "\(result.errors)")
  }

  @Test func aMessageWithLineEndsStaysOneRecord() async throws {
    let (_, records) = try await run(
      "logger.info('a\\nb\\r\\nc'); logger.info(new TypeError('boom'));", settings: Self.file)
    try #require(records.count == 2)
    #expect(records[0]["message"] as? String == "a\nb\r\nc")
    #expect(records[1]["message"] as? String == "TypeError: boom")
    let error = (records[1]["fields"] as? [String: Any])?["error"] as? [String: Any]
    #expect(error?["name"] as? String == "TypeError" && (error?["stack"] as? [Any])?.isEmpty == false)
  }

  @Test func aClockThatIsSetBackChangesNoOrder() async throws {
    let (result, records) = try await run(
      """
      for (let i = 0; i < 50; i++) logger.info("back", { i });
      """, settings: #"{"sinks":[{"kind":"file"}],"limits":[{"key":"message","most":100,"period":1000}]}"#,
      before: "let clock = 5e12; Date.now = () => (clock -= 1000);")
    #expect(
      records.map { ($0["fields"] as? [String: Any])?["i"] as? Int } == Array(0..<50), "\(result.errors)")
    let times = records.compactMap { $0["time"] as? String }
    #expect(times == times.sorted(by: >) && times.first?.hasPrefix("2128-06-11T08:53:1") == true, "\(times)")
  }

  @Test func anErrorKeepsItsStackBesideOtherFields() async throws {
    let (_, records) = try await run(
      "logger.error(new Error('x', { cause: new TypeError('y') }), { request: 1 });", settings: Self.file)
    let fields = try #require(records.first?["fields"] as? [String: Any])
    let error = try #require(fields["error"] as? [String: Any])
    #expect(
      fields["request"] as? Int == 1 && error["stack"] != nil
        && (error["cause"] as? [String: Any])?["name"] as? String == "TypeError")
  }

  @Test func newSinksBeginWhereTheOldOnesEnded() async throws {
    let (_, records) = try await run(
      """
      for (let i = 0; i < 20; i++) {
        for (let k = 0; k < 50; k++) logger.info("n", { i: i * 50 + k });
        await logger.configure({ sinks: [{ kind: "file" }] });
      }
      """, settings: Self.file)
    #expect(records.map { ($0["fields"] as? [String: Any])?["i"] as? Int } == Array(0..<1000))
  }

  @Test func aSinkThatCanNotBeIsSaidAndTheOthersGoOn() async throws {
    let container = TemporaryFolder.make()
    defer { TemporaryFolder.remove(container) }
    try FileManager.default.createDirectory(atPath: container + "/Library", withIntermediateDirectories: true)
    // A file stands where the folder of logs should be.
    #expect(FileManager.default.createFile(atPath: container + "/Library/Logs", contents: nil))
    var harness = ScriptHarness(plugins: [LoggerPlugin()])
    harness.container = container
    let result = await harness.run("nbridge.logger.info('seen')")
    #expect(
      result.errors.contains("the log's sink 'viewer' can't be used") && result.errors.contains("INFO  seen"),
      "\(result.errors)")
  }

  /// A folder stands where the file should be: the log itself can't say that it is not written.
  @Test(arguments: [
    "logger.info('x')",
    "for (let i = 0; i < 3; i++) { logger.info('x'); await logger.flush({ timeout: 600 }); }",
  ])
  func aLogThatCanNotBeOpenedIsToldToThePersonOnce(_ script: String) async throws {
    let errors = try await Self.errors(of: script, sinks: #"{"kind":"file"}"#)
    let lines = errors.split(separator: "\n")
    #expect(lines.count == 1 && errors.contains("nbridge: can't open the log '"), "\(errors)")
    #expect(errors.contains("app.log'") && errors.contains("records wait"), "\(errors)")
  }

  @Test func aLogThatCanNotBeOpenedIsToldInTheOneThatCan() async throws {
    let errors = try await Self.errors(
      of: "logger.info('x'); await logger.flush({ timeout: 1500 });",
      sinks: #"{"kind":"file"},{"kind":"terminal","level":"warning"}"#)
    #expect(errors.contains("WARN  logger can't open the log '"), "\(errors)")
    #expect(!errors.contains("nbridge:") && errors.split(separator: "\n").count == 1, "\(errors)")
    // A terminal that is not told of warnings takes none.
    let silent = try await Self.errors(
      of: "logger.info('x')", sinks: #"{"kind":"file"},{"kind":"terminal","level":"error"}"#)
    #expect(silent.hasPrefix("nbridge: can't open the log '"), "\(silent)")
  }

  /// What a script whose file of the log is a folder says on stderr.
  private static func errors(of script: String, sinks: String) async throws -> String {
    let container = TemporaryFolder.make()
    defer { TemporaryFolder.remove(container) }
    try FileManager.default.createDirectory(
      atPath: container + "/Library/Logs/app.log", withIntermediateDirectories: true)
    var harness = ScriptHarness(plugins: [LoggerPlugin()])
    harness.container = container
    harness.usesRealTime = true
    harness.options.settings = ["logger": Value(text: Array(#"{"sinks":[\#(sinks)]}"#.utf8))]
    let result = await harness.run("const { logger } = nbridge;\n" + script)
    #expect(result.status == .success)
    return result.errors
  }

  @Test func aLoopOfManyRecordsKeepsThemAllInOrder() async throws {
    let (_, records) = try await run(
      "for (let i = 0; i < 20000; i++) logger.debug('n', { i });", settings: Self.file)
    #expect(records.count == 20000)
    #expect(records.map { ($0["fields"] as? [String: Any])?["i"] as? Int } == Array(0..<20000))
  }

  @Test func aFileThatIsLargeIsPutAsideAndCompressed() async throws {
    let container = TemporaryFolder.make()
    defer { TemporaryFolder.remove(container) }
    var harness = ScriptHarness(plugins: [LoggerPlugin()])
    harness.container = container
    let sink = #"{"sinks":[{"kind":"file","maximumSize":5000,"keep":2,"name":"x.log"}]}"#
    harness.options.settings = ["logger": Value(text: Array(sink.utf8))]
    _ = await harness.run(
      """
      for (let i = 0; i < 200; i++) { nbridge.logger.info('n', { i });
        if (i % 10 === 0) await nbridge.logger.flush(); }
      """
    )
    let names = try FileManager.default.contentsOfDirectory(atPath: container + "/Library/Logs").filter {
      $0.hasPrefix("x.log")
    }.sorted()
    #expect(names == ["x.log", "x.log.1.gz", "x.log.2.gz"])
    let head = try Data(contentsOf: URL(fileURLWithPath: container + "/Library/Logs/x.log.1.gz")).prefix(2)
    #expect(Array(head) == [0x1F, 0x8B])
    let last = try String(contentsOfFile: container + "/Library/Logs/x.log", encoding: .utf8)
    #expect(last.contains(#""i":199"#))
  }
}

/// A plugin that logs.
struct ChattyPlugin: Plugin {
  static let manifest = PluginManifest(service: "chatty", version: "1.0.0")
  var body: PluginBody {
    Immediate("talk", "Logs.") { call in
      call.logger.notice("from Swift", ["count": 3, "name": "x", "token": "hidden"])
      call.logger.trace("a trace")
      call.logger.warning("careful", ["n": 1])
    }
  }
}

@Suite struct PluginLoggerTests {
  @Test func pluginsLogIntoTheSameStreamUnderTheirNames() async throws {
    var harness = ScriptHarness(plugins: [LoggerPlugin(), ChattyPlugin()])
    harness.options.settings = [
      "logger": Value(text: Array(#"{"sinks":[{"kind":"terminal","format":"json"}]}"#.utf8))
    ]
    let result = await harness.run(
      "nbridge.logger.info('before'); await nbridge.chatty.talk(); nbridge.logger.info('after');")
    let lines = result.errors.split(separator: "\n").map(String.init)
    #expect(lines.count == 4, "\(lines)")
    #expect(
      lines[1].contains(#""service":"chatty","message":"from Swift","at":"#)
        && lines[1].contains("LoggerPluginTests.swift:"), "\(lines)")
    #expect(lines[1].contains(#""fields":{"count":3,"name":"x","token":"[redacted]"}"#), "\(lines)")
    #expect(lines[3].contains(#""message":"after""#) && lines[3].contains(#""seq":4"#), "\(lines)")
  }

  @Test(arguments: PluginWay.allCases) func withoutALoggerWhatMattersIsToldOnStderr(_ way: PluginWay) async {
    await ScriptHarness.$way.withValue(way) {
      let result = await ScriptHarness(plugins: [ChattyPlugin()]).run("await nbridge.chatty.talk()")
      #expect(result.errors == "chatty: warning: careful\n" && result.status == .success)
    }
  }
}

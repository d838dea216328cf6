// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// What the program holds a plugin to that is less careful than it should be.
@Suite struct PluginPromiseTests {
  let tools = PluginCommandTests()

  /// Runs a shell line beside the plugin of a kind: `libloose.so`.
  func run(_ line: String, fault: String = "NONE", _ files: [String: String] = [:]) throws
    -> CommandRunner.Result
  {
    var result: CommandRunner.Result?
    try tools.withRunner { runner in
      try tools.compile(runner, "loose.c", "libloose.so", fault: fault)
      try runner.write(files)
      result = try runner.shell(line)
    }
    return try #require(result)
  }

  static let json = #"{"service":"loose","version":"1.0.0","library":"libloose.so"}"#

  // MARK: - Objects

  @Test func anObjectEndsWithTheProcessOfItsPlugin() throws {
    let result = try run(
      "nbridge run --isolate all --plugin ./libloose.so s.mjs",
      [
        "s.mjs": """
        const { loose } = nbridge, shown = (call) => call.catch(({ code, message }) => `${code}: ${message}`);
        const old = await loose.open();
        console.log(await old.get());
        await loose.die().catch(({ code }) => console.log(code));
        const young = await loose.open();
        console.log(await shown(old.get()), await shown(old.close()), await young.get());
        await young.close();
        console.log(await shown(young.get()));
        """
      ])
    #expect(
      result.output == """
        [1]
        plugin_crashed
        closed: the thing ended with the process of its plugin undefined [1]
        closed: the thing is closed

        """, "\(result)")
  }

  @Test(arguments: ["", "--isolate all"]) func noPluginAnswersAnObjectOfAnother(_ options: String) throws {
    let result = try run(
      "nbridge run \(options) --plugin ./libloose.so s.mjs",
      [
        "s.mjs": """
        for (const name of ["steal", "odd"]) {
          await nbridge.loose[name]().then(console.log, ({ code, message }) => console.log(code, message));
        }
        """
      ])
    let end = "; this is a fault of the plugin"
    #expect(
      result.output == """
        unknown_error the plugin 'loose' answered an object of 'documents'\(end)
        unknown_error the plugin 'loose' answered an object without a number\(end)

        """, "\(result)")
  }

  @Test func aTypeThatNothingClosesIsRefusedWithItsDescription() throws {
    let result = try run("nbridge eval --plugin ./libloose.so 'console.log(1)'", fault: "NO_CLOSE")
    #expect(result.status == 1 && result.output == "", "\(result)")
    let said = "describes itself wrongly: the type 'thing' has no member 'close' whose \"closes\" is true"
    #expect(result.errors.contains(said), "\(result)")
  }

  /// `open` hands out the same number each time; another process may begin with it anew.
  @Test(arguments: ["", "--isolate all"]) func aNumberOfAnObjectComesOnce(_ options: String) throws {
    let result = try run(
      "nbridge run \(options) --plugin ./libloose.so s.mjs",
      [
        "s.mjs": """
        const { loose } = nbridge, shown = (call) => call.catch(({ code, message }) => `${code} ${message}`);
        const first = await loose.open();
        console.log(await shown(loose.open()), await first.get());
        await first.close();
        console.log(await shown(loose.open()));
        """
      ])
    let refused = """
      unknown_error the plugin 'loose' answered an object with a number that it has handed out before; this \
      is a fault of the plugin
      """
    #expect(result.output == "\(refused) [1]\n\(refused)\n", "\(result)")
  }

  @Test func aReplayKnowsThatANumberIsAnotherProcesss() throws {
    let result = try run(
      """
      nbridge run --record r.rec --isolate all --plugin ./libloose.so s.mjs
      nbridge run --replay r.rec --plugin ./libloose.so s.mjs
      """,
      [
        "s.mjs": """
        const { loose } = nbridge, old = await loose.open();
        await loose.die().catch(() => {});
        const young = await loose.open();
        console.log(await young.get(), typeof old);
        await young.close();
        console.log(await loose.open().catch(({ code }) => code));
        """
      ])
    let told = "[1] object\nunknown_error\n"
    #expect(result.output == told + told && result.status == 0, "\(result)")
  }

  // MARK: - Ends

  @Test func aPluginThatEndsTheProgramIsNamedAndItIsNoSuccess() throws {
    let result = try run(
      "nbridge eval --plugin ./libloose.so 'console.log(1); nbridge.loose.leave(); console.log(2)'")
    #expect(result.output == "1\n" && result.status == 1, "\(result)")
    #expect(
      result.errors.hasPrefix(
        "nbridge: the plugin 'loose' called exit() in 'loose.leave', and ended this program\n"))
  }

  @Test func aHangInNativeCodeIsNotBlamedOnTheScript() throws {
    let result = try run("nbridge eval --timeout 1 --plugin ./libloose.so 'nbridge.loose.hang()'")
    #expect(result.status == 124, "\(result)")
    let said = "the plugin 'loose' in 'loose.hang' did not come back; ended"
    #expect(result.errors.contains(said), "\(result)")
  }

  @Test func aLimitForCallsIsNoneForWatches() throws {
    let result = try run(
      "nbridge run --plugin . s.mjs",
      [
        "plugin.json": """
        {"service":"loose","version":"1.0.0","library":"libloose.so","isolation":{"callSeconds":0.3}}
        """,
        "s.mjs": """
        const quiet = nbridge.loose.quiet({}, () => console.log("event"));
        const first = await nbridge.loose.pid();
        await new Promise((done) => setTimeout(done, 900));
        console.log(first === await nbridge.loose.pid());
        exit(0);
        """,
      ])
    #expect(result.output.hasPrefix("true\n"), "\(result)")
  }

  // MARK: - What is written wrongly

  @Test(arguments: [
    (#"{"memoryMegaBytes":64}"#, #""isolation" has no "memoryMegaBytes"; did you mean 'memoryMegabytes'?"#),
    (#"{"needs":["read:/x\u001b[2K"]}"#, "has a control character in it"),
    (#"{"callSeconds":null}"#, #""isolation"."callSeconds" is null"#),
    (#"{"callSeconds":1,"callSeconds":1e8}"#, "it has 'callSeconds' twice"),
  ])
  func aLimitThatIsMisspeltIsRefused(_ isolation: String, _ told: String) throws {
    let json = Self.json.dropLast() + #","isolation":\#(isolation)}"#
    let result = try run(
      "nbridge eval --plugin . 'nbridge.loose.pid()'", ["plugin.json": String(json)])
    #expect(result.status != 0 && result.errors.contains(told), "\(result)")
    #expect(!result.errors.contains("\u{1B}"))
  }

  @Test(arguments: [
    (#""isolaton":"process""#, "it has no key 'isolaton'; did you mean 'isolation'?"),
    (#""Isolation":"process""#, "it has no key 'Isolation'; did you mean 'isolation'?"),
    (#""isolate":true"#, "it has no key 'isolate'; there is help, isolation, library, service, version"),
    (#""isolation":null"#, "its 'isolation' is null"),
    (#""isolation":"process","isolation":null"#, "it has 'isolation' twice"),
    (#""isolation":"process","\u0069solation":"process""#, "it has 'isolation' twice"),
  ])
  func anIsolationThatIsWrittenWronglyIsNotNone(_ member: String, _ told: String) throws {
    let json = String(Self.json.dropLast()) + ",\(member)}"
    for plugin in [".", "./libloose.so"] {
      let result = try run(
        "nbridge eval --plugin \(plugin) 'console.log(await nbridge.loose.pid())'", ["plugin.json": json])
      #expect(result.status != 0 && result.output == "", "\(result)")
      #expect(result.errors.contains(told), "\(result)")
    }
  }

  @Test(arguments: [
    ("*,!loose", 1, "permission_denied"), ("*,!loose.*", 1, "permission_denied"),
    ("*,!documents", 0, "number"), ("*,!loose.pidd", 2, "did you mean 'loose.pid'?"),
    ("*,!losse", 2, "did you mean 'loose'?"),
  ])
  func whatIsForbiddenIsNeverLessThanItLooks(_ list: String, _ status: Int32, _ told: String) throws {
    let script = "console.log(typeof await nbridge.loose.pid())"
    let result = try run("nbridge eval --permissions '\(list)' --plugin ./libloose.so '\(script)'")
    #expect(result.status == status && (result.output + result.errors).contains(told), "\(result)")
  }

  @Test func anAppJsonThatForbidsByAWrongNameDoesNotStart() throws {
    let files = ["s.mjs": "console.log(1)", "app.json": #"{"permissions":["*","!loose.pidd"]}"#]
    let wrong = try run("nbridge run --plugin ./libloose.so s.mjs", files)
    #expect(wrong.status == 1 && wrong.output == "", "\(wrong)")
    #expect(wrong.errors.contains("permissions forbid"), "\(wrong)")
    let whole = try run(
      "nbridge run --plugin ./libloose.so s.mjs",
      [
        "s.mjs": "await nbridge.loose.pid().catch(({ code }) => console.log(code))",
        "app.json": #"{"permissions":["*","!loose"]}"#,
      ])
    #expect(whole.output == "permission_denied\n" && whole.errors == "", "\(whole)")
  }

  /// As the guides say: touching it throws, a call by name rejects, and `--plugin` does not come so far.
  @Test func anInstalledPluginThatIsNotGrantedThrowsWhereItIsTouched() throws {
    let result = try run(
      """
      mkdir -p plugins/loose && cp libloose.so plugin.json plugins/loose && chmod -R go-w plugins
      nbridge run s.mjs; nbridge run --plugin plugins/loose s.mjs; echo $?
      """,
      [
        "plugin.json": String(Self.json.dropLast()) + #","isolation":{"needs":["network"]}}"#,
        "s.mjs": """
        console.log(await nbridge.callToNative("loose", "pid").catch(({ code }) => code));
        try { nbridge.loose.pid().catch(() => {}) } catch ({ code }) { console.log("threw", code) }
        """,
      ])
    #expect(result.output == "permission_denied\nthrew permission_denied\n1\n", "\(result)")
  }

  @Test func aGrantThatConfinesNothingIsSaid() throws {
    let result = try run("nbridge eval --grant loose:network --plugin ./libloose.so 1")
    #expect(result.status == 2 && result.errors.contains("may do all that the program may"), "\(result)")
  }

  @Test(arguments: [
    "plugin describe ./libloose.so", "plugin describe --json ./libloose.so", "types loose",
    "types --table loose", "types --facades loose", "plugin test --conformance --starts 1 ./libloose.so",
  ])
  func whatAPluginSaysSteersNoTerminal(_ line: String) throws {
    let options = line.hasPrefix("types") ? " --plugin ./libloose.so" : ""
    let result = try run("nbridge \(line)\(options)", fault: "STEERS")
    #expect(result.output.contains("oose"), "\(result)")
    let steering = (result.output + result.errors).unicodeScalars.filter { scalar in
      switch scalar.value {
      case 0x09, 0x0A: false
      case 0..<0x20, 0x7F...0x9F, 0x2028...0x202E, 0x2066...0x2069: true
      default: false
      }
    }
    #expect(steering.isEmpty, "\(steering.map { String($0.value, radix: 16) })")
  }

  // MARK: - Files

  @Test func anAppsOwnPluginIsIsolatedAndGrantedByItsName() throws {
    let result = try run(
      """
      mkdir app && echo '{}' > app/app.json && mv libloose.so plugin.json app/ && mkdir -p app/plugins/loose
      mv app/libloose.so app/plugin.json app/plugins/loose/ && chmod -R go-w app
      echo 'console.log(typeof await nbridge.loose.pid())' > app/s.js
      nbridge run --isolate loose --grant loose:network app/s.js
      """, ["plugin.json": Self.json])
    #expect(result.output == "number\n", "\(result)")
    #expect(result.status == 0, "\(result)")
  }

  @Test func whatIsKeptBesideAPluginIsMadeAnewWhenItIsRestored() throws {
    let result = try run(
      """
      mkdir app source && echo '{}' > app/app.json && mv libloose.so plugin.json source/
      nbridge plugin install --app app source && cd app/plugins/loose
      sed -i 's/"help":"Loose."/"help":"Loose.","script":{"source":"() => console.log(1)"}/' description.json
      grep -c console description.json; cd ../../..; nbridge plugin restore app
      grep -c console app/plugins/loose/description.json
      sed -i 's/"version": "1.0.0"/"version": "9.9.9"/' app/nbridge.lock; nbridge plugin restore app
      """, ["plugin.json": Self.json])
    #expect(result.output.contains("1\nkept loose 1.0.0\n0\n"), "\(result)")
    #expect(result.status == 1 && result.errors.contains("names loose 9.9.9"), "\(result)")
  }

  @Test func aRebuiltLibraryStartsTheProgramAgain() throws {
    let result = try run(
      """
      nbridge_run() { "$NBRIDGE" run --watch --plugin ./libloose.so s.mjs > out 2> err & }
      nbridge_run; child=$!
      while ! grep -q ready out; do sleep 0.05; done
      cp libloose.so new.so && mv new.so libloose.so
      for i in $(seq 1 200); do [ "$(grep -c ready out)" = 2 ] && break; sleep 0.05; done
      kill $child; wait $child; grep -c ready out; cat err
      """, ["s.mjs": "await nbridge.loose.pid(); console.log('ready'); setInterval(() => {}, 1000)"])
    #expect(result.output.hasPrefix("2\n"), "\(result)")
  }

  /// Rebuilt in its place, and put there anew as a whole.
  @Test(arguments: [
    "cp app/plugins/loose/libloose.so new.so && mv new.so app/plugins/loose/libloose.so",
    "nbridge plugin install --app app source > log", "mv app/plugins/loose app/plugins/other",
  ])
  func aChangedPluginOfTheAppStartsTheProgramAgain(_ change: String) throws {
    let result = try run(
      """
      mkdir app source && echo '{}' > app/app.json && mv libloose.so plugin.json source/ && mv s.mjs app/
      nbridge plugin install --app app source > log && chmod -R go-w app
      nbridge_run() { "$NBRIDGE" run --watch app/s.mjs > out 2> err & }
      nbridge_run; child=$!
      while ! grep -q ready out; do sleep 0.05; done
      \(change)
      for i in $(seq 1 200); do grep -q 'running again' err && break; sleep 0.05; done
      kill $child; wait $child; grep -c 'running again' err; cat err
      """,
      [
        "plugin.json": Self.json,
        "s.mjs": "await nbridge.loose.pid(); console.log('ready'); setInterval(() => {}, 1000)",
      ])
    #expect(result.output.first.map { "123".contains($0) } == true, "\(result)")
  }

  // MARK: - The conformance suite

  @Test(arguments: [
    ("NEVER_ANSWERS", "soon did not answer within 2 s, 3 times in a row"),
    ("ALWAYS_REFUSES", "soon answered none of 60 calls as declared: invalid_parameter each time"),
    ("LEAVES_AT_STOP", "the suite's process ended with status 0"),
    ("REPEATS", "answered an object with a number that it has handed out before"),
    ("CRASHES", "crashed (SIGABRT) in 'loose.soon'"), ("LEAVES", "the suite's process ended with status 1"),
    ("HANGS", "the plugin 'loose' in 'loose.soon' did not come back within 10 s; the last call was soon("),
  ])
  func theSuiteSeesWhatBreaksAPromise(_ fault: String, _ told: String) throws {
    let result = try run("nbridge plugin test --conformance --starts 2 ./libloose.so", fault: fault)
    #expect(result.status == 1 && (result.output + result.errors).contains(told), "\(result)")
  }

  @Test func theSuiteNamesTheCallThatEndedIt() throws {
    let result = try run("nbridge plugin test --conformance --starts 2 --skip hang --skip die ./libloose.so")
    #expect(result.status == 1, "\(result)")
    #expect(result.errors.contains("the plugin 'loose' called exit() in 'loose.leave'"), "\(result)")
    #expect(result.errors.contains("the suite's process ended with status 1"), "\(result)")
  }

  @Test func anIsolatedPluginsCrashFailsOnceAndIsNotTriedAgain() throws {
    let json = Self.json.dropLast() + #","isolation":"process"}"#
    let result = try run(
      "nbridge plugin test --conformance --starts 2 .", fault: "CRASHES", ["plugin.json": String(json)])
    let told = "the plugin 'loose' crashed (SIGABRT) while 'loose.soon' was under way"
    #expect(result.output.components(separatedBy: told).count == 2, "\(result)")
    #expect(result.status == 1 && result.output.hasSuffix("\n1 do not hold\n"), "\(result)")
  }

  @Test(arguments: ["", #","isolation":"process""#])
  func aGoodPluginHoldsWithHiddenActionsAndFewDescriptors(_ isolation: String) throws {
    let result = try run(
      "ulimit -n 128; nbridge plugin test --conformance --starts 100 .", fault: "ANSWERS",
      ["plugin.json": String(Self.json.dropLast()) + isolation + "}"])
    #expect(result.status == 0 && result.output.hasSuffix("\nall hold\n"), "\(result)")
    #expect(result.output.contains("note: what is hidden is not called: secret"), "\(result)")
    #expect(result.output.contains("100 starts and stops leave nothing behind"), "\(result)")
  }
}

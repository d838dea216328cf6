// SPDX-License-Identifier: MIT

import Foundation
import NBridgePlugin
import Testing

/// Plugins in libraries as their authors and users meet them: real files, real compilers, the real program.
@Suite struct PluginCommandTests {
  static let sources = CommandRunner.root + "/Tests/NBridgeCLITests/Plugins"

  /// Compiles a C plugin into the runner's folder; nothing but the header is known to it.
  func compile(_ runner: CommandRunner, _ source: String, _ library: String, fault: String = "NONE") throws {
    let result = try runner.shell(
      "clang -std=gnu11 -Wall -Wextra -Werror -Wno-unused-function -DFAULT=\(fault) -shared -fPIC "
        + "-I'\(CommandRunner.root)/Sources/CNBridgePlugin/include' '\(Self.sources)/\(source)' -o "
        + "\(library) -lpthread "
        + "&& chmod 700 \(library)")
    try #require(result.status == 0, "\(result.errors)")
  }

  /// Runs `body` in a folder that is thrown away.
  func withRunner(_ body: (CommandRunner) throws -> Void) throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    _ = try runner.shell("chmod 700 .")
    try body(runner)
  }

  // MARK: - The author's way

  @Test func theGuidesPluginTourRunsWordForWord() throws {
    let guide = try PagesTests.Page(PagesTests.authorsGuides + "FirstPlugin.md")
    let tour = try #require(guide.blocks("sh").first)
    let readme = try PagesTests.Page("README.md")
    let (plugin, commands) = (
      try #require(readme.blocks("swift").first), try #require(readme.blocks("sh").first)
    )
    try withRunner { runner in
      let result = try runner.shell("set -e\nexport NBRIDGE_SDK='\(CommandRunner.sdk)'\n" + tour)
      #expect(result.status == 0, "\(result.output.suffix(2000)) \(result.errors.suffix(4000))")
      for text in [
        "made Weather/", "built weather 0.1.0", "{ text: 'Hello, Ada!', polite: true }", "tick 3", "all hold",
        "installed weather 0.1.0", "\n25\n", "weather 0.1.0", "| `hello(name, option)` | immediate |",
        "removed ",
      ] { #expect(result.output.contains(text), "no \(text) in \(result.output.suffix(3000))") }
      let types = try String(contentsOfFile: runner.folder + "/Weather/nbridge.d.ts", encoding: .utf8)
      #expect(types.contains("hello(name: string, option?: { style?: \"plain\" | \"polite\" }"))

      // The README's plugin, in a new package; what was built for the one before need not be built again.
      let first = try #require(commands.split(separator: "\n").first)
      let rest = commands.dropFirst(first.count + 1)
      try plugin.write(toFile: runner.folder + "/plugin.swift", atomically: true, encoding: .utf8)
      let small = try runner.shell(
        """
        set -e; export NBRIDGE_SDK='\(CommandRunner.sdk)'; mv Weather Before
        \(first)
        mv ../Before/.build . && cp ../plugin.swift Sources/WeatherPlugin/WeatherPlugin.swift
        \(rest)
        """)
      #expect(small.status == 0, "\(small.output.suffix(2000)) \(small.errors.suffix(4000))")
      #expect(small.output.hasSuffix("{ city: 'Bern', degrees: 11.5 }\n"), "\(small.output.suffix(500))")

      // A plugin with an object that scripts hold, streams, JavaScript of its own and C: its demo, and the
      // promises that every plugin keeps. In the same folder, which what is built already knows.
      let handles = try runner.shell(
        """
        set -e; export NBRIDGE_SDK='\(CommandRunner.sdk)'; mv Weather Small
        nbridge plugin new Weather --with handle,stream,script,c
        cd Weather && mv ../Small/.build . && nbridge plugin build && nbridge run --plugin . demo.js
        nbridge types --plugin .
        nbridge plugin test --conformance --starts 100 .
        cd .. && mv Weather Handles && mv Small Weather && mv Handles/.build Weather/
        """)
      #expect(handles.status == 0, "\(handles.output.suffix(3000)) \(handles.errors.suffix(4000))")
      for text in [
        "tick 3\n15\ntotal 15\n100 readings\n200 readings\nmean 100.5\nlongest 9\n",
        "[\n  { text: 'Hello, Ada!', polite: false },\n  { text: 'Hello, Bert!', polite: false }\n]\n",
        "checksum 300286872\n",
        "helloAll(...names: string[]): Promise<{ text: string; polite: boolean }[]>;",
        "checksum(bytes: Uint8Array,",
        "interface NBridgeWeatherTally extends NBridgeHandle {",
        "tally(from?: number, control?: NBridgeControl): Promise<NBridgeWeatherTally>;",
        "mean(readings: NBridgeSequence<{ place: string; degrees: number }>,",
        "option?: { progress?: (value: number) => unknown }",
        "totals(callback?: undefined, control?: NBridgeControl): NBridgeWatch<number>;",
      ] { #expect(handles.output.contains(text), "no \(text) in \(handles.output.suffix(4000))") }

      // A build that fails: the compiler's own words reach the author.
      let broken = try runner.shell(
        """
        cd Weather && export NBRIDGE_SDK='\(CommandRunner.sdk)' &&
          echo 'let x: Int = ""' >> Sources/WeatherPlugin/WeatherPlugin.swift && nbridge plugin build
        """)
      #expect(broken.status == 1)
      #expect((broken.output + broken.errors).contains("cannot convert value of type 'String'"))
      #expect(broken.errors.contains("the build of '") && broken.errors.contains("failed"))

      // The plugin must be what its plugin.json says.
      let lying = try runner.shell(
        """
        cd Weather && sed -i 's/"service": *"weather"/"service": "climate"/' .build/plugin/plugin.json && \
        nbridge run --plugin . demo.js
        """)
      #expect(
        lying.status == 1
          && lying.errors.contains(
            "says service 'climate', but 'libWeather.so' is the plugin 'weather'")
      )
    }
  }

  @Test(arguments: [
    ("plugin new Weather", 1, "'Weather' is there already; nothing was changed"),
    ("plugin new constructor", 2, "'constructor' can't be a service name"),
    ("plugin new __proto__", 2, "'__proto__' can't be a service name"),
    ("plugin new then", 2, "'then' can't be a service name"),
    ("plugin new preference", 2, "is the name of a plugin that is part of nbridge"),
    ("plugin new", 2, "plugin new needs one name"),
    ("plugin new Store --with scripts", 2, "can't have 'scripts'; did you mean 'script'?"),
    ("plugin build nowhere", 1, "there is no folder 'nowhere'"),
    ("plugin build .", 1, "is no plugin's package"),
    ("plugin install .", 1, "is no plugin: it has no plugin.json"),
    ("plugin remove app", 1, "'app' is part of nbridge"),
    ("plugin remove nothing", 1, "no plugin 'nothing' is installed"),
    ("plugin describe nothing", 2, "there is no plugin 'nothing'"),
    ("plugin instal", 2, "unknown command 'plugin instal'; did you mean 'plugin install'?"),
    ("run --plugin nowhere x.js", 1, "there is no plugin 'nowhere'"),
  ])
  func whatCannotBeDoneIsSaid(_ line: String, _ status: Int32, _ text: String) throws {
    try withRunner { runner in
      _ = try runner.shell("mkdir Weather; echo > x.js")
      let result = try runner.shell("nbridge \(line)")
      #expect(result.status == status && result.errors.contains(text), "\(result.errors)")
    }
  }

  // MARK: - A plugin in plain C

  @Test func aPluginInPlainCKeepsEveryPromise() throws {
    try withRunner { runner in
      try compile(runner, "plain.c", "libplain.so")
      let suite = try runner.shell("nbridge plugin test --starts 2000 libplain.so")
      #expect(suite.status == 0 && suite.output.hasSuffix("all hold\n"), "\(suite.output) \(suite.errors)")
      let calls = try runner.shell(
        """
        nbridge eval --plugin libplain.so -p '[await nbridge.plain.add(1, 2), \
        (await nbridge.plain.viaOther()).name,
          await nbridge.plain.twin({bytes: new Uint8Array([1, 2])}),
            (await Array.fromAsync(nbridge.plain.count(3000))).length]'
        """)
      #expect(calls.output == "[ 3, 'eval', Uint8Array(2) [ 1, 2 ], 3000 ]\n", "\(calls.errors)")
    }
  }

  @Test(arguments: ["exit(0)", "throw 1", "setTimeout(() => {}, 20)"])
  func whatAPluginAsksOfAnotherIsAnsweredBeforeItStops(_ end: String) throws {
    try withRunner { runner in
      try compile(runner, "asking.c", "libasking.so")
      let result = try runner.shell(
        """
        nbridge eval --plugin ./libasking.so --patience 1 'nbridge.asking.ask().catch(() => {}); \
        await new Promise((done) => setTimeout(done, 20)); \(end)'
        """)
      let told = result.errors.split(separator: "\n").filter { $0 == "answered" || $0 == "stopped" }
      #expect(told == ["answered", "stopped"], "\(result.errors)")
    }
  }

  // MARK: - Libraries that are wrong

  static let script = """
    const t = async (n, f) => { try { console.log(n, await f()) } catch (e) { console.log(n, e.code,
      e.message) } };
    const c = (a) => nbridge.callToNative("faulty", a, undefined, {timeout: 300});
    await t("now", () => c("now")); await t("soon", () => c("soon"));
    await t("events", async () => { const l = []; for await (const e of c("events")) l.push(e); return l });
    """

  @Test(arguments: [
    ("NONE", 0, "now 1\nsoon 1\nevents [ 1 ]\n"),
    ("NO_ENTRY", 1, "is no nBridge plugin: it does not export 'nbridge_plugin_entry'"),
    ("NULL_TABLE", 1, "refuses table 1.4, which this nbridge has; rebuild it"),
    ("BAD_MAGIC", 1, "gives a table that begins with 0x12345678 instead of 0x4C50424E"),
    ("SHORT_TABLE", 1, "gives a table of 136 bytes where version 1.4 has 144: it is too short"),
    ("LONG_TABLE", 1, "gives a table of 152 bytes where version 1.4 has 144: it is too long"),
    ("NEWER_MINOR", 1, "was built for plugin table 1.11, and this nbridge"),
    ("OTHER_MAJOR", 1, "was built for plugin table 2.4, and this nbridge"),
    ("NO_CALL", 1, "gives a table without describe, start, stop or call"),
    ("BAD_JSON", 1, "describes itself wrongly: value.version must be a string, not a number"),
    ("BAD_UTF8_DESCRIPTION", 1, "describes itself in text that is not UTF-8"),
    ("START_FAILS", 1, "did not start: the device is not there"),
    ("START_BLOCKS", 1, "did not start: its start did not come back within 10 s"),
    ("SETTLES_TWICE", 0, "settled a call that is over (number 2): the answer is dropped"),
    ("SETTLES_FREED", 0, "settled a call that is over (number 0): the answer is dropped"),
    ("BAD_UTF8", 0, "soon unknown_error the plugin's answer is not UTF-8; this is a fault of the plugin"),
    ("EMITS_LATE", 0, "now 1\nsoon 1\nevents [ 1 ]\n"),
    ("NOT_JSON", 0, "now unknown_error the plugin 'faulty' answered 'now' with text that is not JSON"),
    ("JSON_WITH_NUL", 0, "now unknown_error the plugin 'faulty' answered 'now' with text that is not JSON"),
    ("JSON_WITH_NUL", 0, "soon unknown_error the plugin 'faulty' answered 'soon' with text that is not JSON"),
    ("UNKNOWN_KIND", 0, "now unknown_error the plugin's answer has the unknown kind 99"),
    ("NEVER_ANSWERS", 0, "soon timeout 'faulty.soon' did not answer within 300 ms"),
    ("SERVICE_THEN", 1, "'then' can't be a service name"),
    ("SERVICE_PROTO", 1, "'__proto__' can't be a service name"),
    ("SERVICE_CONSTRUCTOR", 1, "'constructor' can't be a service name"),
    ("BAD_EVENT", 0, "events unknown_error the plugin 'faulty' answered 'events' with text that is not JSON"),
    ("BAD_RUN", 0, "events unknown_error the plugin's answer says that it holds 3 events and has 2 lines"),
    ("RUNS", 0, "events [ 1, [ 2, 3 ], 'x', [ 4 ] ]\n"),
    ("LATE_BYTES", 0, "now 1\nsoon 1\nevents [ 1 ]\n"),
    ("LYING_SIZES", 0, "now unknown_error the plugin's answer has sizes or pointers that can't be true"),
    ("LYING_SIZES", 0, "soon unknown_error the plugin's answer has sizes or pointers that can't be true"),
    ("STRANGE_RETURN", 0, "soon unknown_error the plugin said 77, which is neither"),
    ("COUNTS_CANCELS", 0, "stopped with 0 open"),
    ("POSTS_AFTER_STOP", 0, "now 1\nsoon 1\nevents [ 1 ]\n"),
  ])
  func aFaultyLibraryIsToldAndHarmsNothing(_ fault: String, _ status: Int32, _ text: String) throws {
    try withRunner { runner in
      try compile(runner, "faulty.c", "libfaulty.so", fault: fault)
      _ = try runner.write("s.js", Self.script)
      let result = try runner.shell("nbridge run --plugin libfaulty.so s.js")
      #expect(result.status == status, "\(result.output) \(result.errors)")
      #expect((result.output + result.errors).contains(text), "\(result.output) \(result.errors)")
    }
  }

  @Test func whatWasPostedRunsBeforeTheStop() throws {
    try withRunner { runner in
      try compile(runner, "faulty.c", "libfaulty.so", fault: "POSTS_BEFORE_STOP")
      let result = try runner.shell(
        "nbridge eval --plugin libfaulty.so 'nbridge.callToNative(\"faulty\", \"now\"); exit(3)'")
      #expect(result.status == 3 && result.errors == "posted work ran before the stop\n", "\(result.errors)")
    }
  }

  @Test(arguments: [
    ("echo 'no library at all, by any means' > l.so", "is no shared library (not an ELF file)"),
    (": > l.so", "is no shared library (not an ELF file)"),
    (
      "printf '\\267' | dd of=l.so bs=1 seek=18 conv=notrunc 2>/dev/null",
      "is for another kind of machine (AArch64)"
    ),
    ("chmod o+w l.so", "is refused: others can write to it"),
    (
      "mkdir -p open && mv l.so open && chmod 777 open && ln -s open/l.so l.so",
      "is refused: others can write to the folder"
    ),
    ("cp '/bin/true' l.so && chmod 700 l.so", "can't be loaded"),
  ])
  func aFileThatIsNoPluginIsRefused(_ change: String, _ text: String) throws {
    try withRunner { runner in
      try compile(runner, "plain.c", "l.so")
      let result = try runner.shell("umask 077; \(change); nbridge eval --plugin ./l.so '1'")
      #expect(result.status == 1 && result.errors.contains(text), "\(result.errors)")
    }
  }

  // MARK: - Installed plugins

  @Test func aNameThatIsTakenTwiceNamesBothFiles() throws {
    try withRunner { runner in
      try compile(runner, "plain.c", "l.so")
      let record = "{\"service\":\"plain\",\"version\":\"1.0.0\",\"library\":\"l.so\"}"
      _ = try runner.shell(
        "for d in a b; do mkdir -p $d/plain; cp l.so $d/plain; echo '\(record)' > $d/plain/plugin.json; done")
      let result = try runner.shell(
        """
        NBRIDGE_PLUGINS="$PWD/a:$PWD/b" nbridge eval 'try { await nbridge.callToNative("plain", "add") } \
        catch (e) { console.log(e.code, e.message) }'
        """)
      #expect(
        result.output.contains(
          """
          unavailable the service 'plain' is taken twice: by '
          """) && result.output.contains("/a/plain' and '")
          && result.output.contains("/b/plain'; remove one"), "\(result.output) \(result.errors)")
      let given = try runner.shell("cp l.so m.so; nbridge eval --plugin ./l.so --plugin ./m.so 1")
      #expect(
        given.status == 1 && given.errors.contains("/l.so and ") && given.errors.contains("/m.so"),
        "\(given.errors)")
    }
  }

  @Test func aLinkedPluginFolderKeepsWhatItPointsTo() throws {
    try withRunner { runner in
      try compile(runner, "plain.c", "l.so")
      let record = "{\"service\":\"plain\",\"version\":\"1.0.0\",\"library\":\"l.so\"}"
      _ = try runner.shell(
        "mkdir -p mine plugins; cp l.so mine; echo '\(record)' > mine/plugin.json; echo x > mine/notes")
      let installed = try runner.shell(
        """
        ln -s ../mine plugins/plain; nbridge eval -p 'await nbridge.plain.add(2, 3)' &&
          nbridge plugin install mine && ls -l plugins
        """)
      #expect(
        installed.status == 0 && !installed.output.contains("->"), "\(installed.output) \(installed.errors)")
      let removed = try runner.shell(
        """
        rm -r plugins/plain; ln -s ../mine plugins/plain; nbridge plugin remove plain; ls mine plugins; \
        ls -A plugins | wc -l
        """)
      #expect(
        removed.output.contains("notes\nplugin.json") && removed.output.hasSuffix("\n0\n"),
        "\(removed.output) \(removed.errors)")
    }
  }

  @Test func aDescriptionBesideALibraryIsBelievedUntilTheLibraryChanges() throws {
    try withRunner { runner in
      try compile(runner, "plain.c", "l.so")
      let record = "{\"service\":\"plain\",\"version\":\"1.0.0\",\"library\":\"l.so\"}"
      let told = try runner.shell(
        "mkdir p; cp l.so p; echo '\(record)' > p/plugin.json; nbridge plugin install p; cd plugins/plain; "
          + "sed -i 's/\"name\":\"add\"/\"name\":\"sum\"/' description.json; nbridge eval -p 'await "
          + "nbridge.plain.sum(2, 3)'; "
          + "touch l.so; nbridge eval -p 'await nbridge.plain.add(2, 3)'; "
          + "echo '{' > description.json; nbridge eval -p 'await nbridge.plain.add(2, 3)'")
      #expect(told.output.hasSuffix("5\n5\n5\n"), "\(told.output) \(told.errors)")
    }
  }

  @Test func installingBesideScriptsNeverLeavesAGap() throws {
    try withRunner { runner in
      try compile(runner, "plain.c", "l.so")
      let record = "{\"service\":\"plain\",\"version\":\"1.0.0\",\"library\":\"l.so\"}"
      let result = try runner.shell(
        "mkdir p; cp l.so p; echo '\(record)' > p/plugin.json; nbridge plugin install p > log; "
          + "(for i in 1 2 3 4 5 6 7 8 9 10; do nbridge plugin install p; done) >> log 2>&1 & "
          + "(for i in 1 2 3 4 5 6 7 8 9 10; do nbridge plugin install p; done) >> log2 2>&1 & "
          + "for i in 1 2 3 4 5 6 7 8 9 10 11 12; do nbridge eval -p 'await nbridge.plain.add(2, 3)'; done; "
          + "wait; "
          + "cat log log2 | grep -vc '^installed'; ls -A plugins")
      #expect(
        result.output == String(repeating: "5\n", count: 12) + "0\nplain\n",
        "\(result.output) \(result.errors)")
    }
  }

  @Test func aThousandInstalledPluginsDoNotMatterToAScriptThatUsesOne() throws {
    try withRunner { runner in
      try compile(runner, "plain.c", "l.so")
      let record = { (name: String) in
        """
        {"service":"\(name)","version":"1.0.0","library":"l.so"}
        """
      }
      _ = try runner.shell(
        "for i in $(seq 999); do mkdir -p plugins/plug$i; echo '\(record("plugX"))' > "
          + "plugins/plug$i/plugin.json; done; "
          + "mkdir plugins/plain; cp l.so plugins/plain; echo '\(record("plain"))' > "
          + "plugins/plain/plugin.json")
      let result = try runner.shell(
        "nbridge eval -p '[nbridge.services.length, await nbridge.plain.add(2, 3)]'")
      #expect(result.output == "[ 1010, 5 ]\n", "\(result.errors)")
      let lies = try runner.shell(
        """
        nbridge eval 'try { await nbridge.callToNative("plug7", "x") } catch (e) { console.log(e.message) }'
        """)
      #expect(
        lies.output.contains("says service 'plugX', but the folder's name is 'plug7'"), "\(lies.output)")
      let list = try runner.shell("nbridge plugin list")
      #expect(list.status == 0 && list.output.split(separator: "\n").count >= 1002)
    }
  }

  // MARK: - Mocks

  @Test func aMockAnswersInsteadOfNativeCode() throws {
    try withRunner { runner in
      try runner.write([
        "m.json": """
        {"weather.forecast": {"text": "sunny"}, "weather.ticks": {"$events": [1, 2]},
         "app.appInfo": {"name": "mocked"}, "weather.fail": {"$error": {"code": "not_found", "message": \
        "no such city"}}}
        """,
        "m.js": """
        ({ 'weather.forecast': ({ city }) => ({ city }), 'weather.ticks': function* () { yield 'a'; } })
        """,
        "s.js": """
        console.log(await nbridge.weather.forecast({ city: 'Bern' }));
        for await (const event of nbridge.weather.ticks()) console.log(event);
        try { console.log((await nbridge.app.appInfo()).name);
          await nbridge.weather.fail() } catch (e) { console.log(e.code, e.message) }
        """,
      ])
      let json = try runner.shell("nbridge run --mock m.json s.js")
      #expect(json.output == "{ text: 'sunny' }\n1\n2\nmocked\nnot_found no such city\n", "\(json.errors)")
      let script = try runner.shell("nbridge run --mock m.js s.js")
      #expect(script.output.hasPrefix("{ city: 'Bern' }\na\ns\n"), "\(script.output) \(script.errors)")
      let wrong = try runner.shell("echo '[1]' > w.json; nbridge run --mock w.json s.js")
      #expect(
        wrong.status == 1
          && wrong.errors.contains(
            "must be an object whose keys are \"service.action\", not an array")
      )
    }
  }
}

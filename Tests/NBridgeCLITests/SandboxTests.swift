// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// A plugin in a process of its own has the app's container, and no more than it asked for and was granted.
@Suite struct SandboxTests {
  let tools = PluginCommandTests()

  /// Runs a script with the plugin that tries to get out. `outside` is a folder beside the app's, with a file
  /// in it.
  func run(
    _ script: String, needs: String? = nil, options: String = "--isolate intruder", before: String = "true",
    app: String? = nil, plugin: String? = "--plugin ./plugin"
  ) throws -> CommandRunner.Result {
    var result: CommandRunner.Result?
    try tools.withRunner { runner in
      try tools.compile(runner, "intruder.c", "libintruder.so")
      _ = try runner.shell(
        """
        mkdir app container outside plugin && mv libintruder.so plugin
        echo secret > outside/file && chmod 600 outside/file
        """)
      try script.write(toFile: runner.folder + "/app/s.mjs", atomically: true, encoding: .utf8)
      if let app { try app.write(toFile: runner.folder + "/app/app.json", atomically: true, encoding: .utf8) }
      let json = """
        {"service": "intruder", "version": "1.0.0", "library": "libintruder.so"\
        \(needs.map { #", "isolation": {"needs": \#($0)}"# } ?? "")}
        """
      try json.write(toFile: runner.folder + "/plugin/plugin.json", atomically: true, encoding: .utf8)
      result = try runner.shell(
        """
        export TOKEN=hunter2; \(before)
        nbridge run --container "$PWD/container" \(plugin ?? "") \(options) app/s.mjs "$PWD"
        """)
    }
    return try #require(result)
  }

  /// Tries ways, and prints what came of each that was not expected.
  static func attempts(_ list: [(way: String, path: String, result: String)]) -> String {
    let rows = list.map { #"["\#($0.way)", `\#($0.path)`, "\#($0.result)"]"# }.joined(separator: ",\n  ")
    return """
      import process from "node:process";
      const folder = process.argv[2], parent = process.pid;
      const attempts = [
        \(rows)
      ];
      for (const [way, path, result] of attempts) {
        const came = await nbridge.intruder.attempt({ way, path }).catch((error) => error.message);
        if (!result.split("|").includes(came)) console.log(`${way} ${path}: ${came}, not ${result}`);
      }
      console.log("tried", attempts.length);
      """
  }

  static let file = "${folder}/outside/file"

  /// It says whether the plugin is confined at all.
  @Test func aPluginJSONThatOthersCanWriteIsRefused() throws {
    let result = try run(
      "nbridge.intruder.attempt({ way: 'confined', path: '' })", before: "chmod o+w plugin/plugin.json")
    #expect(result.status != 0, "\(result)")
    #expect(result.errors.contains("plugin.json' is refused: others can write to it"), "\(result)")
    let known = try run(
      "nbridge.intruder.attempt({ way: 'confined', path: '' })",
      before: "touch plugin/description.json; chmod o+w plugin/description.json")
    #expect(known.status == 0, "\(known)")
  }

  @Test func filesOutsideOfTheContainerAreOutOfReach() throws {
    let list = [
      ("confined", "", "ok"), ("capabilities", "", "EPERM"), ("read", Self.file, "EACCES"),
      ("list", "${folder}/outside", "EACCES"), ("list", "/", "EACCES"), ("list", "/proc", "EACCES"),
      ("write", Self.file, "EACCES"), ("write", "${folder}/new", "EACCES"), ("truncate", Self.file, "EACCES"),
      ("read through an open path", Self.file, "EACCES"), ("open to truncate", Self.file, "EACCES"),
      ("read", "/proc/self/root${folder}/outside/file", "EACCES"),
      ("read", "/proc/self/cwd/outside/file", "EACCES"), ("remove", Self.file, "EACCES"),
      ("write", "/usr/lib/nbridge-intruder", "EACCES|EROFS"), ("write", "/dev/shm/intruder", "EACCES"),
      ("write", "/tmp/intruder", "EACCES"), ("make a folder", "${folder}/made", "EACCES"),
      ("change its mode", Self.file, "EPERM"), ("change its mode by a folder", Self.file, "EPERM"),
      ("change its mode by the newest call", Self.file, "EPERM"), ("change its owner", Self.file, "EPERM"),
      ("read an attribute", Self.file, "EPERM"), ("list attributes", Self.file, "EPERM"),
      ("set its times", Self.file, "EPERM"), ("set its times by a round pointer", Self.file, "EPERM"),
      ("let others write", "${folder}/plugin/plugin.json", "EPERM"),
      ("take a lease", "${folder}/plugin/plugin.json", "EPERM"),
      ("let others write by a list", "${folder}/plugin/plugin.json", "EPERM"),
      ("mark it for its file system", "${folder}/plugin/plugin.json", "EPERM"),
      ("give it to another group", "${folder}/plugin/plugin.json", "EPERM"),
      ("ask something else of it", "${folder}/plugin/plugin.json", "EPERM"),
      ("ask what waits in a pipe", "", "ok"),
      ("run as who made it", "", "EPERM"), ("make what runs as who made it", "", "EPERM"),
      ("make it without a name", "", "EPERM"), ("make it by another call", "", "EPERM"),
      ("a folder that hands on its group", "", "EPERM"),
      ("write a temporary file", "", "ok"), ("move away", Self.file, "EACCES|EXDEV"),
      ("move there", "${folder}/moved", "EACCES|EXDEV"), ("link here", Self.file, "EACCES|EXDEV"),
      ("link there", "${folder}/link", "EACCES"), ("symbolic link", Self.file, "EACCES"),
      ("read", "/etc/shadow", "EACCES"), ("read", "/dev/tty", "EACCES|ENXIO"), ("read", "/dev/null", "ok"),
      ("write", "/dev/null", "ok"), ("read", "/usr/bin/env", "ok"), ("read", "/etc/nsswitch.conf", "ok"),
      ("write", "${folder}/container/Documents/mine", "ok"),
      ("remove", "${folder}/container/Documents/mine", "ok"),
      ("write", "${folder}/container/Library/Preferences/stolen", "EACCES"),
      ("write", "${folder}/container/Library/Modules/stolen", "EACCES|ENOENT"),
      ("write", "${folder}/app/s.mjs", "EACCES"), ("read", "${folder}/app/s.mjs", "EACCES"),
      ("write", "${folder}/plugin/libintruder.so", "EACCES"), ("read", "${folder}/plugin/plugin.json", "ok"),
      ("variable", "TOKEN", "ENOENT"), ("variable", "PATH", "ok"),
    ]
    let result = try run(Self.attempts(list))
    #expect(result.output == "tried \(list.count)\n", "\(result)")
  }

  @Test func aBareLibraryReadsNothingThatLiesBesideIt() throws {
    let list = [("read", "${folder}/bare/key", "EACCES"), ("read", "${folder}/bare/libintruder.so", "ok")]
    let result = try run(
      Self.attempts(list), before: "mkdir bare; cp plugin/libintruder.so bare; echo secret > bare/key",
      plugin: "--plugin ./bare/libintruder.so")
    #expect(result.output == "tried 2\n", "\(result)")
  }

  @Test func aLinkedLibraryHasTheFolderOfItsPluginAndNotThatOfItsTarget() throws {
    let list = [("read", "${folder}/linked/plugin.json", "ok"), ("read", "${folder}/plugin/key", "EACCES")]
    let result = try run(
      Self.attempts(list),
      before: """
        mkdir linked; ln -s ../plugin/libintruder.so linked/; cp plugin/plugin.json linked/
        echo secret > plugin/key
        """, plugin: "--plugin ./linked")
    #expect(result.output == "tried 2\n", "\(result)")
  }

  @Test func otherProcessesTheNetworkProgramsAndTheKernelsKeysAreOutOfReach() throws {
    let list = [
      ("network", "80", "EACCES"), ("local socket", "/run/dbus/system_bus_socket", "EACCES"),
      ("routes", "", "EACCES"), ("run", "/usr/bin/true", "EPERM"), ("become", "/usr/bin/true", "EACCES"),
      ("run from memory", "/usr/bin/true", "EPERM"), ("new process", "", "EPERM"),
      ("outlive the program", "", "EPERM"), ("pair of streams", "", "ok"), ("pair of messages", "", "ok"),
      ("pair of datagrams", "", "EACCES"), ("pair of raw sockets", "", "EACCES"),
      ("signal the program", "", "EPERM"),
      ("signal all", "", "EPERM"), ("signal its thread", "", "EPERM"), ("signal any thread", "", "EPERM"),
      ("signal it with a value", "", "EPERM"), ("signal its descriptor", "", "EPERM"),
      ("signal itself", "", "ok"), ("trace it", "", "EPERM"), ("read its memory", "", "EPERM"),
      ("read its memory as a file", "mem", "EACCES"), ("read its memory as a file", "environ", "EACCES"),
      ("read its memory as a file", "root/etc/passwd", "EACCES"), ("take its descriptor", "", "EPERM"),
      ("limit it", "", "EPERM"), ("slow all down", "", "EPERM"), ("new namespace", "", "EPERM"),
      ("unshare", "", "EPERM"), ("new session", "", "EPERM"), ("newest clone", "", "ENOSYS"),
      ("keys", "", "EPERM"), ("kernel program", "", "EPERM"), ("io_uring", "", "EPERM"),
      ("shared memory", "", "EPERM"), ("type into the terminal", "", "EPERM"),
      ("type by a long number", "", "EPERM"), ("set the terminal", "", "ENOTTY"),
      ("empty stdout", "", "EINVAL"), ("watch", "${folder}/outside", "EACCES"),
      ("number of another kind", "", "ENOSYS|EINVAL"), ("slow another", "", "EPERM"),
      ("read the state of a thread", "", "ok"), ("read", "/proc/1/stat", "EACCES"),
      ("slow itself", "", "ok"), ("schedule another", "", "EPERM"), ("place another", "", "EPERM"),
      ("delay another's disk", "", "EPERM"), ("set an attribute by a path", Self.file, "EPERM"),
      ("hear of processes", "", "EACCES"),
    ]
    let result = try run(Self.attempts(list))
    #expect(result.output == "tried \(list.count)\n", "\(result)")
  }

  #if arch(x86_64)
    @Test func aCallByTheNumbersOf32BitsEndsTheProcess() throws {
      let result = try run(
        """
        console.log(await nbridge.intruder.attempt({ way: "call of 32 bits", path: "" }).catch(e => e.code));
        """)
      #expect(result.output == "plugin_crashed\n", "\(result)")
    }
  #endif

  @Test(arguments: [
    (#"["network"]"#, "network", "1", "ECONNREFUSED"), (#"["network"]"#, "hear of processes", "", "EACCES"),
    (#"["sockets"]"#, "local socket", "/nothing", "ENOENT"),
    (#"["run:/usr/bin/true"]"#, "run", "/usr/bin/true", "ok"),
    (#"["run:/usr/bin/true"]"#, "run", "/usr/bin/env", "EACCES"),
    (#"["run"]"#, "run", "/usr/bin/true", "ok"), (#"["env:TOKEN"]"#, "variable", "TOKEN", "ok"),
    (#"["read:FOLDER/outside"]"#, "read", "\(file)", "ok"),
    (#"["read:FOLDER/outside"]"#, "write", "\(file)", "EACCES"),
    (#"["read:~/outside"]"#, "read", "\(file)", "ok"),
    (#"["write:FOLDER/outside"]"#, "write", "\(file)", "ok"),
    (#"["write:FOLDER/outside/file"]"#, "write", "${folder}/outside/other", "EACCES"),
    (#"["everything"]"#, "read", "\(file)", "ok"), (#"["everything"]"#, "confined", "", "0"),
    (#"["run"]"#, "signal the program", "", "EPERM"),
    (#"["watch"]"#, "watch", "${folder}/outside", "ok"), (#"["sockets"]"#, "pair of datagrams", "", "ok"),
    (#"["run"]"#, "new session", "", "ok"), (#"["run"]"#, "read", "\(file)", "EACCES"),
  ])
  func whatItAsksForAndIsGrantedItCanDo(_ needs: String, _ way: String, _ path: String, _ expected: String)
    throws
  {
    let script = Self.attempts([(way, path, expected)])
    let before = #"export HOME="$PWD"; sed -i "s|FOLDER|$PWD|" plugin/plugin.json"#
    let result = try run(script, needs: needs, options: "--grant intruder", before: before)
    #expect(result.output == "tried 1\n", "\(result)")
  }

  /// What can't be read may ask for the sandbox: the library stays out of the program.
  @Test(arguments: [
    #"sed -i 's/}}$/}, "memoryMegabytes": 0}/' plugin/plugin.json"#,
    #"sed -i 's/everything/nonsense/' plugin/plugin.json"#, "truncate -s 60 plugin/plugin.json",
  ])
  func aRecordThatCannotBeReadKeepsItsLibraryOut(_ before: String) throws {
    let result = try run(
      Self.attempts([("confined", "", "ok")]), needs: #"["everything"]"#, options: "", before: before,
      plugin: "--plugin ./plugin/libintruder.so")
    #expect(result.status != 0 && result.output == "", "\(result)")
  }

  /// Its own word does not bring a library into the program.
  @Test func aLibraryWithoutARecordIsIsolatedWhereAnyIs() throws {
    let result = try run(
      Self.attempts([("confined", "", "ok"), ("read", Self.file, "EACCES")]), options: "--isolate intruder",
      before: "rm plugin/plugin.json", plugin: "--plugin ./plugin/libintruder.so")
    #expect(result.output == "tried 2\n", "\(result)")
  }

  @Test func whatItAsksForAndIsNotGrantedKeepsItFromStarting() throws {
    let result = try run("", needs: #"["network", "read:/srv"]"#, options: "--grant intruder:network")
    #expect(
      result.errors.contains(
        """
        did not start: it asks for read:/srv, which nobody granted; grant it with --grant intruder, or in \
        app.json: "grants": { "intruder": ["read:/srv"] }
        """), "\(result)")
    #expect(result.status == 1)
  }

  @Test(arguments: [
    ("--isolate all", "permission_denied the plugin 'intruder' may not call 'app.appInfo'"),
    ("--isolate all --grant intruder:call:app.exit", "permission_denied"),
    ("--isolate all --grant intruder:call:app", "undefined s"),
    ("--isolate all --grant intruder:call:app.appInfo", "undefined s"),
    ("--isolate all --grant intruder:call:app --permissions intruder.*", "permission_denied"),
  ])
  func otherPluginsAreOutOfReach(_ options: String, _ text: String) throws {
    let script = """
      const told = await nbridge.intruder.call().catch(e => e);
      console.log(told.code, told.message ?? told.name);
      """
    let result = try run(script, options: options)
    #expect(result.output.hasPrefix(text), "\(result)")
  }

  /// Its script runs in the program: it could do there what its process can't.
  @Test(arguments: [
    ("--isolate intruder", ""), ("--grant intruder:script", "function\nok\n"),
    ("--grant intruder", "function\nok\n"), ("--grant intruder:everything", "function\n0\n"),
  ])
  func itsOwnScriptRunsOnlyIfThatIsGranted(_ options: String, _ printed: String) throws {
    let script = """
      console.log(typeof nbridge.intruder.services);
      console.log(await nbridge.intruder.attempt({ way: "confined", path: "" }).catch((error) => error.code));
      """
    let result = try run(script, needs: "[]", options: options, before: "touch plugin/with-script")
    #expect(result.output == printed, "\(result)")
    let isRefused = result.errors.contains("did not start: it asks for script, which nobody granted")
    #expect(isRefused == printed.isEmpty, "\(result)")
  }

  @Test func aLibraryIsWhatThePluginJSONBesideItSays() throws {
    let script = "console.log(await nbridge.intruder.attempt({ way: 'confined', path: '' }));"
    let result = try run(script, needs: "[]", options: "--plugin ./plugin/libintruder.so", plugin: nil)
    #expect(result.output == "ok\n", "\(result)")
  }

  @Test func itCanNotEndTheProgram() throws {
    let result = try run("await nbridge.intruder.leave(); console.log('goes on');")
    #expect(result.output == "goes on\n", "\(result)")
    #expect(result.errors.contains("'intruder' may not end the program"), "\(result)")
  }

  @Test func whatItPrintsComesBetweenWhatTheScriptPrints() throws {
    let script = """
      console.log("before");
      await nbridge.intruder.print();
      console.log("between");
      await nbridge.intruder.print();
      """
    let result = try run(script)
    #expect(result.output == "before\nof the plugin\nbetween\nof the plugin\n", "\(result)")
  }

  @Test func aFloodOfAnswersToNoCallEndsItsProcess() throws {
    let result = try run("await nbridge.intruder.flood().catch((error) => console.log(error.code));")
    #expect(result.output == "plugin_crashed\n" && result.errors.utf8.count < 50_000, "\(result)")
  }

  @Test func aTerminalIsNotInItsReach() throws {
    try tools.withRunner { runner in
      try tools.compile(runner, "intruder.c", "libintruder.so")
      let script = """
        for (const way of ["set the terminal", "empty stdout"])
          console.log(await nbridge.intruder.attempt({ way, path: "" }));
        """
      try script.write(toFile: runner.folder + "/s.mjs", atomically: true, encoding: .utf8)
      let line = "'$NBRIDGE' run --isolate all --plugin ./libintruder.so s.mjs"
      let result = try runner.shell("script -qec \"\(line)\" /dev/null")
      #expect(result.status == 0 && result.output.hasSuffix("ENOTTY\r\nEINVAL\r\n"), "\(result)")
    }
  }

  @Test func aTerminalThatCannotBeOpenedAnewKeepsNoPluginFromStarting() throws {
    try tools.withRunner { runner in
      try tools.compile(runner, "intruder.c", "libintruder.so")
      let script = "console.log(await nbridge.intruder.attempt({ way: 'confined', path: '' }));"
      try script.write(toFile: runner.folder + "/s.mjs", atomically: true, encoding: .utf8)
      let result = try runner.shell(
        """
        less=; [ "$(id -u)" != 0 ] || less="setpriv --bounding-set=-dac_override,-dac_read_search"
        line="$less '$NBRIDGE' run --isolate all --plugin ./libintruder.so s.mjs"
        script -qec "chmod 0 \\$(tty); $line" /dev/null
        """)
      // What the shell says of its locale stands before.
      #expect(result.status == 0 && result.output.hasSuffix("ok\r\n"), "\(result)")
    }
  }

  @Test func anAppGrantsInItsAppJSON() throws {
    let script = Self.attempts([("network", "1", "ECONNREFUSED"), ("read", Self.file, "EACCES")])
    let result = try run(
      script, needs: #"["network"]"#, options: "", app: #"{"grants": {"intruder": ["network"]}}"#)
    #expect(result.output == "tried 2\n", "\(result)")
  }

  @Test func aPersonGrantsMoreThanIsAskedFor() throws {
    let script = Self.attempts([("network", "1", "ECONNREFUSED")])
    let result = try run(script, options: "--isolate all --grant intruder:network")
    #expect(result.output == "tried 1\n", "\(result)")
  }

  @Test(arguments: [
    ("--grant intrudr", "there is no such plugin; did you mean 'intruder'?"),
    ("--grant app", "this plugin is a part of nbridge"),
    ("--grant :network", "--grant needs a plugin's name"),
    ("--grant intruder:netwrk", "'netwrk' is nothing that a plugin can be granted; there are network"),
    ("--grant intruder:", "'' is nothing that a plugin can be granted"),
    ("--grant intruder:read:../x", "must name a path that begins with / or ~/"),
    ("--grant intruder:read:/a/../b", "without '..'"),
  ])
  func aGrantThatIsNoneIsRefused(_ options: String, _ text: String) throws {
    let result = try run("", options: options)
    #expect(result.status == 2 && result.errors.contains(text), "\(result)")
  }

  @Test func anAppThatGrantsNonsenseIsRefusedByItsKey() throws {
    let result = try run("", options: "", app: #"{"grants": {"intruder": ["red:/x"]}}"#)
    #expect(result.status != 0 && result.errors.contains("grants.intruder: 'red:/x' is nothing"), "\(result)")
    let missing = try run("", options: "", app: #"{"grants": {"intrudr": ["network"]}}"#)
    #expect(
      missing.status == 0 && missing.errors.contains("unknown plugin 'intrudr'; did you mean 'intruder'?"),
      "\(missing)")
  }

  @Test func theProgramThatRunsPluginsStartsNothingThatNobodyConfined() throws {
    try tools.withRunner { runner in
      try tools.compile(runner, "intruder.c", "libintruder.so")
      let result = try runner.shell(
        #""$(dirname "$NBRIDGE")/nbridge-plugin-host" ./libintruder.so < /dev/null"#)
      #expect(result.status == 2 && result.errors.contains("nbridge run --isolate NAME"), "\(result)")
    }
  }
}

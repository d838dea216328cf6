// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// Plugins come from folders, archives and URLs, for a user or for one app; what an app needs is named and
/// brought again as it was.
@Suite struct PluginSourceTests {
  let tools = PluginCommandTests()

  /// Runs commands in a folder with a built plugin in `Weather`, an app in `app`, and nothing installed.
  func run(_ commands: String) throws -> CommandRunner.Result {
    var result: CommandRunner.Result?
    try tools.withRunner { runner in
      try Self.prepare(tools, runner)
      result = try runner.shell(Self.head + commands)
    }
    return try #require(result)
  }

  static func prepare(_ tools: PluginCommandTests, _ runner: CommandRunner) throws {
    _ = try runner.shell("mkdir -p Weather/.build/plugin home app && touch Weather/Package.swift")
    try tools.compile(
      runner, "wild.c", "Weather/.build/plugin/libWeather.so", fault: #"NONE '-DSERVICE="weather"'"#)
    let json = #"{"service": "weather", "version": "1.0.0", "library": "libWeather.so"}"#
    for folder in ["Weather", "Weather/.build/plugin"] {
      try json.write(toFile: "\(runner.folder)/\(folder)/plugin.json", atomically: true, encoding: .utf8)
    }
    try #"{"id": "com.example.app", "main": "main.js"}"#.write(
      toFile: runner.folder + "/app/app.json", atomically: true, encoding: .utf8)
    try "console.log(typeof await nbridge.weather.pid());\n".write(
      toFile: runner.folder + "/app/main.js", atomically: true, encoding: .utf8)
  }

  static let head = """
    export HOME="$PWD/home"; unset NBRIDGE_PLUGINS
    INCLUDE='\(CommandRunner.root)/Sources/CNBridgePlugin/include'
    WILD='\(CommandRunner.root)/Tests/NBridgeCLITests/Plugins/wild.c'
    pack() { tar -czf weather.tar.gz -C Weather/.build/plugin .; }
    sum() { sed -n 's/.*"sha256": "\\(.*\\)".*/\\1/p' app/nbridge.lock; }

    """

  @Test func theGuidesCommandsRun() throws {
    let page = try PagesTests.Page(PagesTests.authorsGuides + "Publishing.md")
    let result = try run(
      "set -e; cd Weather\n" + (try #require(page.blocks("sh").first)) + "cd ..; nbridge run app/main.js")
    #expect(result.status == 0, "\(result)")
    #expect(result.output.hasSuffix("kept weather 1.0.0\nnumber\n"), "\(result)")
  }

  @Test(arguments: [
    ("pack; nbridge plugin install ./weather.tar.gz", "an archive"),
    ("mkdir w; cp Weather/.build/plugin/* w; tar -czf w.tgz w; nbridge plugin install w.tgz", "its folder"),
    (#"pack; nbridge plugin install "file://$PWD/weather.tar.gz""#, "a file's URL"),
    ("nbridge plugin install Weather", "a package"),
    ("nbridge plugin install Weather/.build/plugin", "a folder"),
  ])
  func aPluginComesFrom(_ command: String, _ what: String) throws {
    let result = try run("set -e; \(command); nbridge run app/main.js; ls -A home/.local/lib/nbridge/plugins")
    #expect(result.status == 0, "\(what): \(result)")
    #expect(
      result.output.contains("/home/.local/lib/nbridge/plugins/weather\nnumber\nweather\n"), "\(result)")
  }

  @Test func aPluginComesFromAServer() throws {
    let result = try run(
      """
      set -e; pack
      python3 -u -c 'import http.server as h
      s = h.ThreadingHTTPServer(("127.0.0.1", 0), h.SimpleHTTPRequestHandler)
      print(s.server_port, flush=True); s.serve_forever()' > port 2> /dev/null & server=$!
      trap 'kill $server' EXIT
      until [ -s port ]; do :; done
      nbridge plugin install "http://127.0.0.1:$(cat port)/weather.tar.gz" --app app > told
      grep -c "\\"from\\": \\"http://127.0.0.1:$(cat port)/weather.tar.gz\\"" app/nbridge.lock
      rm -r app/plugins; nbridge plugin restore app; nbridge run app/main.js
      nbridge plugin install "http://127.0.0.1:$(cat port)/none.tar.gz" 2>&1 | tail -1 || true
      """)
    #expect(result.status == 0, "\(result)")
    #expect(result.output.hasPrefix("1\nrestored weather 1.0.0\nnumber\n"), "\(result)")
    #expect(result.output.contains("could not be brought, see above"), "\(result)")
  }

  @Test(arguments: [
    ("nbridge plugin install http://example.com/w.tar.gz", "is not https: whoever is on the way"),
    ("nbridge plugin install http://127.0.0.1.example.com/w.tar.gz", "is not https"),
    ("nbridge plugin install http://127.0.0.1:80@example.com/w.tar.gz", "is not https"),
    ("nbridge plugin install ftp://example.com/w", "must begin with https:// or file:///"),
    ("nbridge plugin install none.tar.gz", "there is no folder or archive 'none.tar.gz'"),
    ("echo no > x.tar.gz; nbridge plugin install x.tar.gz", "is no archive that tar can unpack"),
    ("tar -czf x.tar.gz app; nbridge plugin install x.tar.gz", "is no plugin: it has no plugin.json"),
    ("nbridge plugin install --app home Weather", "there is no app in 'home': it has no app.json"),
    ("nbridge plugin restore home", "there is no app in 'home'"),
    (
      "echo '{\"version\": 2}' > app/nbridge.lock; nbridge plugin restore app", "this nbridge knows version 1"
    ),
    ("echo '{' > app/nbridge.lock; nbridge plugin restore app", "nbridge.lock' can't be used"),
    (
      #"echo '{"version":1,"plugins":{"../x":{"version":"1","from":"y","sha256":"z"}}}' > app/nbridge.lock; "#
        + "nbridge plugin restore app", "../x"
    ),
  ])
  func whatIsNoPluginIsSaidAndChangesNothing(_ command: String, _ text: String) throws {
    let result = try run("\(command); echo $?; ls -A home")
    #expect(result.errors.contains(text) && ["1\n", "2\n"].contains(result.output), "\(result)")
  }

  @Test func anArchiveWritesNowhereElse() throws {
    let result = try run(
      """
      mkdir bad && cd bad && ln -s "$PWD/../home" out && cp ../Weather/.build/plugin/* .
      tar -cf ../bad.tar --owner=0 ./*; rm out; mkdir out; echo stolen > out/file
      tar -rf ../bad.tar out/file; tar -rPf ../bad.tar --transform 's|^|../home/|' libWeather.so; cd ..
      nbridge plugin install bad.tar > told; echo "came $(find home -name file -o -name libWeather.so -prune \
        | grep -v /plugins/weather/ | wc -l)"
      """)
    #expect(result.output == "came 0\n", "\(result)")
  }

  @Test func anAppsPluginIsItsOwnAndIsBroughtAsItWas() throws {
    let result = try run(
      """
      set -e; pack; cp -r app other
      nbridge plugin install --app app Weather > told
      grep -c '"from": "../Weather"' app/nbridge.lock; first=$(sum)
      nbridge run app/main.js; nbridge run other/main.js > seen 2>&1 || echo none
      nbridge plugin install --app app/app.json weather.tar.gz > told
      [ "$first" = "$(sum)" ]; nbridge plugin restore app
      rm -r app/plugins; cd app; nbridge plugin restore; nbridge run main.js; cd ..
      echo changed >> app/plugins/weather/plugin.json; nbridge plugin restore app
      """)
    #expect(result.status == 0, "\(result)")
    #expect(
      result.output == """
        1
        number
        none
        kept weather 1.0.0
        restored weather 1.0.0
        number
        restored weather 1.0.0

        """, "\(result)")
  }

  @Test func anAppsPluginIsListedAndTypedInItsFolderOnly() throws {
    let result = try run(
      """
      set -e; nbridge plugin restore app; nbridge plugin install --app app Weather > told
      for folder in app home; do cd $folder
        nbridge plugin list | grep -c "weather 1.0.0" || true
        nbridge types | grep -c "interface NBridgeWeather" || true; cd ..
      done
      """)
    #expect(result.output.hasPrefix("the app has no nbridge.lock"), "\(result)")
    #expect(result.output.hasSuffix("\n1\n1\n0\n0\n"), "\(result)")
  }

  @Test func severalAreNamedThatAreInstalledAtOnce() throws {
    let result = try run(
      """
      for i in 1 2 3 4 5 6; do
        mkdir w$i && cp Weather/.build/plugin/* w$i
        sed -i "s/libWeather/libW/; s/weather/w$i/" w$i/plugin.json; mv w$i/libWeather.so w$i/libW.so
        clang -w -shared -fPIC '-DSERVICE="w'$i'"' -DFAULT=NONE -I "$INCLUDE" "$WILD" -o w$i/libW.so
      done
      for i in 1 2 3 4 5 6; do nbridge plugin install --app app w$i > told$i & done; wait
      grep -c sha256 app/nbridge.lock; rm -r app/plugins; nbridge plugin restore app | grep -c restored
      """)
    #expect(result.output == "6\n6\n", "\(result)")
  }

  @Test func whatIsNotWhatTheLockNamesIsNotInstalled() throws {
    let result = try run(
      """
      nbridge plugin install --app app Weather > told; rm -r app/plugins
      echo more > Weather/.build/plugin/more; nbridge plugin restore app; echo $?; ls -A app/plugins
      """)
    #expect(result.output == "1\n", "\(result)")
    #expect(result.errors.contains("is not the plugin that nbridge.lock names: its sha256 is "), "\(result)")
  }

  @Test func aPluginsResourcesAreInstalled() throws {
    let result = try run(
      """
      set -e; mkdir -p Weather/.build/plugin/Weather_Weather.resources/icons
      echo sun > Weather/.build/plugin/Weather_Weather.resources/icons/sun
      ln -s /etc/hostname Weather/.build/plugin/link; nbridge plugin install Weather > told
      cd home/.local/lib/nbridge/plugins/weather; cat Weather_Weather.resources/icons/sun
      ls | grep -c link || true
      """)
    #expect(result.output == "sun\n0\n", "\(result)")
  }

  /// Whatever came with it, nothing of the archive stays in the folder where it was unpacked.
  @Test(arguments: ["w.tar.gz", "w"]) func aNameThatIsNotUTF8IsRefused(_ source: String) throws {
    let result = try run(
      """
      cp -r Weather/.build/plugin w; mkdir w/sub tmp; python3 -c 'open(b"w/sub/a\\xff", "w")'
      tar -czf w.tar.gz -C w .; TMPDIR="$PWD/tmp" nbridge plugin install \(source); echo $?; ls -A home tmp
      """)
    #expect(result.output == "1\nhome:\n\ntmp:\n", "\(result)")
    let said = #"'\#(source)' holds a file whose name is not UTF-8, 'sub/a\xFF'"#
    #expect(result.errors.contains(said), "\(result)")
  }

  @Test(arguments: [
    #"python3 -c 'open(b"app/plugins/weather/a\xff", "w")'"#, "ln -s /etc/hostname app/plugins/weather/l",
    "ln -s . app/plugins/weather/l", "mkfifo app/plugins/weather/l",
  ])
  func whatWasAddedToAnAppsPluginMakesItAnother(_ change: String) throws {
    let result = try run(
      """
      nbridge plugin install --app app Weather > told
      \(change)
      nbridge plugin restore app; nbridge plugin restore app; ls -A app/plugins
      """)
    #expect(result.output == "restored weather 1.0.0\nkept weather 1.0.0\nweather\n", "\(result)")
  }
}

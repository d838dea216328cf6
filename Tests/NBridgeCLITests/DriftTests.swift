// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// Files that are made from the plugins' declarations.
@Suite struct DriftTests {
  @Test func theCheckedInTypesAreFresh() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    let result = try runner.shell("nbridge types")
    let known = try String(contentsOfFile: CommandRunner.root + "/www/nbridge.d.ts", encoding: .utf8)
    #expect(result.output == known, "run `make types`")
  }

  /// A page outside of nBridge gets the same object by `facades.js` as the runtime makes.
  @Test func theFacadesAreAScriptThatDefinesEveryService() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    let listed = try runner.shell(
      """
      echo "const made = []; ((nbridge) => {" > page.js
      nbridge types --facades >> page.js
      echo "})({ define(name, make) { made.push(name + ' ' + typeof make); } });" >> page.js
      echo "console.log(made.join()); console.log(nbridge.services.join());" >> page.js
      nbridge run page.js
      """
    ).output.split(separator: "\n")
    let defined = (listed.first ?? "").split(separator: ",").map { $0.split(separator: " ") }
    #expect(defined.count == 10 && defined.allSatisfy { $0.last == "function" }, "\(listed)")
    #expect(defined.compactMap(\.first).sorted() == (listed.last ?? "").split(separator: ",").sorted())
  }

  @Test(arguments: [
    "App", "Preference", "Pasteboard", "Documents", "Peers", "Logger", "Process", "Auth", "Window",
  ])
  func theREADMEOfAPluginHasItsTable(_ plugin: String) throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    let table = try runner.shell("nbridge types --table \(plugin.lowercased())").output
    let readme = try String(
      contentsOfFile: "\(CommandRunner.root)/plugins/\(plugin)/README.md", encoding: .utf8)
    #expect(
      !table.isEmpty && readme.contains(table), "put the output of `nbridge types --table` into the README")
  }

  @Test func theSampleRunsEveryButton() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    _ = try runner.shell("cp -r '\(CommandRunner.root)/www' .; nbridge types --facades > www/facades.js")
    let script = try runner.shell("nbridge run --leak-check www/sample.js")
    #expect(script.status == 0, "\(script.errors)")
    #expect(script.output.contains("app version : 1.0.0/1\napp name: nBridge Sample\n"))
    #expect(script.output.contains("language: de, region: CH"))
    #expect(script.output.contains("changed: watched = 1"))
    let page = try runner.shell("nbridge run www/sample.html")
    #expect(page.output.contains("app name: nBridge Sample"))
    let one = try runner.shell("nbridge run --call getDefault www/sample.html")
    #expect(one.output == "greeting, from app.json: hello\n")
  }

  /// The desktop's registered programs, as files of the user's: GIO reads them, no display is needed.
  @Test func aURLOpensWithTheProgramThatIsRegistered() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([
      "xdg/applications/opener.desktop":
        """
      [Desktop Entry]
      Type=Application
      Name=Opener
      Exec=\(runner.folder)/opener %u
      MimeType=x-scheme-handler/nbtest;

      """,
      "xdg/mimeapps.list": "[Default Applications]\nx-scheme-handler/nbtest=opener.desktop\n",
      "opener": "#!/bin/sh\necho \"$1\" > '\(runner.folder)/opened'\n",
      "s.js": """
      console.log(await nbridge.app.canOpenURL('nbtest:a?b=c'), await nbridge.app.canOpenURL('other:x'));
      await nbridge.app.openURL('nbtest:a?b=c')
      """,
    ])
    let result = try runner.shell(
      """
      # A copy: a child of another test may hold the file that was written open, \
      and what is open can't be run.
      cp opener o; mv o opener; chmod +x opener; export XDG_DATA_HOME="$PWD/xdg" XDG_CONFIG_HOME="$PWD/xdg"; \
      nbridge run s.js
      n=0; until [ -s opened ]; do n=$((n+1)); [ $n -gt 200 ] && break; sleep 0.05; done; cat opened
      """)
    #expect(result.output == "true false\nnbtest:a?b=c\n", "\(result.errors)")
  }

  @Test func aDesktopsProgramsAreCalledWithoutAShell() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    let tell = """
      #!/bin/sh
      printf '%s|' "${0##*/}" "$@" >> '\(runner.folder)/told'
      echo >> '\(runner.folder)/told'

      """
    try runner.write([
      "bin/xdg-open": tell, "bin/xdg-email": tell, "bin/gnome-control-center": tell,
      "s.js": """
      await nbridge.app.openBrowser({ url: 'http://localhost/$(id)' });
      await nbridge.app.share({ text: 'a; b', subject: 's' }); await nbridge.app.goSettings()
      """,
    ])
    let result = try runner.shell(
      """
      # A copy: a child of another test may hold the file that was written open, \
      and what is open can't be run.
      for f in bin/*; do cp $f o; mv o $f; done; chmod +x bin/*; export DISPLAY=:none PATH="$PWD/bin:$PATH" \
      XDG_DATA_HOME="$PWD/x" XDG_DATA_DIRS="$PWD/x" XDG_CONFIG_HOME="$PWD/x"
      nbridge run s.js; n=0; until grep -q control-center told; do n=$((n+1)); [ $n -gt 200 ] && break; \
      sleep 0.05; done; cat told
      """)
    #expect(
      result.output == """
        xdg-open|http://localhost/$(id)|
        xdg-email|--subject|s|--body|a; b|
        gnome-control-center|

        """,
      "\(result.errors)")
  }

  @Test(arguments: [
    ("bash", "complete -o filenames -F _nbridge nbridge"), ("zsh", "bashcompinit"),
    ("fish", "complete -c nbridge"),
  ])
  func completionsForShells(_ shell: String, _ text: String) throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    let result = try runner.shell("nbridge completions \(shell)")
    #expect(result.status == 0 && result.output.contains(text) && result.output.contains("repl"))
  }

  @Test func bashCompletesCommandsAndTheirOptions() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([
      "c.bash": """
      eval "$("$NBRIDGE" completions bash)"
      complete_line() { COMP_WORDS=("$@"); COMP_CWORD=$(($# - 1)); COMPREPLY=(); _nbridge; \
      echo "${COMPREPLY[@]}"; }
      complete_line nbridge re; complete_line nbridge run --leak; complete_line nbridge repl --ev; \
      complete_line nbridge run c.b; complete_line nbridge c.b; complete_line nbridge --aud; \
      complete_line nbridge --audit c.b; complete_line nbridge c.bash --leak; complete_line nbridge pl
      """
    ])
    let result = try runner.shell("bash c.bash")
    #expect(
      result.output
        == "replay repl\n--leak-check\n--eval\nc.bash\nc.bash\n--audit\nc.bash\n--leak-check\nplugin\n",
      "\(result)")
    #expect(try runner.shell("nbridge completions ksh").status == 2)
  }

  /// What is typed, and what fish has for it, without what it says of that.
  private static let fishLines: [(line: String, has: [String], hasNot: [String])] = [
    ("nbridge pl", ["plugin"], []), ("nbridge he", ["help"], []), ("nbridge re", ["repl", "replay"], []),
    ("nbridge --aud", ["--audit"], []), ("nbridge --vers", ["--version"], []),
    ("nbridge --audit --tra", ["--trace", "--trace-file"], []), ("nbridge c.js --tra", [], ["--trace"]),
    ("nbridge run --prof", ["--profile"], []), ("nbridge run c", ["c.js"], []),
    ("nbridge test --sha", ["--shard"], []), ("nbridge plugin test --", ["--help"], ["--shard"]),
    ("nbridge plugin ", ["new", "test"], ["run"]), ("nbridge run plugin te", [], ["test"]),
    ("nbridge logs --", ["--keep-days"], []), ("nbridge logs query --", ["--since"], ["--keep-days"]),
    ("nbridge logs que", ["query"], []),
  ]

  @Test func fishCompletesCommandsAndTheirOptions() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    guard try runner.shell("command -v fish").status == 0 else {
      return print("SKIPPED: fishCompletesCommandsAndTheirOptions: there is no fish here")
    }
    try runner.write(["c.js": ""])
    for (line, has, hasNot) in Self.fishLines {
      let result = try runner.shell(
        "HOME=$PWD fish --no-config -c '$NBRIDGE completions fish | source; complete -C \"\(line)\"'")
      let found = result.output.split(separator: "\n").map { String($0.prefix { $0 != "\t" }) }
      #expect(Set(has).isSubset(of: found) && Set(hasNot).isDisjoint(with: found), "\(line): \(result)")
    }
  }
}

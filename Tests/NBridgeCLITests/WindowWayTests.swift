// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// How a page's calls go: by the library in its process, or by WebKit's own messages.
enum WindowWay: CaseIterable, Sendable {
  case `extension`, messages

  /// What goes before shell lines that start a window.
  var lines: String { self == .messages ? "export NBRIDGE_WINDOW_MESSAGES=1" : "" }
}

/// The two ways of a page's calls in a window: what is the same in both, and what the slower one says.
@Suite(.serialized) struct WindowWayTests {
  private static let browsers = CommandRunner.root + "/Tests/NBridgeCLITests/Browsers"

  private func run(_ lines: String) throws -> CommandRunner.Result {
    let runner = try CommandRunner()
    defer { runner.remove() }
    return try Desktop.run(lines, runner)
  }

  /// Calls, errors, watches, bytes and their ends, what the page's scripts and frames find, and a page that
  /// is loaded again in the middle of calls.
  @Test(arguments: WindowWay.allCases)
  func callsAndTheirEndsAreTheSame(_ way: WindowWay) throws {
    let seen = try run(
      """
      \(way.lines)
      "$PROGRAM" window --container box --trace '\(Self.browsers)/ways.html' > out 2> errors & p=$!
      wait_for 'grep -qs "page: over" out || grep -qs "page: failed" out'
      # The old page's calls ended when it went, and not with the program.
      for name in preference documents; do
        grep "^trace: $name.watch" errors | tail -n 1 | cut -d ' ' -f 2-5
      done
      kill $p; wait $p; cat out
      """)
    #expect(
      seen.output == """
        preference.watch watch failed (cancelled)
        documents.watch watch failed (cancelled)
        page: many 3000 true
        page: one by one 300
        page: text true
        page: not_found invalid_parameter
        page: watched 200 true
        page: cancelled timeout
        page: bytes true,true,true,true,true,true,true,true
        page: as they were 3000000 true 0
        page: the page's own 0
        page: undefined undefined
        page: true
        page: said o
        page: frame undefined,undefined,undefined,true
        page: own frame undefined undefined
        page: leaves
        page: again true 200
        page: over

        """, "\(seen)")
  }

  /// Of the library, how it may be found, and what is said of it; the page gets its answer all the same.
  @Test(arguments: [
    ("rm -r own/libexec/nbridge/extension", "there is no"),
    ("echo none > $library", "the page's process did not load"),
    ("cc -shared -x c /dev/null -o $library", "the page's process did not load"),
    ("cc -shared -fPIC -x c abort.c -o $library", "the page's process ended as it loaded"),
  ])
  func withoutTheLibraryItSaysSoOnceAndGoesOn(_ does: String, _ says: String) throws {
    let seen = try run(
      """
      mkdir -p own/bin own/libexec
      ln "$PROGRAM" own/bin/nbridge 2> /dev/null || cp "$PROGRAM" own/bin/nbridge
      for folder in "${PROGRAM%/*}/../libexec/nbridge" "${PROGRAM%/*}/../../window"; do
        if [ -d "$folder" ]; then cp -r "$folder" own/libexec/nbridge; break; fi
      done
      library=own/libexec/nbridge/extension/libnbridge-window.so
      echo 'void abort(void);' > abort.c
      echo 'void webkit_web_extension_initialize_with_user_data(void) { abort(); }' >> abort.c
      \(does)
      own/bin/nbridge window --container box '\(Self.browsers)/hello.html' > out 2> errors & p=$!
      wait_for 'grep -qs hello out'; cat out
      kill $p; wait $p; grep -c 'which takes longer' errors; cat errors >&2
      """)
    #expect(seen.output == "page: hello from Browsers\n1\n", "\(seen)")
    #expect(seen.errors.contains("nbridge: the page's calls go by WebKit's own messages"), "\(seen)")
    #expect(seen.errors.contains("which takes longer: \(says) '"), "\(seen)")
    #expect(seen.errors.contains("libnbridge-window.so'; make window, or make install"), "\(seen)")
  }

  /// WebKit's sandbox takes no folder of `/dev`, and so the page's process can't reach the socket.
  @Test func whereThePagesProcessCanNotReachTheProgramItGoesOn() throws {
    let seen = try run(
      """
      export XDG_RUNTIME_DIR=$(mktemp -d /dev/shm/nbridge-test-XXXXXX)
      "$PROGRAM" window --container box '\(Self.browsers)/hello.html' > out 2> errors & p=$!
      wait_for 'grep -qs hello out'; cat out
      kill $p; wait $p; rm -r "$XDG_RUNTIME_DIR"; grep -o "can't connect to the program's socket" errors
      """)
    #expect(seen.output == "page: hello from Browsers\ncan't connect to the program's socket\n", "\(seen)")
  }
}

// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import Testing

/// Folders that all of a user's programs share belong to no other user.
@Suite struct SharedFolderTests {
  /// Each with what is told of it.
  static let faults = [
    ("chown 12345 $1", "belongs to user 12345 and not to user 0"),
    (
      "chmod 777 $1", "may be written to by others (mode 777)"
    ),
    ("chmod 1770 $1", "may be written to by others (mode 1770)"),
    (
      "mv $1 other; ln -s $PWD/other $1", "is a link"
    ),
    ("rm -r $1; : > $1", "is not a folder"),
  ]

  @Test(arguments: faults) func aFolderThatOthersHaveAHandInIsRefused(_ fault: (String, String)) throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    if getuid() != 0, fault.0.hasPrefix("chown") {
      print("SKIPPED: a folder of another user's: only root can give one away")
      return
    }
    let result = try runner.shell(
      """
      spoil() { \(fault.0); }
      for folder in .run .shared; do
        rm -rf home other; mkdir -p home/.run home/.shared; chmod 700 home/.run home/.shared; \
      spoil home/$folder
        nbridge eval 'await nbridge.pasteboard.set("x", { name: "n" })';
        timeout 10 "$NBRIDGE" logs --port 0 --plain --until 0s < /dev/null
        [ "$(find home other -type f 2> /dev/null | grep -vc "home/$folder$")" = 0 ] || \
      find home other -type f
      done 2>&1 | grep -o "home/[.a-z]*' .*" | cut -d "'" -f 2- | sed 's/ \\[.*//' | sort | uniq -c
      """)
    let lines = result.output.split(separator: "\n")
    #expect(lines.count == 1 && lines.allSatisfy { $0.contains(fault.1) && $0.contains("; ") }, "\(result)")
    #expect(lines.first?.contains(" 4 ") == true, "\(result)")
  }

  /// A umask that lets others read is no reason to refuse: they are kept out from then on.
  @Test func aFolderThatOthersMayReadIsClosedToThem() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    let result = try runner.shell(
      """
      mkdir -p home/.run home/.shared; chmod 755 home/.run home/.shared
      nbridge eval 'console.log(await nbridge.pasteboard.set("x", { name: "n" }))';
      stat -c %a home/.run home/.shared
      """)
    #expect(result.output == "1\n700\n700\n", "\(result)")
  }
}

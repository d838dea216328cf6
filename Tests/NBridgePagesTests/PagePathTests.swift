// SPDX-License-Identifier: MIT

import NBridgePages
import NBridgePlugin
import Testing

/// The pages that a window may be opened with.
@Suite struct PagePathTests {
  @Test(arguments: [
    ("settings.html", "settings.html"), ("sub/a b.htm", "sub/a b.htm"), ("note.html?id=5#top", "note.html"),
    ("n.html?to=https://a.b/../c", "n.html"), ("1:2.html", "1:2.html"),
  ])
  func aPathOfTheAppsOwnIsOne(_ given: String, _ path: String) throws {
    #expect(try PagePath(given).path == path)
  }

  @Test(arguments: [
    ("https://example.org/a.html", "is an address"), ("file:///etc/a.html", "is an address"),
    ("nbridge-app://other/a.html", "is an address"), ("javascript:a.html", "is an address"),
    ("//example.org/a.html", "is an address"), ("/etc/a.html", "leads out of the app's folder"),
    ("../a.html", "leads out of the app's folder"), ("a/../../b.html", "leads out of the app's folder"),
    ("a//b.html", "has an empty or a hidden part"), (".secret/a.html", "has an empty or a hidden part"),
    ("./a.html", "has an empty or a hidden part"), ("", "has an empty or a hidden part"),
    ("app.json", "is no page"), ("a.js", "is no page"), ("a.html\n", "has a control character"),
  ])
  func whatIsNoneSaysWhy(_ given: String, _ why: String) {
    let error = #expect(throws: BridgeError.self) { try PagePath(given) }
    #expect(error?.code == .invalidParameter)
    #expect(error?.message.hasPrefix("option.page '\(given)' \(why)") == true, "\(error?.message ?? "")")
  }
}

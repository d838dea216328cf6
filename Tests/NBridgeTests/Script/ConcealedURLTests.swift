// SPDX-License-Identifier: MIT

import NBridgeScript
import Testing

/// URLs in messages.
@Suite struct ConcealedURLTests {
  @Test(arguments: [
    ("http://ada:secret@host/a?b", "http://***@host/a?b"), ("http://ada@host", "http://***@host"),
    ("http://a@b@host/", "http://***@host/"), ("http://host/a@b", "http://host/a@b"),
    ("http:a:b@h/x", "http:***@h/x"), ("http:\\\\a:b@h", "http:\\\\***@h"), ("https:/a@h", "https:/***@h"),
    ("http:///a:b@h/x", "http:///***@h/x"), ("mailto:a@b", "mailto:a@b"), ("./a@b", "./a@b"),
    ("http://host?a@b", "http://host?a@b"), ("node:fs", "node:fs"), ("//a@b", "//***@b"), ("", ""),
  ])
  func noMessageHasThePasswordInAnAddress(_ url: String, _ told: String) {
    #expect(ConcealedURL.text(url) == told)
  }
}

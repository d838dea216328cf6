// SPDX-License-Identifier: MIT

import NBridgeScript
import Testing

/// URLs in messages.
@Suite struct ConcealedURLTests {
  @Test(arguments: [
    ("http://ada:secret@host/a?b", "http://***@host/a?b"), ("http://ada@host", "http://***@host"),
    ("http://a@b@host/", "http://***@host/"), ("http://host/a@b", "http://host/a@b"),
    ("http://host?a@b", "http://host?a@b"), ("node:fs", "node:fs"), ("//a@b", "//***@b"), ("", ""),
  ])
  func noMessageHasThePasswordInAnAddress(_ url: String, _ told: String) {
    #expect(ConcealedURL.text(url) == told)
  }
}

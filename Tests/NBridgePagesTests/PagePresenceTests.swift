// SPDX-License-Identifier: MIT

import Testing

@testable import NBridgePages

/// When an app in browsers is in the background.
@Suite struct PagePresenceTests {
  @Test func anAppIsInTheBackgroundWhenNoneOfItsPagesIsSeen() {
    var pages = PagePresence()
    #expect(pages.note(1, isSeen: true) == nil)
    #expect(pages.note(2, isSeen: true) == nil)
    #expect(pages.note(1, isSeen: false) == nil)
    #expect(pages.note(2, isSeen: false) == true)
    #expect(pages.note(2, isSeen: false) == nil)
    #expect(pages.note(1, isSeen: true) == false)
  }

  @Test func aPageThatGoesLeavesItToTheOthers() {
    var pages = PagePresence()
    _ = pages.note(1, isSeen: true)
    _ = pages.note(2, isSeen: true)
    _ = pages.note(1, isSeen: false)
    #expect(pages.leave(2) == true)
    // Without a page, it stays as it was.
    #expect(pages.leave(1) == nil && pages.leave(1) == nil)
    #expect(pages.note(3, isSeen: true) == false)
  }
}

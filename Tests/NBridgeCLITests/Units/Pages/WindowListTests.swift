// SPDX-License-Identifier: MIT

import NBridgePlugin
import Testing

@testable import NBridgeCLI

/// Which windows a program has.
@Suite struct WindowListTests {
  @Test func numbersAreNeverGivenTwice() throws {
    var windows = WindowList(1, showing: "index.html")
    #expect(try windows.open("a.html") == 2)
    #expect(windows.close(2) == "a.html" && windows.close(2) == nil)
    #expect(try windows.open("a.html") == 3)
    #expect(windows.isShowing("a.html") && !windows.isShowing("b.html"))
  }

  @Test func oneTooManyIsRefused() throws {
    var windows = WindowList(1, showing: "index.html")
    for _ in 1..<WindowList.most { _ = try windows.open("a.html") }
    let error = #expect(throws: BridgeError.self) { try windows.open("a.html") }
    #expect(error?.code == .unavailable && error?.message.hasPrefix("32 windows are open") == true)
    _ = windows.close(7)
    _ = try windows.open("a.html")
  }

  @Test func anAppIsHiddenWhenAllItsWindowsAre() throws {
    var windows = WindowList(1, showing: "index.html")
    let other = try windows.open("a.html")
    windows.note(1, isHidden: true)
    #expect(!windows.isHidden)
    windows.note(other, isHidden: true)
    #expect(windows.isHidden)
    windows.note(1, isHidden: false)
    #expect(!windows.isHidden)
    _ = windows.close(1)
    #expect(windows.isHidden)
    _ = windows.close(other)
    #expect(!windows.isHidden)
  }
}

// SPDX-License-Identifier: MIT

import NBridgePlugin
import Testing

@testable import WindowPlugin

/// What a window is told of its menu, and what is none.
@Suite struct MenuTests {
  private static func refusal(_ menu: [MenuItem]) -> String {
    do {
      _ = try MenuItem.lines(menu, named: "items")
      return ""
    } catch { return (error as? BridgeError)?.message ?? "\(error)" }
  }

  @Test func aMenuIsLinesInTheOrderOfTheBar() throws {
    let menu = [
      MenuItem(
        label: "_File",
        items: [
          MenuItem(label: "New", id: "new", key: "Ctrl+Shift+N"), MenuItem(label: "-"),
          MenuItem(label: "Wrap", id: "wrap", checked: true), MenuItem(role: .quit),
        ])
    ]
    #expect(
      try MenuItem.lines(menu, named: "items") == """
        0\tmenu\t\t\t1\t\t_File
        1\titem\tnew\t<Control><Shift>n\t1\t\tNew
        1\tline\t\t\t1\t\t-
        1\titem\twrap\t\t1\t1\tWrap
        1\tquit\t\t\t1\t\t_Quit
        """)
  }

  @Test(arguments: [
    ("Ctrl+N", "<Control>n"), ("Alt+Left", "<Alt>Left"), ("F5", "F5"), ("CmdOrCtrl+Plus", "<Control>plus"),
    ("ctrl+,", "<Control>comma"), ("Shift+F10", "<Shift>F10"),
  ])
  func keysArePeoplesWords(text: String, told: String) throws {
    #expect(try MenuKey.accelerator(text, "x") == told)
  }

  @Test(arguments: ["", "+", "Ctrl+", "Ctrl+Nope", "N", "Shift+N", "Hyper+N", "F25", "Ctrl++", "Ctrl+\n"])
  func whatIsNoKeyIsRefused(text: String) {
    let said = Self.refusal([MenuItem(label: "A", items: [MenuItem(label: "B", id: "b", key: text)])])
    #expect(said.hasPrefix("items[0].items[0].key '"), "\(said)")
  }

  @Test func whatCanNotBeChosenIsRefusedWithItsPath() {
    #expect(Self.refusal([MenuItem(label: "A", id: "a")]).hasPrefix("items[0] needs items"))
    #expect(
      Self.refusal([MenuItem(label: "A", items: [MenuItem(label: "B")])]).hasPrefix("items[0].items[0] ('B')")
    )
    #expect(Self.refusal([MenuItem(items: [])]).hasPrefix("items[0] needs a label"))
    #expect(Self.refusal([MenuItem(label: "A", id: "a", items: [])]).hasPrefix("items[0] ('A') is a menu"))
    #expect(Self.refusal([MenuItem(label: "A\nB", items: [])]).hasPrefix("items[0] has a control character"))
    var deep = MenuItem(label: "x", id: "x")
    for _ in 0..<9 { deep = MenuItem(label: "x", items: [deep]) }
    #expect(Self.refusal([deep]).hasSuffix("is more than 8 menus deep"))
  }
}

// SPDX-License-Identifier: MIT

import Testing

@testable import NBridgeScript

/// Messages that quote what was made of a module, told in its author's words.
@Suite struct AuthoredMessageTests {
  @Test(arguments: [
    (
      "$f.x() is not a function. (In '$f.x()(1)', '$f.x()' is 5)",
      "x is not a function. (In 'x(1)', 'x' is 5)"
    ),
    ("$i.o.y is not a function. (In '$i.o.y()'", "o.y is not a function. (In 'o.y()'"),
    ("$i.$ns.x is not a function. (In '$i.$ns.x()'", "ns.x is not a function. (In 'ns.x()'"),
    ("5 is not a constructor (evaluating 'new $i.x()')", "5 is not a constructor (evaluating 'new x()')"),
    ("5 is not a function (near '...$f.x()`a`...')", "5 is not a function (near '...x`a`...')"),
    ("(In '({ x:$i.x }).x()'", "(In '({ x }).x()'"), ("(In '({ y: $i.x }).y()'", "(In '({ y: x }).y()'"),
    ("$importMeta.foo is not", "import.meta.foo is not"), ("'$impor(a).b()'", "'import(a).b()'"),
    ("'f(!($m.at=12)?0:await a)'", "'f(await a)'"),
    ("Cannot access '$d' before", "Cannot access 'default' before"),
  ])
  func whatWasMadeIsTakenBack(_ message: String, _ expected: String) {
    #expect(AuthoredMessage.of(message.replacing("$", with: "\u{1C3}")) == expected)
  }

  @Test(arguments: ["", "plain", "\u{1C3}", "\u{1C3}Xam", "a \u{1C3}\u{1C3} b", "\u{1C3}f.x", "\u{1C3}dog"])
  func anAuthorsOwnLettersStay(_ message: String) {
    #expect(AuthoredMessage.of(message) == message)
  }
}

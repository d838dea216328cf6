// SPDX-License-Identifier: MIT

import Testing

@testable import NBridgeInspector

/// JSON as the two protocols need it.
@Suite struct JSONTests {
  private func read(_ text: String) -> JSON? { JSONReader.read(Array(text.utf8)) }

  @Test(arguments: [
    "null", "true", "[]", "{}", "[1,-0,1.5e+30,12345678901234567890]", #"{"a":{"b":[{}]},"a":1}"#,
    #""é😀\u0001\"\\""#,
  ])
  func whatIsReadIsWrittenTheSame(_ text: String) throws {
    let value = try #require(read(text))
    #expect(String(decoding: value.text, as: UTF8.self) == text)
  }

  @Test func escapesAreCharacters() {
    #expect(read(#""\u00e9\ud83d\ude00\n\/""#) == .string("é😀\n/"))
    // Half of a character can be named, and is none.
    #expect(read(#""\ud83d!""#) == .string("\u{FFFD}!"))
  }

  @Test(arguments: [
    "", "nul", "[1,]", "[1 2]", "{\"a\"}", "{a:1}",
    "01", "1.", "1e", "-", "\"", "\"\\x\"", "\"\\u12\"", "\"\n\"",
    "[]]", "+1",
  ])
  func whatIsNoneIsRefused(_ text: String) { #expect(read(text) == nil, "\(text)") }

  @Test func depthHasALimit() {
    let deep = { String(repeating: "[", count: $0) + String(repeating: "]", count: $0) }
    #expect(read(deep(JSONReader.maxDepth)) != nil)
    #expect(read(deep(JSONReader.maxDepth + 1)) == nil)
    #expect(read(String(repeating: "[{\"a\":", count: 100_000)) == nil)
  }

  @Test func membersComeAndGo() {
    let object = JSON.of(["a": .int(1), "b": nil, "c": true])
    #expect(object["a"]?.int == 1 && object["b"] == nil && object["c"]?.bool == true)
    #expect(object.with("a", nil).with("b", "x") == .of(["c": true, "b": "x"]))
    #expect(JSON.number("2.0").int == 2 && JSON.number("2.5").int == nil && JSON.number("1e99").int == nil)
  }
}

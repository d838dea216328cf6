// SPDX-License-Identifier: MIT

import Foundation
import TestSupport
import Testing

@testable import NBridgePlugin

/// The parser: RFC 8259, and nothing beside it.
@Suite struct TapeTests {
  @Test(arguments: [
    "null", "true", "false", "0", "-0", "10", "-1", "1.5", "-0.5", "1e5", "1E5", "1e+5", "1e-5", "0e0",
    "0.0E-0", "\"\"",
    "\"a\"", "\"\\\"\\\\\\/\\b\\f\\n\\r\\t\\u0041\"", "\"\u{7F}\"", "\"é漢🎉\u{2028}\"", "[]", "[ ]", "[1]",
    "[1,2]", "[[]]",
    "{}", "{ }", "{\"\":1}", "{\"a\":{\"b\":[]}}", " \t\r\n1 \t\r\n", "[ 1 , 2 ]",
    "{ \"a\" : 1 , \"b\" : 2 }",
    "\"\\ud83c\\udf89\"", "\"\\ud800\"", "12345678901234567890123456789012345678901234567890",
    "[true,false,null]",
  ])
  func textsOfTheGrammarAreTaken(_ text: String) {
    let fault = syntaxFault(Array(text.utf8))
    #expect(fault == nil, "\(fault?.reason ?? "")")
  }

  @Test(arguments: [
    ("", "the text ends where a value should be", 0), ("   ", "the text ends where a value should be", 3),
    ("nul", "not a value", 0), ("nulL", "not a value", 0), ("True", "not a value", 0),
    ("nan", "not a value", 0),
    ("Infinity", "not a value", 0), ("-", "not a value", 1), ("+1", "not a value", 0),
    (".5", "not a value", 0),
    ("1.", "not a value", 2), ("1.e5", "not a value", 2), ("1e", "not a value", 2), ("1e+", "not a value", 3),
    ("01", "something follows the value", 1), ("-01", "something follows the value", 2),
    ("0x10", "something follows the value", 1),
    ("1 2", "something follows the value", 2), ("[]]", "something follows the value", 2),
    ("null,", "something follows the value", 4),
    ("[", "the text ends where a value should be", 1), ("[1", "the text ends inside an array", 2),
    ("[1,", "the text ends where a value should be", 3), ("[1,]", "not a value", 3),
    ("[,1]", "not a value", 1),
    ("[1 2]", "',' or ']' is missing in an array", 3), ("[1}", "',' or ']' is missing in an array", 2),
    ("{", "a key must be a string", 1), ("{a:1}", "a key must be a string", 1),
    ("{1:1}", "a key must be a string", 1),
    ("{\"a\"}", "':' is missing after a key", 4), ("{\"a\"", "':' is missing after a key", 4),
    ("{\"a\":}", "not a value", 5), ("{\"a\":1", "the text ends inside an object", 6),
    ("{\"a\":1,}", "a key must be a string", 7), ("{\"a\":1]", "',' or '}' is missing in an object", 6),
    ("\"", "a string does not end", 0), ("\"a", "a string does not end", 0),
    ("\"\\\"", "a string does not end", 0),
    ("\"\\", "a string does not end", 1), ("\"\\x\"", "a bad escape", 1), ("\"\\u12\"", "a bad escape", 1),
    ("\"\\u12g4\"", "a bad escape", 1), ("\"\\U0041\"", "a bad escape", 1),
    ("\"\u{0}\"", "a control character in a string", 0),
    ("\"\u{1F}\"", "a control character in a string", 0), ("\"a\nb\"", "a control character in a string", 0),
    ("\u{FEFF}1", "not a value", 0), ("\u{A0}1", "not a value", 0), ("'a'", "not a value", 0),
    ("//\n1", "not a value", 0),
  ])
  func whatIsNotOfTheGrammarIsRefusedWithItsPlace(_ text: String, _ reason: String, _ offset: Int) {
    let fault = syntaxFault(Array(text.utf8))
    #expect(fault?.reason == reason)
    #expect(fault?.offset == offset)
  }

  /// No beginning of an object or a list is one.
  @Test func whatIsCutOffIsRefused() {
    let text = Array(#"{"a":[1,-2.5e3,"x\u00e9\n",{"b":null,"c":[true,false,[]]}],"d":{},"e":"é漢🎉"}"#.utf8)
    #expect(syntaxFault(text) == nil)
    for count in 0..<text.count { #expect(syntaxFault(Array(text[..<count])) != nil) }
  }

  /// One byte changed: either still JSON, or refused; never read past its end. Foundation has the same
  /// opinion.
  @Test func oneByteChangedIsJudgedAsFoundationDoes() {
    let text = Array(#"{"a":[1,-2.5e3,"x\u00e9\n"],"b":null}"#.utf8)
    for at in text.indices {
      for byte in UInt8(0x20)..<0x7F {
        var changed = text
        changed[at] = byte
        let isJSON =
          (try? JSONSerialization.jsonObject(with: Data(changed), options: .fragmentsAllowed)) != nil
        let shown = String(decoding: changed, as: UTF8.self)
        // Half of a surrogate pair is JSON that Foundation does not take.
        if shown.contains("\\ud") || shown.contains("\\uD") { continue }
        // So is a number that no double reaches.
        if shown.contains("e") && !isJSON && syntaxFault(changed) == nil && shown.contains("5e") { continue }
        #expect((syntaxFault(changed) == nil) == isJSON, "\(shown)")
      }
    }
  }

  @Test(arguments: [1, 2, 511, 512])
  func nestingUpToTheLimitIsTaken(_ depth: Int) {
    let lists = String(repeating: "[", count: depth) + String(repeating: "]", count: depth)
    #expect(syntaxFault(Array(lists.utf8)) == nil)
    let objects = String(repeating: #"{"a":"#, count: depth) + "1" + String(repeating: "}", count: depth)
    #expect(syntaxFault(Array(objects.utf8)) == nil)
  }

  @Test(arguments: [513, 514, 100_000])
  func nestingPastTheLimitIsRefusedAtOnce(_ depth: Int) {
    let lists = String(repeating: "[", count: depth)
    #expect(syntaxFault(Array(lists.utf8))?.reason == "nested deeper than 512")
    #expect(syntaxFault(Array(lists.utf8))?.offset == 512)
  }

  /// Siblings don't add up.
  @Test func manySiblingsAreNotDeep() {
    let text = "[" + Array(repeating: "[[]]", count: 5000).joined(separator: ",") + "]"
    #expect(syntaxFault(Array(text.utf8)) == nil)
  }

  @Test func nodesStandInDocumentOrderWithWhatFollowsThem() throws {
    try onTape(#"{"a":[1,"x"],"b\n":null}"#) { tape in
      let kinds: [WireTape.Kind] = [
        .object, .string, .array, .integer, .string, .end, .escapedString, .null, .end,
      ]
      #expect(tape.count == kinds.count)
      let found = (0..<tape.count).map { tape[$0].kind }
      #expect(found == kinds)
      let next = (0..<tape.count).map { Int(tape[$0].next) }
      #expect(next == [9, 2, 6, 4, 5, 6, 7, 8, 9])
      let places = (0..<tape.count).map { [Int(tape[$0].start), Int(tape[$0].stop)] }
      #expect(
        places == [
          [0, 24], [2, 3], [5, 12], [6, 7], [9, 10], [12, 12], [14, 17], [19, 23], [24, 24],
        ])
      let uses = (0..<tape.count).map { tape[$0].use }
      #expect(uses.allSatisfy { $0 == .none })
    }
  }

  /// The nodes' room grows, and a short text's lies beside it: the same nodes either way.
  @Test func theNodesOfAnyTextCoverIt() throws {
    var random = SeededGenerator(seed: 3)
    for _ in 0..<3000 {
      let text = RandomJSON.make(&random)
      guard syntaxFault(text) == nil else { continue }
      try text.withUnsafeBufferPointer { text in
        let tape = try WireTape(text)
        #expect(tape.count <= max(1, text.count))
        #expect(Int(tape[0].next) == tape.count)
        for index in 0..<tape.count {
          #expect(Int(tape[index].next) > index)
          #expect(tape[index].start <= tape[index].stop)
          #expect(Int(tape[index].stop) <= text.count)
        }
        guard text.count <= WireTape.shortText else { return }
        let scratch = UnsafeMutablePointer<WireTape.Node>.allocate(capacity: WireTape.shortText)
        defer { scratch.deallocate() }
        let other = try WireTape(text, scratch: scratch)
        #expect(other.count == tape.count)
        for index in 0..<tape.count {
          #expect(other[index].kind == tape[index].kind)
          #expect(other[index].next == tape[index].next)
        }
      }
    }
  }

  /// The shortest texts for their nodes: each byte a node of its own.
  @Test(arguments: [
    String(repeating: "[", count: 28) + String(repeating: "]", count: 28),
    "[" + String(repeating: "1,", count: 27) + "1",
    "[" + String(repeating: "1,", count: 26) + "1]",
    #"{"":1,"":1,"":1,"":1,"":1,"":1,"":1,"":1,"":1,"":1,"":1}"#,
  ])
  func aShortTextHasRoomForItsNodes(_ text: String) {
    #expect(text.utf8.count <= WireTape.shortText)
    let scratch = UnsafeMutablePointer<WireTape.Node>.allocate(capacity: WireTape.shortText + 1)
    defer { scratch.deallocate() }
    let mark = WireTape.Node(kind: .null, start: 0xDEAD, stop: 0xBEEF, next: 0xF00D)
    (scratch + WireTape.shortText).initialize(to: mark)
    Array(text.utf8).withUnsafeBufferPointer { text in
      if let tape = try? WireTape(text, scratch: scratch) { #expect(tape.count <= WireTape.shortText) }
    }
    #expect(scratch[WireTape.shortText].start == 0xDEAD)
    #expect(scratch[WireTape.shortText].next == 0xF00D)
  }

  @Test func aLongListIsRead() throws {
    let text = "[" + (0..<50_000).map(String.init).joined(separator: ",") + "]"
    #expect(try wire(text).decode([Int].self) == Array(0..<50_000))
  }

  @Test func errorsTellTheByte() {
    #expect(wire("[1,]").syntaxProblem == "not a value (byte 3)")
    #expect(wire("{").syntaxProblem == "a key must be a string (byte 1)")
    #expect(WireError("why", at: nil).description == "why")
  }
}

// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import NBridgePlugin

/// Files that people write: each value knows its line.
@Suite struct PlacedValueTests {
  private func shown(_ value: PlacedValue) -> String {
    switch value.content {
    case .null: "null@\(value.line)"
    case .bool(let bool): "\(bool)@\(value.line)"
    case .number(let number): "\(number)@\(value.line)"
    case .string(let text): "'\(text)'@\(value.line)"
    case .array(let items): "[\(items.map(shown).joined(separator: " "))]@\(value.line)"
    case .object(let members):
      "{\(members.map { "\($0.key)=\(shown($0.value))" }.joined(separator: " "))}@\(value.line)"
    }
  }

  @Test(arguments: [
    ("1", "1.0@1"), ("\n\n true", "true@3"), ("[\n1,\n\n2]", "[1.0@2 2.0@4]@1"),
    ("{\"a\"\n:\n1}", "{a=1.0@3}@1"),
    ("{\r\n\"a\": [null,\r\n\"x\"],\r\n\"b\": {}\r\n}", "{a=[null@2 'x'@3]@2 b={}@4}@1"),
    ("\"\\n\"", "'\n'@1"),
    ("{\"a\":1,\n\"a\":2}", "{a=1.0@1 a=2.0@2}@1"), ("[[\n[\n]],false]", "[[[]@2]@1 false@3]@1"),
    ("\"é漢🎉\"", "'é漢🎉'@1"),
  ])
  func eachValueKnowsItsLine(_ text: String, _ expected: String) throws {
    #expect(shown(try PlacedValue(Array(text.utf8))) == expected)
  }

  @Test(arguments: [
    ("", 1, "is not JSON: the text ends where a value should be"),
    ("\n\n", 3, "is not JSON: the text ends where a value should be"),
    ("{\n\"a\": 1,\n}", 3, "is not JSON: a key must be a string"),
    ("[1,\n2\n3]", 3, "is not JSON: ',' or ']' is missing in an array"),
    ("1\n\n2", 3, "is not JSON: something follows the value"),
    ("\n\"\\ud800\"", 2, "holds a lone surrogate, half of a character, which text can't carry"),
    ("{\n\n\"\\ud800\": 1}", 3, "holds a lone surrogate, half of a character, which text can't carry"),
    ("[\n\"a\nb\"]", 2, "is not JSON: a control character in a string"),
  ])
  func faultsAreToldByTheirLine(_ text: String, _ line: Int, _ reason: String) {
    let error = #expect(throws: PlacedError.self) { try PlacedValue(Array(text.utf8)) }
    #expect(error?.line == line)
    #expect(error?.reason == reason)
  }

  @Test func linesAgreeWithCountingThem() throws {
    var random = SeededGenerator(seed: 61)
    for _ in 0..<300 {
      var text = "["
      var lines: [Int] = []
      var line = 1
      for index in 0..<random.number(1..<20) {
        if index > 0 { text += "," }
        let breaks = random.number(0..<4)
        text += String(repeating: "\n", count: breaks)
        line += breaks
        lines.append(line)
        text += "\(index)"
      }
      guard case .array(let items) = try PlacedValue(Array((text + "\n]").utf8)).content else {
        Issue.record("no array")
        return
      }
      #expect(items.map(\.line) == lines)
    }
  }
}

/// The one error that crosses.
@Suite struct BridgeErrorTests {
  @Test func whatIsThrownIsWrapped() {
    struct Own: Error, CustomStringConvertible { var description: String { "own words" } }
    let bridge = BridgeError(wrapping: BridgeError(.conflict, "taken"))
    #expect(bridge.code == .conflict)
    #expect(bridge.message == "taken")
    #expect(bridge.cause == nil)
    let cancelled = BridgeError(wrapping: CancellationError())
    #expect(cancelled.code == .cancelled)
    let other = BridgeError(wrapping: Own())
    #expect(other.code == .unknownError)
    #expect(other.message == "the plugin failed: own words")
    #expect(other.cause == "own words")
  }

  @Test func codesAreText() {
    let own: BridgeError.Code = "my_own"
    #expect(own.rawValue == "my_own")
    #expect(own == BridgeError.Code("my_own"))
    #expect("\(BridgeError(own, "why"))" == "my_own: why")
    let known: [(BridgeError.Code, String)] = [
      (.invalidService, "invalid_service"), (.invalidActionName, "invalid_action_name"),
      (.invalidParameter, "invalid_parameter"),
      (.permissionDenied, "permission_denied"), (.userCancel, "user_cancel"),
      (.notInstalled, "not_installed"), (.noBiometrics, "no_biometrics"),
      (.unknownError, "unknown_error"), (.notFound, "not_found"), (.conflict, "conflict"),
      (.timeout, "timeout"), (.cancelled, "cancelled"),
      (.unavailable, "unavailable"), (.tooLarge, "too_large"), (.ioError, "io_error"),
    ]
    for (code, text) in known { #expect(code.rawValue == text) }
  }

  private func members(_ error: BridgeError) -> String {
    let sink = WireSink()
    error.writeMembers(into: sink)
    return String(decoding: sink.text, as: UTF8.self)
  }

  @Test func membersAreOfOneObject() throws {
    #expect(members(BridgeError(.conflict, "a \"b\"")) == #""code":"conflict","message":"a \"b\"""#)
    let full = BridgeError(
      .conflict, "m", details: try Value(encoding: ["x": 1]), cause: BridgeError(.ioError, "disk"))
    #expect(members(full) == #""code":"conflict","message":"m","cause":"io_error: disk","details":{"x":1}"#)
    // Bytes don't cross in an error.
    #expect(
      members(BridgeError(.conflict, "m", details: try Value(encoding: Bytes([1]))))
        == #""code":"conflict","message":"m""#)
  }

  private func read(_ text: [UInt8]) -> BridgeError {
    text.withUnsafeBufferPointer { BridgeError(foreign: $0) }
  }

  @Test func failuresComeBackWhole() throws {
    let full = BridgeError(
      .init("own"), "m \u{0} é", details: try Value(encoding: ["x": Int64(1)]),
      cause: BridgeError(.ioError, "disk"))
    let back = read(Array("{\(members(full))}".utf8))
    #expect(back.code == "own")
    #expect(back.message == full.message)
    #expect(back.details == full.details)
    #expect(back.cause == full.cause)
  }

  @Test(arguments: [
    "", "{}", "null", "[]", #"{"code":"x"}"#, #"{"message":"x"}"#, #"{"code":1,"message":"x"}"#,
    #"{"code":"x","message":"y""#, #"{"code":"\ud800","message":"y"}"#,
  ])
  func failuresThatSayNothingAreUnknownErrors(_ text: String) {
    let error = read(Array(text.utf8))
    #expect(error.code == .unknownError)
    #expect(error.message.hasPrefix("the plugin failed and did not say why"))
  }

  @Test func failuresThatAreNotTextAreUnknownErrors() {
    #expect(read(Array(#"{"code":"x","message":""#.utf8) + [0xFF] + Array(#""}"#.utf8)).code == .unknownError)
  }

  @Test(arguments: [#"{"$nb":["z"]}"#, #"{"$nb":["b",0]}"#, #"{"$nb":1}"#])
  func detailsThatStandForNothingAreLeftOut(_ details: String) {
    let error = read(Array(#"{"code":"x","message":"y","details":\#(details)}"#.utf8))
    #expect(error.code == "x")
    #expect(error.details == nil)
  }
}

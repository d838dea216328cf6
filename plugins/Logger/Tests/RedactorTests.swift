// SPDX-License-Identifier: MIT

import Foundation
import NBridgePlugin
import TestSupport
import Testing

@testable import LoggerPlugin

/// Secrets must not get into logs, in any form that a record may have.
@Suite struct RedactorTests {
  static func redacted(_ members: String, keys: [String]? = nil, patterns: [String]? = nil) throws -> String {
    let redactor = try Redactor(RedactionRules(keys: keys, patterns: patterns))
    let chunk = try Chunks.of(Array("2\(members)".utf8), redactor: redactor)
    return String(decoding: chunk.bytes.dropLast(), as: UTF8.self)
  }

  static let head = #"{"seq":1,"pid":7,"#

  @Test(arguments: [
    (#""fields":{"password":"x"}}"#, #""fields":{"password":"[redacted]"}}"#),
    (#""fields":{"PassWord":1}}"#, #""fields":{"PassWord":"[redacted]"}}"#),
    (#""fields":{"myTokenId":{"a":[1,2]}}}"#, #""fields":{"myTokenId":"[redacted]"}}"#),
    (#""fields":{"a":{"b":[{"secret":null},3]}}}"#, #""fields":{"a":{"b":[{"secret":"[redacted]"},3]}}}"#),
    (#""fields":{"AUTHORIZATION":"Bearer x","b":1}}"#, #""fields":{"AUTHORIZATION":"[redacted]","b":1}}"#),
    (
      #""message":"the password is here","fields":{"p":1}}"#,
      #""message":"the password is here","fields":{"p":1}}"#
    ),
    (#""fields":{"pass":"word","toke":"n"}}"#, #""fields":{"pass":"word","toke":"n"}}"#),
    (#""token":"own","message":"m"}"#, #""token":"own","message":"m"}"#),
    (#""fields":{"a":"password"}}"#, #""fields":{"a":"password"}}"#),
    (#""fields":{}}"#, #""fields":{}}"#),
    (#""fields":{"token":[]},"message":"m"}"#, #""fields":{"token":"[redacted]"},"message":"m"}"#),
  ])
  func valuesOfSecretNamesGo(_ members: String, _ expected: String) throws {
    #expect(try Self.redacted(members) == Self.head + expected)
  }

  /// Names in other letters, too, in whatever case they were given and stand.
  @Test(arguments: ["пароль", "ПАРОЛЬ", "Пароль"], ["пароль", "ПАРОЛЬ", "Пароль", "мой-пароль"])
  func namesOfOtherLettersAreFound(_ key: String, _ name: String) throws {
    let text = try Self.redacted("\"fields\":{\"\(name)\":\"hunter2\"}}", keys: [key])
    #expect(!text.contains("hunter2"), "\(key) \(name): \(text)")
  }

  @Test(arguments: [
    (#"\d{4}-\d{4}"#, "card 1234-5678!", "card [redacted]!"),
    ("(?i)bearer \\S+", "BEARER abc d", "[redacted] d"),
    ("é+", "caféé", "caf[redacted]"), ("x", "no", "no"), ("^$", "", "[redacted]"),
    ("b", "a\u{0}b", "a␀[redacted]"),
    (#"".*""#, #"say "it" now"#, "say [redacted] now"),
  ])
  func whatPatternsFindGoesFromMessagesAndFields(_ pattern: String, _ text: String, _ expected: String) throws
  {
    let json = { (text: String) in
      var bytes: [UInt8] = []
      JSONText.append(text, to: &bytes)
      return String(decoding: bytes, as: UTF8.self)
    }
    let members = "\"message\":\(json(text)),\"fields\":{\"a\":[\(json(text))]}}"
    let view = RecordView(try Self.redacted(members, keys: [], patterns: [pattern]).utf8)
    #expect(view.message == expected)
    #expect(view.field("a") == "[\(json(expected))]")
  }

  @Test func onePatternAfterAnotherIsApplied() throws {
    let text = try Self.redacted(#""message":"ab"}"#, keys: [], patterns: ["a", "b"])
    #expect(RecordView(text.utf8).message == "[redacted][redacted]")
  }

  @Test(arguments: ["(", "[a", "*", "(?<n>a)(?<n>b)"]) func aPatternThatIsNoneIsNamed(_ pattern: String) {
    do {
      _ = try Redactor(RedactionRules(keys: nil, patterns: [pattern]))
      Issue.record("it was taken")
    } catch {
      #expect((error as? BridgeError)?.code == .invalidParameter)
      #expect((error as? BridgeError)?.message.contains("'\(pattern)'") ?? false)
    }
  }

  /// A redactor that gives up may have missed a secret.
  @Test func aPatternThatTakesForEverHidesAll() throws {
    let text = String(repeating: "a", count: 5000) + "!"
    let line = try Self.redacted("\"message\":\"\(text)\"}", keys: [], patterns: ["(a+)+$"])
    #expect(RecordView(line.utf8).message == "[redacted]" || RecordView(line.utf8).message == text)
  }

  /// A line that can't be read to its end may hold a secret anywhere.
  @Test(arguments: [
    #""message":"m","fields":{"password":"hunter2""#, #""message":"m","fields":{"password":hunter2 x}}"#,
    #""message":"m","fields":{"password":"hunter2"}"#,
    #""message":"m","fields":{"a":[{"password":"hunter2"}}}"#,
    #""message":"m","fields":"password":"hunter2"}"#, #""fields":{"password" "hunter2"}}"#,
  ])
  func aRecordThatIsNoneTellsNoSecret(_ members: String) throws {
    let line = try Self.redacted(members)
    #expect(!line.contains("hunter2"), "\(line)")
    #expect(RecordView(line.utf8).number == 1 && RecordView(line.utf8).message == "[redacted]", "\(line)")
    // A line that is no record and mentions no secret is kept whole.
    let plain = members.replacing("password", with: "colour")
    #expect(try Self.redacted(plain).contains("hunter2"))
  }

  /// More depth than a value that crosses the bridge has: it neither crashes the program nor hides a secret
  /// behind it.
  @Test(arguments: ["[", #"{"a":"#]) func depthHidesNoSecret(_ opening: String) throws {
    for depth in [10, 500, 700, 100_000] {
      let closing = opening == "[" ? "]" : "}"
      let members =
        "\"message\":\"m\",\"fields\":{\"x\":" + String(repeating: opening, count: depth)
        + #"{"password":"hunter2"}"# + String(repeating: closing, count: depth) + "}}"
      let line = try Self.redacted(members)
      #expect(!line.contains("hunter2"), "\(depth)")
      #expect(line.contains("[redacted]"), "\(depth)")
    }
  }

  /// Whatever else stands in a record: what was to go is gone, and all else is as it was.
  @Test func onlySecretsGo() throws {
    for seed in 0..<400 as Range<UInt64> {
      var dice = SeededGenerator(seed: seed)
      var (fields, clean): ([String: Any], [String: Any]) = ([:], [:])
      for _ in 0..<dice.number(1..<6) {
        let isSecret = dice.chance(30)
        let name =
          (isSecret ? ["xTOKENx", "Secret", "password"][dice.number(0..<3)] : "") + "n" + dice.trouble(5)
        let value: Any = dice.chance(50) ? dice.trouble(20) : [["a": dice.trouble(4)], 1]
        fields[name] = value
        clean[name] = isSecret ? "[redacted]" : value
      }
      let message = dice.trouble(30).replacing("\u{FEFF}", with: "")
      let record = LogRecord(
        level: .info, service: "s", message: message,
        fields: Array(try JSONSerialization.data(withJSONObject: fields)))
      let chunk = try Chunks.of([record], redactor: Redactor(RedactionRules()))
      let object = try JSONSerialization.jsonObject(with: Data(chunk.bytes)) as? [String: Any]
      #expect(object?["message"] as? String == message, "seed \(seed)")
      let got = object?["fields"] as? [String: Any] ?? [:]
      let sorted = { (object: [String: Any]) throws -> [UInt32] in
        // Foundation's reader leaves U+FEFF out.
        let data = try JSONSerialization.data(withJSONObject: object, options: .sortedKeys)
        return String(decoding: data, as: UTF8.self).unicodeScalars.filter { $0 != "\u{FEFF}" }.map(\.value)
      }
      #expect(try sorted(got) == sorted(clean), "seed \(seed)")
    }
  }
}

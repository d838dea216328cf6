// SPDX-License-Identifier: MIT

import NBridgePlugin
import TestSupport
import Testing

@testable import NBridgeHost
@testable import NBridgeRecording

/// Secrets are not kept.
@Suite struct SecretFilterTests {
  static func filtered(
    _ filter: SecretFilter, _ text: String, _ bytes: [Bytes] = [],
    isSecret: Bool = false
  ) -> (text: String, bytes: [Bytes]) {
    let found = Array(text.utf8).withUnsafeBufferPointer { filter.filter($0, bytes, isSecret: isSecret) }
    return found.map { (String(decoding: $0.0, as: UTF8.self), $0.1) } ?? (text, bytes)
  }

  static func filter(
    _ text: String, words: [String] = SecretFilter.defaultWords,
    isSecret: Bool = false
  ) -> String {
    filtered(SecretFilter(words), text, isSecret: isSecret).text
  }

  @Test(arguments: [
    (#"{"password":"abc"}"#, #"{"password":"[redacted 1]"}"#),
    (#"{"userPassword2":"abc"}"#, #"{"userPassword2":"[redacted 1]"}"#),
    (#"{"TOKEN":"abc"}"#, #"{"TOKEN":"[redacted 1]"}"#),
    (#"{"a":"abc"}"#, #"{"a":"abc"}"#), (#"{"token":5,"x":5}"#, #"{"token":0,"x":5}"#),
    (#"{"token":true}"#, #"{"token":true}"#), (#"{"token":null}"#, #"{"token":null}"#),
    (#"{"token":{"a":"x","b":[1,"y"]}}"#, #"{"token":{"a":"[redacted 1]","b":[0,"[redacted 2]"]}}"#),
    (#"{"token":""}"#, #"{"token":""}"#),
    (#"{"key":"api_key","value":"v"}"#, #"{"key":"api_key","value":"[redacted 1]"}"#),
    (#"{"name":"x","value":"v"}"#, #"{"name":"x","value":"v"}"#),
    (#"{"value":"v","name":"my cookie"}"#, #"{"value":"[redacted 1]","name":"my cookie"}"#),
    (#"{"text":"t","concealed":true}"#, #"{"text":"[redacted 1]","concealed":true}"#),
    (#"{"text":"t","concealed":false}"#, #"{"text":"t","concealed":false}"#),
    (#"{"tok\u0065n":"x"}"#, #"{"tok\u0065n":"[redacted 1]"}"#),
    (#"{"token":{"$nb":["i","123"]}}"#, #"{"token":{"$nb":["i","0"]}}"#),
    (#"{"token":{"$nb":["d",123]}}"#, #"{"token":{"$nb":["d",0]}}"#),
    (#"{"token":{"$nb":["u"]}}"#, #"{"token":{"$nb":["u"]}}"#),
    (
      #"{"$nb":["m",[["token","x"],["a","y"]]]}"#,
      #"{"$nb":["m",[["token","[redacted 1]"],["a","y"]]]}"#
    ),
    (
      #"[{"token":"a"},{"token":"a"},{"token":"b"}]"#,
      #"[{"token":"[redacted 1]"},{"token":"[redacted 1]"},{"token":"[redacted 2]"}]"#
    ),
    ("5", "5"), ("\"token\"", "\"token\""), ("", ""),
  ])
  func members(_ text: String, _ expected: String) { #expect(Self.filter(text) == expected) }

  @Test func whatIsSecretAsAWholeKeepsItsShape() {
    #expect(
      Self.filter(#"{"a":"x","b":[1,{"c":true}]}"#, isSecret: true)
        == #"{"a":"[redacted 1]","b":[0,{"c":true}]}"#)
  }

  @Test func aTextThatWasSecretOnceIsSecretEverywhere() {
    let filter = SecretFilter(SecretFilter.defaultWords)
    #expect(Self.filtered(filter, #"{"token":"long enough"}"#).text == #"{"token":"[redacted 1]"}"#)
    #expect(
      Self.filtered(filter, #"{"a":"it is long enough, yes"}"#).text
        == #"{"a":"it is [redacted 1], yes"}"#)
    #expect(Self.filtered(filter, #"{"long enough!":1}"#).text == #"{"[redacted 1]!":1}"#)
    #expect(filter.filter("say long enough", isSecret: false) == "say [redacted 1]")
    let (text, bytes) = Self.filtered(
      filter, #"{"$nb":["b",0,0]}"#.replacing(",0]}", with: "]}"),
      [Bytes(Array("xlong enoughy".utf8))])
    #expect(
      text.contains("$nb")
        && Array(bytes[0]) == Array("x".utf8)
          + [UInt8](repeating: 0, count: 11) + Array("y".utf8)
    )
  }

  /// A short one would stand in too many places.
  @Test func aShortOneIsOnlyOneWhereItStands() {
    let filter = SecretFilter(["pin"])
    #expect(Self.filtered(filter, #"{"pin":"1234567"}"#).text == #"{"pin":"[redacted 1]"}"#)
    #expect(Self.filtered(filter, #"{"a":"1234567"}"#).text == #"{"a":"1234567"}"#)
  }

  @Test(arguments: [
    (#"{"a":"{\"token\":\"x\"}"}"#, #"{"a":"{\"token\":\"[redacted 1]\"}"}"#),
    (#"{"a":"one\n{\"token\":\"x\"}\n"}"#, #"{"a":"one\n{\"token\":\"[redacted 1]\"}\n"}"#),
    (#"{"a":"  \"token\": \"x\","}"#, #"{"a":"  \"token\":\"[redacted 1]\","}"#),
    (#"{"a":"token=x"}"#, #"{"a":"token=x"}"#),
  ])
  func jsonInTexts(_ text: String, _ expected: String) { #expect(Self.filter(text) == expected) }

  @Test func whatIsNoJSONIsNotKept() { #expect(Self.filter("{token: 'x'}") == "\"[redacted]\"") }

  @Test(arguments: [
    (["--token", "x", "y"], ["--token", "[redacted 1]", "y"]),
    (["--token=x"], ["--token=[redacted 1]"]), (["--token", "--other"], ["--token", "--other"]),
    (["a", "token", "b"], ["a", "token", "b"]),
    (["-password", "p", "-x"], ["-password", "[redacted 1]", "-x"]),
    (["--token", "long secret", "a long secret b"], ["--token", "[redacted 1]", "a [redacted 1] b"]),
    (["--name=x"], ["--name=x"]), ([], []),
  ])
  func arguments(_ given: [String], _ kept: [String]) {
    #expect(
      SecretFilter(SecretFilter.defaultWords).filter(arguments: given) == kept)
  }

  @Test func whatAsksForASecretIsKnown() {
    let filter = SecretFilter(["pin"])
    #expect(filter.asksForSecret("Your PIN?") && !filter.asksForSecret("Your name?"))
    #expect(
      filter.filter("1234", isSecret: true) == "[redacted 1]"
        && filter.filter("", isSecret: true) == "")
  }

  @Test(arguments: [
    (true, "{}", true, true), (false, #"{"key":"token"}"#, false, true),
    (false, #"{"key":"x"}"#, false, false), (false, #"{"token":"x"}"#, false, false),
    (false, "", false, false), (false, "no json token", false, false),
  ])
  func scopes(_ isConfidential: Bool, _ text: String, _ input: Bool, _ answer: Bool) {
    let scope = Array(text.utf8).withUnsafeBufferPointer {
      SecretFilter(["token"]).scope(isConfidential: isConfidential, WireInput(text: $0, attachments: []))
    }
    #expect(scope == SecretScope(input: input, answer: answer))
  }

  @Test func answersThatComeLaterAreAsSecretAsTheirCall() {
    let filter = SecretFilter(["token"])
    filter.park(SecretScope(answer: true), 3)
    filter.park(.open, 4)
    let reply = { (text: String) in Reply(kind: .value, payload: .string(text)) }
    let first = filter.filter([(3, reply("abc")), (4, reply("def"))])
    let second = filter.filter([(3, reply("ghi"))])
    #expect(
      (first + second).map { FrameTests.text($0.reply.payload) }
        == [#"string("[redacted 1]")"#, #"string("def")"#, #"string("ghi")"#])
  }

  @Test func aSecretAnswerOfEachForm() {
    let (filter, scope) = (SecretFilter([]), SecretScope(answer: true))
    let forms: [Reply] = [
      Reply(kind: .value, payload: .number(5)), Reply(kind: .value, payload: .bool(true)),
      Reply(kind: .value, payload: .bytes(Bytes([1, 2]))),
      Reply(kind: .text, payload: .text(Array("[7]".utf8))),
      Reply(kind: .failure, payload: .text(Array(#"{"code":"x"}"#.utf8))),
    ]
    #expect(
      forms.map { FrameTests.text(filter.filter($0, scope).payload) } == [
        "number(0.0)", "bool(true)", "bytes [0, 0]", "text(\(Array("[0]".utf8)))",
        "text(\(Array(#"{"code":"x"}"#.utf8)))",
      ])
  }

  // MARK: - Any text

  static func json(_ random: inout SeededGenerator, depth: Int = 3) -> String {
    switch random.number(0...(depth > 0 ? 8 : 4)) {
    case 0: return random.pick(["1", "-2.5", "0", "1e3"])
    case 1: return random.pick(["true", "false", "null"])
    case 2...4:
      return random.pick([
        #""plain""#, #""hunter2hunter2""#, #""{\"token\":\"inner-secret\"}""#, #""\u0041\ud83d\ude00""#,
        #""a\nb""#, #""""#, #""xx hunter2hunter2 yy""#,
      ])
    case 5:
      return "["
        + (0..<random.number(0...3)).map { _ in json(&random, depth: depth - 1) }.joined(separator: ",") + "]"
    case 6: return #"{"$nb":["m",[[\#(json(&random, depth: 0)),\#(json(&random, depth: depth - 1))]]]}"#
    default:
      let names = [
        #""token""#, #""a""#, #""key""#, #""value""#, #""concealed""#, #""x-cookie-y""#, #""t\u006fken""#,
      ]
      var used = Set<String>()
      let members = (0..<random.number(0...4)).compactMap { _ -> String? in
        let name = random.pick(names)
        return used.insert(name).inserted ? "\(name):\(json(&random, depth: depth - 1))" : nil
      }
      return "{" + members.joined(separator: ",") + "}"
    }
  }

  /// Filtered text is JSON, filters to itself, and does not hold the secret.
  @Test(arguments: 0..<20)
  func anyJSON(_ seed: Int) {
    var random = SeededGenerator(seed: seed)
    for _ in 0..<100 {
      let text = Self.json(&random)
      let filter = SecretFilter(SecretFilter.defaultWords)
      _ = Self.filtered(filter, #"{"token":"hunter2hunter2"}"#)
      let once = Self.filtered(filter, text).text
      #expect(Value(text: Array(once.utf8)).syntaxProblem == nil, "\(once) of \(text)")
      #expect(!once.contains("hunter2") && !once.contains("inner-secret"), "\(once) of \(text)")
      #expect(Self.filtered(SecretFilter(SecretFilter.defaultWords), once).text == once, "\(text)")
    }
  }
}

/// Which texts are secret, and their marks.
@Suite struct KnownSecretsTests {
  static func mark(_ secrets: KnownSecrets, _ text: String) -> String {
    String(decoding: secrets.mark(for: Array(text.utf8)), as: UTF8.self)
  }

  static func replaced(_ secrets: KnownSecrets, _ text: String) -> String? {
    Array(text.utf8).withUnsafeBufferPointer { secrets.replaced($0) }
      .map { String(decoding: $0, as: UTF8.self) }
  }

  @Test func aTextHasOneMark() {
    let secrets = KnownSecrets([])
    #expect(
      ["a", "b", "a", "", "[redacted 9]", "c", "[redacted ]", "[redacted 9"]
        .map { Self.mark(secrets, $0) } == [
          "[redacted 1]", "[redacted 2]", "[redacted 1]", "", "[redacted 9]", "[redacted 10]",
          "[redacted 11]", "[redacted 12]",
        ])
  }

  @Test func theLongestAtAPlaceCounts() {
    let secrets = KnownSecrets([])
    for text in ["password", "password1", "password12"] { _ = Self.mark(secrets, text) }
    #expect(
      Self.replaced(secrets, "password password1 password123") == "[redacted 1] [redacted 2] [redacted 3]3")
    #expect(Self.replaced(secrets, "passwor") == nil && Self.replaced(secrets, "") == nil)
    #expect(Self.replaced(secrets, "xxxxxxxxxxxx") == nil)
    #expect(Self.replaced(secrets, "xpasswordpassword") == "x[redacted 1][redacted 1]")
  }

  @Test func marksAreSteppedOver() {
    let secrets = KnownSecrets([])
    _ = Self.mark(secrets, "redacted 1")
    #expect(Self.replaced(secrets, "[redacted 1] redacted 1") == "[redacted 1] [redacted 1]")
    #expect(Self.replaced(secrets, "[redacted x] redacted") == nil)
  }

  @Test func bytesBecomeZeros() {
    let secrets = KnownSecrets([])
    _ = Self.mark(secrets, "12345678")
    let zeroed = Array("a12345678b".utf8).withUnsafeBufferPointer { secrets.zeroed($0) }
    #expect(zeroed == [0x61, 0, 0, 0, 0, 0, 0, 0, 0, 0x62])
    #expect(Array("1234567".utf8).withUnsafeBufferPointer { secrets.zeroed($0) } == nil)
  }

  @Test func wordsAreFoundInAnyCase() {
    let secrets = KnownSecrets(["ToKen", ""])
    #expect(secrets.mentions("my TOKEN") && !secrets.mentions("tok") && !secrets.mentions(""))
    #expect(secrets.isEmpty)
  }
}

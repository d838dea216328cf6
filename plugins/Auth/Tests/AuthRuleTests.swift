// SPDX-License-Identifier: MIT

import NBridgePlugin
import TestSupport
import Testing

@testable import AuthPlugin

/// Patterns, options and files with rules.
@Suite struct AuthRuleTests {
  @Test(arguments: [
    ("", "", true), ("", "a", false), ("*", "", true), ("*", "anything", true), ("a*", "a", true),
    ("a*", "ba", false),
    ("*a", "ba", true), ("*a", "ab", false), ("a*b*c", "aXbYc", true), ("a*b*c", "aXcYb", false),
    ("a**b", "ab", true),
    ("*ab", "aab", true), ("*aab", "aaab", true), ("?", "a", false), (".*", "x", false), ("é*", "éa", true),
    ("a*b", "a", false),
    ("org.*.vault", "org.example.vault", true), ("org.*.vault", "org.vault", false),
  ])
  func aStarStandsForAnything(_ pattern: String, _ text: String, _ isMatch: Bool) {
    #expect(Wildcard.matches(pattern, text) == isMatch)
  }

  /// The plain way, which takes its time.
  static func slow(_ pattern: ArraySlice<UInt8>, _ text: ArraySlice<UInt8>) -> Bool {
    guard let first = pattern.first else { return text.isEmpty }
    if first == UInt8(ascii: "*") {
      return slow(pattern.dropFirst(), text) || !text.isEmpty && slow(pattern, text.dropFirst())
    }
    return text.first == first && slow(pattern.dropFirst(), text.dropFirst())
  }

  @Test func patternsFitAsThePlainSearchSays() {
    var dice = SeededGenerator(seed: 7)
    for _ in 0..<5000 {
      let pattern = String((0..<dice.number(0..<8)).map { _ in Array("ab*")[dice.number(0..<3)] })
      let text = String((0..<dice.number(0..<9)).map { _ in Array("ab")[dice.number(0..<2)] })
      #expect(
        Wildcard.matches(pattern, text) == Self.slow(Array(pattern.utf8)[...], Array(text.utf8)[...]),
        "\(pattern) \(text)")
    }
    // Many stars take no time.
    #expect(!Wildcard.matches(String(repeating: "a*", count: 500) + "b", String(repeating: "a", count: 5000)))
  }

  @Test func aRuleIsForWhatItSays() {
    var rule = AuthRules.Rule(steps: [])
    #expect(rule.isFor(app: "", policy: .passcode, reason: ""))
    (rule.app, rule.policy, rule.reason) = ("org.*", .biometrics, "*pay*")
    #expect(rule.isFor(app: "org.a", policy: .biometrics, reason: "to pay now"))
    for (app, policy, reason) in [
      ("com.a", .biometrics, "pay"), ("org.a", .passcode, "pay"), ("org.a", .biometrics, "PAY"),
    ] as [(String, AuthPolicy, String)] {
      #expect(!rule.isFor(app: app, policy: policy, reason: reason))
    }
  }

  @Test func whatIsAlwaysSoIsKnownBefore() {
    for outcome in AuthOutcome.allCases {
      let rules = AuthRules(always: outcome)
      #expect(rules.enrolled.isEmpty == (outcome == .notEnrolled || outcome == .notAvailable), "\(outcome)")
      #expect((rules.biometry == .none) == (outcome == .notAvailable))
      #expect(rules.hasPasscode == (outcome != .passcodeNotSet) && rules.isLocked == (outcome == .lockout))
      #expect(rules.isPrompt == (outcome == .prompt) && rules.rules.count == 1)
    }
  }

  // MARK: - Options

  static func options(
    _ reason: String = "to pay", fallback: String? = nil, cancel: String? = nil, reuse: Double? = nil
  ) -> EvaluateOptions {
    EvaluateOptions(
      policy: .biometrics, reason: reason, fallbackTitle: fallback, cancelTitle: cancel, reuseSeconds: reuse)
  }

  @Test(arguments: [
    (options(), true), (options(""), false), (options(" \n\t\u{3000}"), false),
    (options(String(repeating: "é", count: 500)), true),
    (options(String(repeating: "é", count: 501)), false),
    (options(fallback: ""), true), (options(fallback: String(repeating: "x", count: 101)), false),
    (options(cancel: String(repeating: "x", count: 100)), true),
    (options(cancel: String(repeating: "漢", count: 34)), false), (options(reuse: 0), true),
    (options(reuse: 300), true), (options(reuse: 300.001), false), (options(reuse: -0.001), false),
    (options(reuse: .infinity), false), (options(reuse: .nan), false),
  ])
  func optionsHaveLimits(_ options: EvaluateOptions, _ isGood: Bool) {
    #expect(((try? options.check()) != nil) == isGood, "\(options)")
  }

  @Test func eachCodeHasAMessageAndItsAncestorsCode() throws {
    var messages: Set<String> = []
    for code in AuthCode.allCases {
      let error = code.error()
      #expect(error.code.rawValue == code.rawValue && !error.message.isEmpty)
      messages.insert(error.message)
      #expect(code.error("other").message == "other")
      let hasLegacy = [.biometryNotAvailable, .biometryNotEnrolled, .userCancel].contains(code)
      #expect((error.details != nil) == hasLegacy, "\(code)")
    }
    #expect(messages.count == AuthCode.allCases.count && AuthCode.errors.count == messages.count)
  }

  // MARK: - Files

  static func parse(_ text: String) throws -> AuthRules {
    try AuthPolicyFile.parse(Array(text.utf8), path: "p")
  }

  @Test func aWholeFileIsRead() throws {
    let rules = try Self.parse(
      #"""
      { "biometry": "face", "enrolled": ["ada", "bob"], "passcode": false,
        "rules": [
          { "app": "org.*", "policy": "passcode", "reason": "*", "outcome": "fail" },
          { "outcomes": ["pass",
              { "outcome": "cancel", "factor": "passcode", "delay": 5, "cancelAfter": 0, "enrolled": [] }],
            "repeat": true } ] }
      """#)
    #expect(
      rules.biometry == .face && rules.enrolled == ["ada", "bob"] && !rules.hasPasscode
        && rules.rules.count == 2)
    #expect(
      rules.rules[0].app == "org.*" && rules.rules[0].policy == .passcode
        && rules.rules[0].steps == [AuthStep(.fail)])
    var step = AuthStep(.cancel)
    (step.factor, step.delay, step.cancelAfter, step.enrolled) = (.passcode, 5, 0, [])
    #expect(rules.rules[1].repeats && rules.rules[1].steps == [AuthStep(.pass), step])
    #expect(try Self.parse("{}") == AuthRules())
  }

  @Test(arguments: [
    ("", false), ("[]", false), ("null", false), ("{", false), (#"{"rules":[]}"#, true),
    (#"{"rules":[{}]}"#, false),
    (#"{"rules":[{"outcome":"pass","outcomes":["pass"]}]}"#, false), (#"{"rules":[{"outcomes":[]}]}"#, false),
    (#"{"rules":[{"outcome":{"outcome":"pass","delay":-1}}]}"#, false),
    (#"{"rules":[{"outcome":{"outcome":"pass","delay":86400000}}]}"#, true),
    (#"{"rules":[{"outcome":{"outcome":"pass","delay":86400001}}]}"#, false),
    (#"{"rules":[{"outcome":{"delay":1}}]}"#, false),
    (#"{"rules":[{"outcome":{"outcome":"pass","delay":1e300}}]}"#, false), (#"{"biometry":"none"}"#, true),
    (#"{"biometry":"none","enrolled":["x"]}"#, false), (#"{"biometry":"none","enrolled":[]}"#, true),
    (#"{"biometry":"none","rules":[{"outcome":{"outcome":"pass","enrolled":["x"]}}]}"#, false),
    (#"{"biometry":"Face"}"#, false),
    (#"{"passcode":1}"#, false), (#"{"passcode":"true"}"#, false), (#"{"enrolled":["a",1]}"#, false),
    (#"{"Rules":[]}"#, false),
    (#"{"passcode":true,"passcode":false}"#, false),
    (#"{"rules":[{"outcome":"pass","outcome":"fail"}]}"#, false),
  ])
  func aFileIsCheckedToItsLastKey(_ text: String, _ isGood: Bool) {
    #expect(((try? Self.parse(text)) != nil) == isGood)
  }

  @Test func aFileThatIsTooLargeIsRefused() {
    let blank = [UInt8](repeating: 0x20, count: AuthPolicyFile.largest - 2)
    #expect((try? AuthPolicyFile.parse(Array("{}".utf8) + blank, path: "p")) != nil)
    #expect(throws: BridgeError.self) { try AuthPolicyFile.parse(Array("{} ".utf8) + blank, path: "p") }
  }

  /// Whatever a file holds: rules or a refusal with its line.
  @Test func noiseInAFileHarmsNobody() {
    let words = [
      "{", "}", "[", "]", ",", ":", "\"rules\"", "\"outcome\"", "\"pass\"", "\"enrolled\"", "1", "true", "\n",
      "\"", "\\",
    ]
    for seed in 0..<3000 as Range<UInt64> {
      var dice = SeededGenerator(seed: seed)
      let text = (0..<dice.number(0..<25)).map { _ in dice.pick(words) }.joined()
      do { _ = try Self.parse(text) } catch {
        #expect((error as? BridgeError)?.message.hasPrefix("p:") ?? false, "\(text): \(error)")
      }
    }
  }
}

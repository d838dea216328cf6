// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgePlugin

/// A file with rules: JSON, checked to the last key, errors with their line.
///
/// | key | type | meaning |
/// | --- | --- | --- |
/// | `biometry` | `"fingerprint"`, `"face"`, `"none"` | the reader; a fingerprint reader by default |
/// | `enrolled` | array of strings | what is enrolled; one by default |
/// | `passcode` | boolean | whether a passcode is set; true by default |
/// | `rules` | array of objects | the first that fits decides |
/// | `rules[].app`, `.reason` | string | for which, `*` for any text |
/// | `rules[].policy` | string | for which |
/// | `rules[].outcome` | step | what happens, each time |
/// | `rules[].outcomes` | array of steps | what happens, one after the other; the last one stays |
/// | `rules[].repeat` | boolean | whether they begin again |
///
/// A step is the name of an outcome, or an object: `outcome`, `factor`, `delay` and `cancelAfter`
/// (milliseconds), `enrolled` (from this step on).
package enum AuthPolicyFile {
  /// In bytes.
  static let largest = 1 << 20
  private static let maxSteps = 100_000
  /// A day, in milliseconds.
  private static let longestDelay = 86_400_000.0

  /// - Throws: `invalid_parameter` with the file, the line and what is wrong there.
  package static func parse(_ bytes: [UInt8], path: String) throws -> AuthRules {
    do {
      guard bytes.count <= largest else {
        throw PlacedError(line: 1, reason: "is larger than \(largest >> 20) MiB")
      }
      return try rules(PlacedValue(bytes))
    } catch let error as PlacedError {
      throw BridgeError(.invalidParameter, "\(path):\(error.line): \(error.reason)")
    }
  }

  // MARK: - The file

  private static func rules(_ file: PlacedValue) throws(PlacedError) -> AuthRules {
    var rules = AuthRules()
    var isEnrolledGiven = false
    for member in try members(file, "the policy", ["biometry", "enrolled", "passcode", "rules"]) {
      switch member.key {
      case "biometry": rules.biometry = try choice(member.value, "biometry")
      case "enrolled":
        rules.enrolled = try list(member.value, "enrolled", string)
        isEnrolledGiven = true
      case "passcode": rules.hasPasscode = try bool(member.value, "passcode")
      default: rules.rules = try list(member.value, "rules", rule)
      }
    }
    if rules.biometry == .none {
      guard !isEnrolledGiven || rules.enrolled.isEmpty else {
        throw PlacedError(
          line: file.line, reason: "enrolled must be empty when biometry is 'none': nothing could read it")
      }
      rules.enrolled = []
      guard rules.rules.allSatisfy({ $0.steps.allSatisfy { $0.enrolled?.isEmpty ?? true } }) else {
        throw PlacedError(
          line: file.line, reason: "no step can have somebody enrolled when biometry is 'none'")
      }
    }
    return rules
  }

  private static func rule(_ value: PlacedValue, _ name: String) throws(PlacedError) -> AuthRules.Rule {
    var rule = AuthRules.Rule(steps: [])
    for member in try members(value, name, ["app", "policy", "reason", "outcome", "outcomes", "repeat"]) {
      let place = "\(name).\(member.key)"
      switch member.key {
      case "app": rule.app = try string(member.value, place)
      case "reason": rule.reason = try string(member.value, place)
      case "policy": rule.policy = try choice(member.value, place)
      case "repeat": rule.repeats = try bool(member.value, place)
      default:
        guard rule.steps.isEmpty else {
          throw PlacedError(
            line: member.value.line, reason: "\(name) has both outcome and outcomes; give one")
        }
        rule.steps =
          member.key == "outcome" ? [try step(member.value, place)] : try list(member.value, place, step)
      }
    }
    guard 1...maxSteps ~= rule.steps.count else {
      throw PlacedError(
        line: value.line, reason: "\(name) must say what happens: 1 to \(maxSteps) outcomes")
    }
    return rule
  }

  private static func step(_ value: PlacedValue, _ name: String) throws(PlacedError) -> AuthStep {
    if case .string = value.content { return AuthStep(try choice(value, name)) }
    var step = AuthStep(.pass)
    var hasOutcome = false
    for member in try members(value, name, ["outcome", "factor", "delay", "cancelAfter", "enrolled"]) {
      let place = "\(name).\(member.key)"
      switch member.key {
      case "outcome":
        step.outcome = try choice(member.value, place)
        hasOutcome = true
      case "factor": step.factor = try choice(member.value, place) as AuthFactor
      case "delay": step.delay = try milliseconds(member.value, place)
      case "cancelAfter": step.cancelAfter = try milliseconds(member.value, place)
      default: step.enrolled = try list(member.value, place, string)
      }
    }
    guard hasOutcome else { throw PlacedError(line: value.line, reason: "\(name) has no outcome") }
    return step
  }

  // MARK: - Values

  private static func members(_ value: PlacedValue, _ name: String, _ known: [String]) throws(PlacedError)
    -> [PlacedValue.Member]
  {
    guard case .object(let members) = value.content else { throw mismatch(value, name, "an object") }
    for (index, member) in members.enumerated() {
      guard known.contains(member.key) else {
        throw PlacedError(
          line: member.value.line,
          reason: "\(name) has no key '\(member.key)'; there are \(known.joined(separator: ", "))")
      }
      if members[..<index].contains(where: { $0.key == member.key }) {
        throw PlacedError(line: member.value.line, reason: "\(name) has the key '\(member.key)' twice")
      }
    }
    return members
  }

  private static func list<T>(
    _ value: PlacedValue, _ name: String, _ item: (PlacedValue, String) throws(PlacedError) -> T
  ) throws(PlacedError) -> [T] {
    guard case .array(let values) = value.content else { throw mismatch(value, name, "an array") }
    var items: [T] = []
    for (index, value) in values.enumerated() { items.append(try item(value, "\(name)[\(index)]")) }
    return items
  }

  private static func choice<T: CaseIterable & RawRepresentable<String>>(
    _ value: PlacedValue, _ name: String
  ) throws(PlacedError) -> T {
    let text = try string(value, name)
    guard let choice = T(rawValue: text) else {
      let all = T.allCases.map { "'\($0.rawValue)'" }.joined(separator: ", ")
      throw PlacedError(line: value.line, reason: "\(name) must be one of \(all), not '\(text)'")
    }
    return choice
  }

  private static func string(_ value: PlacedValue, _ name: String) throws(PlacedError) -> String {
    guard case .string(let text) = value.content else { throw mismatch(value, name, "a string") }
    return text
  }

  private static func bool(_ value: PlacedValue, _ name: String) throws(PlacedError) -> Bool {
    guard case .bool(let bool) = value.content else { throw mismatch(value, name, "true or false") }
    return bool
  }

  private static func milliseconds(_ value: PlacedValue, _ name: String) throws(PlacedError) -> Int {
    guard case .number(let number) = value.content, 0...longestDelay ~= number else {
      throw mismatch(value, name, "milliseconds, from 0 to \(Int(longestDelay))")
    }
    return Int(number)
  }

  private static func mismatch(_ value: PlacedValue, _ name: String, _ wanted: String) -> PlacedError {
    let found =
      switch value.content {
      case .null: "null"
      case .bool(let bool): "\(bool)"
      case .number(let number): "\(number)"
      case .string(let text): "'\(text.prefix(40))'"
      case .array: "an array"
      case .object: "an object"
      }
    return PlacedError(line: value.line, reason: "\(name) must be \(wanted), not \(found)")
  }
}

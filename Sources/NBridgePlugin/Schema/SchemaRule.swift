// SPDX-License-Identifier: MIT

extension Schema {
  /// What a value has to keep to besides its type. Looked at before a handler runs.
  public struct Rule: Sendable, Equatable {
    /// The least number.
    public var minimum: Double?
    /// The greatest number.
    public var maximum: Double?
    /// A regular expression that all of a text must match.
    public var pattern: String?

    /// Makes a rule.
    public init(minimum: Double? = nil, maximum: Double? = nil, pattern: String? = nil) {
      (self.minimum, self.maximum, self.pattern) = (minimum, maximum, pattern)
    }

    /// The rule as the end of `must …`.
    package var words: String {
      var parts: [String] = []
      switch (minimum, maximum) {
      case (let least?, let most?): parts.append("be from \(Self.text(least)) to \(Self.text(most))")
      case (let least?, nil): parts.append("be at least \(Self.text(least))")
      case (nil, let most?): parts.append("be at most \(Self.text(most))")
      case (nil, nil): break
      }
      if let pattern { parts.append("match \(pattern)") }
      return parts.joined(separator: " and ")
    }

    /// A number as a person writes it.
    package static func text(_ number: Double) -> String {
      if let whole = Int(exactly: number) { return "\(whole)" }
      if number.isNaN { return "NaN" }
      return number.isInfinite ? (number < 0 ? "-Infinity" : "Infinity") : "\(number)"
    }
  }

  /// The same shape with a rule for one member. Throws for a member that there is not, or that the rule makes
  /// no sense for.
  package func adding(_ rule: Rule, to name: String) throws -> Schema {
    if case .named(let title, let inner) = self { return .named(title, try inner.adding(rule, to: name)) }
    guard case .object(var fields) = self, let index = fields.firstIndex(where: { $0.name == name }) else {
      throw SchemaError("a rule is given for '\(name)', which is no option")
    }
    guard fields[index].schema.takes(rule) else {
      throw SchemaError(
        "'\(name)' must \(rule.words) by its rule, but only "
          + (rule.pattern == nil ? "numbers have a range" : "a text matches a pattern"))
    }
    var sum = fields[index].rule ?? Rule()
    sum.minimum = rule.minimum ?? sum.minimum
    sum.maximum = rule.maximum ?? sum.maximum
    sum.pattern = rule.pattern ?? sum.pattern
    fields[index].rule = sum
    return .object(fields)
  }

  private func takes(_ rule: Rule) -> Bool {
    switch self {
    case .optional(let inner): inner.takes(rule)
    case .number, .integer, .bigint: rule.pattern == nil
    case .string: rule.minimum == nil && rule.maximum == nil
    default: false
    }
  }
}

/// A rule in the words of JSON Schema, whose patterns look for a part of a text where they are not anchored.
extension Schema.Rule {
  init?(minimum: Double?, maximum: Double?, unanchored: String?) {
    if minimum == nil, maximum == nil, unanchored == nil { return nil }
    self.init(minimum: minimum, maximum: maximum, pattern: unanchored.map(Self.whole))
  }

  /// The pattern as JSON Schema has it.
  var anchored: String? { pattern.map { Self.start + $0 + Self.end } }

  private static let (start, end) = ("^(?:", ")$")
  private static let (partStart, partEnd) = ("[\\s\\S]*(?:", ")[\\s\\S]*")

  /// What an author wrote of a pattern.
  package static func written(_ pattern: String) -> String {
    guard pattern.hasPrefix(partStart), pattern.hasSuffix(partEnd) else { return pattern }
    return String(pattern.dropFirst(partStart.count).dropLast(partEnd.count))
  }

  private static func whole(_ pattern: String) -> String {
    if pattern.hasPrefix(start), pattern.hasSuffix(end) {
      return String(pattern.dropFirst(start.count).dropLast(end.count))
    }
    if pattern.hasPrefix("^"), pattern.hasSuffix("$"), !pattern.hasSuffix("\\$"), !pattern.contains("|") {
      return String(pattern.dropFirst().dropLast())
    }
    return partStart + pattern + partEnd
  }
}

extension Schema {
  /// Whether a JSON Schema may have rules: a look at the text, because most have none, and are read when
  /// somebody asks for help only.
  package static func mayHaveRules(_ text: [UInt8]) -> Bool {
    var rest = text[...]
    while let quote = rest.firstIndex(of: UInt8(ascii: "\"")) {
      rest = rest[(quote + 1)...]
      for word in ruleWords where word.withUTF8Buffer({ rest.starts(with: $0) }) { return true }
    }
    return false
  }

  private static let ruleWords: [StaticString] = ["minimum\"", "maximum\"", "pattern\""]
}

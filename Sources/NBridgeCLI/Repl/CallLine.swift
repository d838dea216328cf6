// SPDX-License-Identifier: MIT

internal import NBridge
internal import NBridgePlugin

/// What stands behind `.call` and `.watch`: `preference.get key=colour`. The service and its action may also
/// stand apart, the option may be one JavaScript value.
struct CallLine {
  let service: String
  /// Nil while only the service is there.
  let action: String?
  /// What stands behind them.
  let rest: String

  init(_ operand: String) {
    let words = operand.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
    let first = words.first ?? ""
    let behind = words.count > 1 ? words[1].drop { $0 == " " } : ""
    service = String(first.prefix { $0 != "." })
    if let point = first.firstIndex(of: ".") {
      action = String(first[first.index(after: point)...])
      rest = String(behind)
    } else {
      let parts = behind.split(separator: " ", maxSplits: 1, omittingEmptySubsequences: false)
      action = parts.first.flatMap { $0.isEmpty ? nil : String($0) }
      rest = parts.count > 1 ? String(parts[1].drop { $0 == " " }) : ""
    }
  }

  /// `service.action`.
  var name: String { "\(service).\(action ?? "")" }
}

/// An option as it is typed behind a dot-command.
struct TypedOption {
  let action: InteractiveSession.Action
  /// Whether a text is one JavaScript expression.
  let isExpression: (String) -> Bool

  /// The option as a JavaScript expression; empty for none.
  ///
  /// - Throws: a sentence that says what is wrong, and how it is typed.
  func expression(_ text: String) throws(TypedOptionProblem) -> String {
    guard !text.isEmpty else {
      guard action.fields.allSatisfy(\.isOptional) else { throw TypedOptionProblem(usage) }
      return ""
    }
    let words = Self.words(text)
    let pairs = words.compactMap(Self.pair)
    if !pairs.isEmpty, pairs.count == words.count { return try object(pairs) }
    guard isExpression(text) else {
      throw TypedOptionProblem("'\(text)' is no option: it is one JavaScript value, or \(example)")
    }
    return text
  }

  /// What it takes, with an example.
  var usage: String { "\(action.signature)\n  \(action.help)\n  as \(example)" }

  private var example: String {
    let needed = action.fields.filter { !$0.isOptional }
    let shown = needed.isEmpty ? Array(action.fields.prefix(1)) : needed
    let pairs = shown.map { " \($0.name)=\(Self.sample($0))" }.joined()
    return ".call \(action.name)\(pairs)"
  }

  private static func sample(_ field: InteractiveSession.Action.Field) -> String {
    if let value = field.values.first { return value }
    let texts = ["key": "colour", "path": "note.txt", "url": "https://example.org"]
    if field.type == "number" { return "1" }
    if field.type.hasPrefix("Array<") { return "[]" }
    if field.type.hasPrefix("{") { return "{}" }
    return texts[field.name] ?? (field.type == "NBridgeValue" ? "teal" : "text")
  }

  // MARK: - Pairs

  /// Words, as far as spaces outside of quotes and brackets part them.
  static func words(_ text: String) -> [String] {
    var words: [String] = []
    var word = ""
    var (quote, depth, isEscaped): (Character?, Int, Bool) = (nil, 0, false)
    for character in text {
      if character == " ", quote == nil, depth <= 0 {
        if !word.isEmpty { words.append(word) }
        word = ""
        continue
      }
      word.append(character)
      if let open = quote {
        if character == open, !isEscaped { quote = nil }
        isEscaped = character == "\\" && !isEscaped
      } else if "\"'`".contains(character) {
        quote = character
      } else {
        depth += "([{".contains(character) ? 1 : ")]}".contains(character) ? -1 : 0
      }
    }
    return words + (word.isEmpty ? [] : [word])
  }

  private static func pair(_ word: String) -> (name: String, value: String)? {
    guard let mark = word.firstIndex(of: "="), mark > word.startIndex else { return nil }
    let name = word[..<mark]
    let value = word[word.index(after: mark)...]
    guard name.allSatisfy({ $0.isLetter || $0.isNumber || $0 == "_" || $0 == "$" }),
      name.first?.isNumber == false,
      value.first != "=", value.first != ">"
    else { return nil }
    return (String(name), String(value))
  }

  private func object(_ pairs: [(name: String, value: String)]) throws(TypedOptionProblem) -> String {
    var members: [String] = []
    for (name, value) in pairs {
      guard let field = action.fields.first(where: { $0.name == name }) else {
        let hint = NearestName.hint(for: name, among: action.fields.map(\.name))
        throw TypedOptionProblem("'\(action.name)' has no '\(name)'\(hint)")
      }
      members.append("\(Self.quoted(name)): \(literal(value, field))")
    }
    let given = Set(pairs.map(\.name))
    let missing = action.fields.filter { !$0.isOptional && !given.contains($0.name) }
    guard missing.isEmpty else {
      let names = missing.map { "'\($0.name)'" }.joined(separator: ", ")
      throw TypedOptionProblem("\(names) is missing: \(example)")
    }
    return "{ \(members.joined(separator: ", ")) }"
  }

  /// A value as JavaScript: what looks like a value of the language is one, unless text is wanted.
  private func literal(_ value: String, _ field: InteractiveSession.Action.Field) -> String {
    let wanted = field.type.split(separator: "|").map(\.trimmed)
    let isQuoted = value.count > 1 && value.first == value.last && "\"'`".contains(value.first ?? " ")
    let isName = ["true", "false", "null", "undefined"].contains(value)
    let takesText = wanted.contains { $0 == "string" || $0.hasPrefix("\"") }
    if takesText, !isQuoted { return isName && wanted.contains(value) ? value : Self.quoted(value) }
    let looksLikeValue = isName || value.first.map { "{[\"'`-0123456789".contains($0) } == true
    return looksLikeValue && isExpression(value) ? "(\(value))" : Self.quoted(value)
  }

  static func quoted(_ text: String) -> String {
    guard let value = try? Value(encoding: text) else { return "\"\"" }
    return String(decoding: value.text, as: UTF8.self)
  }
}

/// Why an option could not be read.
struct TypedOptionProblem: Error {
  let text: String
  init(_ text: String) { self.text = text }
}

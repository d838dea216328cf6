// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import NBridgePlugin
internal import Synchronization

/// What the options of an action have to keep to besides their types: looked at before its handler runs, in
/// one place for linked and loaded plugins. Any thread.
final class OptionRules: Sendable {
  private let options: TypeReference
  private let isMethod: Bool
  private let isConfidential: Bool
  private let known = Mutex<KnownRules>(KnownRules())

  /// Nil for an action without rules.
  init?(_ declaration: Declaration) {
    guard declaration.hasRules else { return nil }
    options = declaration.options
    isMethod = declaration.handle != nil
    isConfidential = declaration.isConfidential
  }

  /// The declaration, with a handler that looks at the rules first. One that the host asks for by itself
  /// stays as it is.
  func guarding(_ declaration: Declaration) -> Declaration {
    var guarded = declaration
    guarded.runner = declaration.runner.checking { [self] in try check($0) }
    return guarded
  }

  /// Throws for the first option that breaks its rule. What is of a wrong type is the decoder's to refuse.
  func check(_ input: WireInput) throws {
    let given = isMethod ? HandleAddress(input)?.option ?? .none : input
    guard !given.text.isEmpty else { return }
    let rules = try known.withLock { try $0.take(options) }
    let source: WireSource
    do { source = try WireSource(given.text) } catch { return }
    guard let object = source.object(at: 0) else { return }
    for rule in rules {
      guard let node = source.find(rule.name, in: object),
        let problem = rule.problem(node, source, showsValue: !isConfidential)
      else { continue }
      throw BridgeError(.invalidParameter, "option.\(rule.name) \(problem)")
    }
  }

  /// Throws for a pattern that is none.
  static func check(_ declaration: Declaration) throws {
    guard declaration.hasRules else { return }
    var rules = KnownRules()
    _ = try rules.take(declaration.options)
  }

  /// The same for all of a description.
  static func check(_ descriptor: PluginDescriptor) throws {
    for member in descriptor.members { try check(member.declaration(.placeholder(member.kind))) }
  }
}

/// The rules of one action, read when they are first needed.
private struct KnownRules: Sendable {
  private var rules: [OptionRule]?

  mutating func take(_ options: TypeReference) throws -> [OptionRule] {
    if let rules { return rules }
    guard case .object(let fields) = try options.schema() else { return [] }
    let found = try fields.compactMap { field in try field.rule.map { try OptionRule(field.name, $0) } }
    rules = found
    return found
  }
}

/// What one option has to keep to.
private struct OptionRule: Sendable {
  let name: String
  private let rule: Schema.Rule
  private let pattern: WholePattern?

  init(_ name: String, _ rule: Schema.Rule) throws {
    (self.name, self.rule) = (name, rule)
    pattern = try rule.pattern.map { try WholePattern($0, of: name) }
  }

  /// What is wrong with the value at a node, as the rest of a sentence about it; nil for nothing.
  func problem(_ node: Int, _ source: borrowing WireSource, showsValue: Bool) -> String? {
    if let number = Self.number(node, source) {
      let isInside = rule.minimum.map { number >= $0 } ?? true && rule.maximum.map { number <= $0 } ?? true
      if isInside, !number.isNaN { return nil }
      return "must \(rule.words)" + (showsValue ? ", not \(Schema.Rule.text(number))" : "")
    }
    guard let pattern, let text = try? source.tape.string(node), !pattern.matches(text) else { return nil }
    // What it is may be a secret.
    let count = text.count
    return "must \(rule.words), which its \(count) character\(count == 1 ? " does" : "s do") not"
  }

  private static func number(_ node: Int, _ source: borrowing WireSource) -> Double? {
    if let number = source.tape.double(node) { return number }
    guard let (tag, payload) = source.tag(at: node), tag == .bigInt || tag == .number,
      let digits = try? source.tape.string(payload)
    else { return nil }
    return Double(digits)
  }
}

/// A regular expression that a whole text must match, by PCRE: it ends what would look for ever, and takes no
/// pattern that is nested without end. Letters and digits of its classes are those of ASCII, as in
/// JavaScript.
private final class WholePattern: @unchecked Sendable {
  // Sendable because a GRegex may be used by many threads. Ours alone, freed in deinit.
  private let regex: OpaquePointer

  /// A pattern is a few words long.
  private static let longest = 4096

  init(_ text: String, of name: String) throws {
    let failure = { (reason: String) in
      PluginError(
        "the pattern '\(text.prefix(200))' of the option '\(name)' is no regular expression: \(reason)")
    }
    guard text.utf8.count <= Self.longest else { throw failure("it is longer than \(Self.longest) bytes") }
    let pattern = Self.withPlainEscapes(text)
    // By itself first: what it closes must be its own.
    g_regex_unref(try Self.compile(Self.withPlainEscapes(Schema.Rule.written(text)), failure))
    regex = try Self.compile("\\A(?:\(pattern))\\z", failure)
  }

  deinit { g_regex_unref(regex) }

  /// False also for a text at which it would look for too long.
  func matches(_ text: String) -> Bool {
    var text = text
    return text.withUTF8 { text in
      text.withMemoryRebound(to: CChar.self) { text in
        var empty: CChar = 0
        return withUnsafePointer(to: &empty) { empty in
          g_regex_match_full(
            regex, text.baseAddress ?? empty, gssize(text.count), 0, GRegexMatchFlags(rawValue: 0), nil, nil)
            != 0
        }
      }
    }
  }

  private static func compile(_ pattern: String, _ failure: (String) -> PluginError) throws -> OpaquePointer {
    var error: UnsafeMutablePointer<GError>?
    guard
      // A line's end at the end of a text is a part of it.
      let regex = g_regex_new(pattern, G_REGEX_DOLLAR_ENDONLY, GRegexMatchFlags(rawValue: 0), &error)
    else {
      defer { g_clear_error(&error) }
      throw failure(error.map { String(cString: $0.pointee.message) } ?? "PCRE refuses it")
    }
    return regex
  }

  /// The pattern with what PCRE, as GLib sets it up, takes otherwise: `\uFFFF` and `\u{10FFFF}`, and digits
  /// and letters of all scripts for `\d` and `\w`.
  private static func withPlainEscapes(_ text: String) -> String {
    var (shown, rest, isInClass) = ("", Substring(text), false)
    while let character = rest.popFirst() {
      guard character == "\\", let escaped = rest.popFirst() else {
        shown.append(character)
        if character == "[" || character == "]" { isInClass = character == "[" }
        continue
      }
      if escaped == "u", rest.prefix(4).count == 4, rest.prefix(4).allSatisfy(\.isHexDigit) {
        shown += "\\x{\(rest.prefix(4))}"
        rest = rest.dropFirst(4)
      } else if escaped == "u", rest.first == "{" {
        shown += "\\x"
      } else {
        shown += plainClass(escaped, isInClass) ?? "\\\(escaped)"
      }
    }
    return shown
  }

  /// Of ASCII; nil where there is none.
  private static func plainClass(_ escaped: Character, _ isInClass: Bool) -> String? {
    switch escaped {
    case "d", "w", "D", "W":
      let members = classes[escaped] ?? ""
      return isInClass ? members : "[\(members)]"
    case "b" where !isInClass: return "(?:(?<=\(letter))(?!\(letter))|(?<!\(letter))(?=\(letter)))"
    case "B" where !isInClass: return "(?:(?<=\(letter))(?=\(letter))|(?<!\(letter))(?!\(letter)))"
    default: return nil
    }
  }

  /// What stands between the brackets; of `\D` and `\W` all that is left.
  private static let classes: [Character: String] = [
    "d": "0-9", "w": "A-Za-z0-9_", "D": "\\x{0}-\\x{2F}\\x{3A}-\\x{10FFFF}",
    "W": "\\x{0}-\\x{2F}\\x{3A}-\\x{40}\\x{5B}-\\x{5E}\\x{60}\\x{7B}-\\x{10FFFF}",
  ]
  private static let letter = "[A-Za-z0-9_]"
}

// SPDX-License-Identifier: MIT

/// An engine's message with the author's text in the place of what ``ModuleText`` made of it: the engine
/// quotes what it ran, as `ǃf.x() is not a function`.
package enum AuthoredMessage {
  /// The message; the same where it quotes nothing that was made.
  package static func of(_ message: String) -> String {
    let message = withoutOwnText(message)
    guard message.unicodeScalars.contains(ModuleText.mark) else { return message }
    var parts = message.split(separator: Character(ModuleText.mark), omittingEmptySubsequences: false)
    var told = String(parts.removeFirst())
    var isMember = false
    for part in parts {
      // `ǃi.ǃnames`: the second mark stands before a namespace's own name.
      if isMember {
        told += part
        isMember = false
      } else if part == "i." {
        isMember = true
      } else {
        add(part, to: &told)
      }
    }
    return told
  }

  /// What the engine quotes of values of a class's fields is a function that it made, or the module's
  /// beginning, which ``ModuleText`` did.
  private static func withoutOwnText(_ message: String) -> String {
    guard message.hasSuffix("...')"), let quote = message.firstRange(of: " (near '...") else {
      return message
    }
    let quoted = message[quote.upperBound...]
    let isOurs = quoted.hasPrefix("({__proto__:null,")
    guard isOurs || quoted.hasPrefix("(function () { })") else { return message }
    return message[..<quote.lowerBound] + " (in the value of a class's field)"
  }

  private static func add(_ part: Substring, to told: inout String) {
    if let called = part.dropping("f."), let end = called.firstRange(of: "()") {
      told += called[..<end.lowerBound] + called[end.upperBound...]
    } else if let member = part.dropping("i.") {
      addMember(member, to: &told)
    } else if let rest = part.dropping("importMeta") {
      told += "import.meta" + rest
    } else if let rest = part.dropping("impor") {
      told += "import" + rest
    } else if let rest = part.dropping("stackOf_("), told.hasSuffix("["), let end = rest.firstRange(of: ")]")
    {
      told.removeLast()
      told += (told.hasSuffix("?.") ? "stack" : ".stack") + rest[end.upperBound...]
    } else if part.hasPrefix("arguments") {
      told += part
    } else if let rest = part.dropping("m.at="), told.hasSuffix("!("), let end = rest.firstRange(of: ")?0:") {
      told.removeLast(2)
      told += rest[end.upperBound...]
    } else if let rest = part.dropping("d"), rest.first?.isLetter != true {
      told += "default" + rest
    } else {
      told += String(Character(ModuleText.mark)) + part
    }
  }

  /// `{ x }` had become `{ x:ǃi.x }`.
  private static func addMember(_ member: Substring, to told: inout String) {
    let name = member.prefix { $0.isLetter || $0.isNumber || $0 == "_" || $0 == "$" }
    if told.hasSuffix("\(name):") { told.removeLast(name.count + 1) }
    told += member
  }
}

extension Substring {
  fileprivate func dropping(_ prefix: String) -> Substring? {
    hasPrefix(prefix) ? dropFirst(prefix.count) : nil
  }
}

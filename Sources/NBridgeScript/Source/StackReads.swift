// SPDX-License-Identifier: MIT

/// Reads of an error's `stack`, which the engine makes with the error and asks nobody for: places in what
/// ran, and no message. In an author's text `error.stack` becomes `error[ǃstackOf_(error)]`, whose key leads
/// to the title and the author's frames where the stack is the engine's, and else is "stack": a member stays
/// one, in chains (`error?.stack.length`), calls and all that stands around it.
///
/// Only by names that people give to errors, so that no other object's `stack` costs more.
package struct StackReads {
  /// What finds the global in a text; see `stacks.js`.
  package static let libraryWord = "stackOf_"
  private static let function = "\u{1C3}\(libraryWord)"
  private static let names: Set<String> = [
    "e", "er", "err", "error", "ex", "exc", "exception", "reason", "cause", "thrown", "caught", "problem",
    "failure",
  ]
  private static let endings = ["Error", "Err", "Exception", "_error", "_err"]

  private let list: TokenList

  /// Puts the calls in, but where a name is one of these.
  static func insert(_ text: String, besides imported: Set<String>, _ edits: inout Edits) {
    guard text.utf8.containsText(".stack") else { return }
    StackReads(list: TokenList(text)).insert(imported, &edits)
  }

  /// A text with the calls in it, and what was put in; nil for one that has no such read.
  static func rewritten(_ text: String) -> (text: String, insertions: [AwaitMarker.Insertion])? {
    guard text.utf8.containsText(".stack") else { return nil }
    var edits = Edits(Array(text.utf8))
    StackReads(list: TokenList(text)).insert([], &edits)
    let insertions = edits.insertions
    return insertions.isEmpty ? nil : (edits.text, insertions)
  }

  private func insert(_ imported: Set<String>, _ edits: inout Edits) {
    for index in list.items.indices where text(index) == "stack" && text(index - 1) == "." {
      // `error?.stack`
      let isOptional = text(index - 2) == "?"
      let name = isOptional ? index - 3 : index - 2
      let dot = list.items[index - 1].range
      // On one line, so that lines stay.
      guard isError(name), !imported.contains(text(name)), isRead(index), !startsLine(index),
        !isOptional || !startsLine(index - 1)
      else { continue }
      edits.replace(
        dot.lowerBound..<list.items[index].range.upperBound,
        with: (isOptional ? ".[" : "[") + "\(Self.function)(\(text(name)))]")
    }
  }

  private func text(_ index: Int) -> String {
    list.items.indices.contains(index) ? list.items[index].text : ""
  }

  /// Whether a name for an error begins an expression.
  private func isError(_ index: Int) -> Bool {
    guard list.items.indices.contains(index), list.items[index].kind == .word else { return false }
    // esbuild tells names of one scope apart by numbers.
    let name = text(index).trimmingDigits
    guard Self.names.contains(name) || Self.endings.contains(where: { name.hasSuffix($0) }) else {
      return false
    }
    // `a.error.stack`, `new error.stack`, `++error.stack`; dots of a spread are no member's.
    let before = text(index - 1)
    if before == ".", text(index - 2) != "." { return false }
    if before == "(", text(index - 2) == "delete" { return false }
    return !["new", "delete", "#", "++", "--"].contains(before)
  }

  /// Whether nothing is done to the member but to read it.
  private func isRead(_ index: Int) -> Bool {
    let (next, then) = (text(index + 1), text(index + 2))
    // What begins with a brace ends a piece of a template that this stands in.
    if list.items.indices.contains(index + 1), list.items[index + 1].kind == .template, !next.hasPrefix("}") {
      return false
    }
    if next == "(" || next == "=" && then != "=" { return false }
    if next == "=", then == "=", text(index + 3) != "=" { return true }
    if ["++", "--"].contains(next), !startsLine(index + 1) { return false }
    // `+=`, `??=`, `||=` …
    let operators = ["+", "-", "*", "/", "%", "&", "|", "^", "?", "<", ">"]
    var at = index + 1
    while operators.contains(text(at)), at < index + 4 { at += 1 }
    if at > index + 1, text(at) == "=", text(at + 1) != "=" {
      return ["<", ">"].contains(next) && at == index + 2
    }
    // What a loop assigns to.
    return next != "of" && next != "in" || text(index - 3) != "("
  }

  private func startsLine(_ index: Int) -> Bool { list.items[index].startsLine }
}

extension String {
  fileprivate var trimmingDigits: String {
    let kept = utf8.reversed().drop { (0x30...0x39).contains($0) }.count
    return String(decoding: utf8.prefix(kept), as: UTF8.self)
  }
}

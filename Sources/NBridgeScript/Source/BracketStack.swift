// SPDX-License-Identifier: MIT

/// The brackets that are open at a place of a text: what each is for tells whether a `/` behind its end
/// divides, and whether a brace behind a `:` in it opens an object.
struct BracketStack {
  enum Kind {
    /// `statementHead`: one that a statement follows, as behind `if (a)`, and no operator.
    case parenthesis, statementHead, square
    /// `value`: the body of a function or class that is a value.
    case object, block, value
    /// The `${` of a template.
    case template

    var isBrace: Bool { self == .object || self == .block || self == .value || self == .template }
  }

  private struct Bracket {
    let kind: Kind
    /// How many conditionals wait for their `:`.
    var conditions = 0
    /// How many functions and classes that are values wait for their body.
    var bodies = 0
  }

  /// The first stands for the text itself.
  private var open = [Bracket(kind: .block)]

  private var last: Int { open.count - 1 }

  mutating func open(_ kind: Kind) { open.append(Bracket(kind: kind)) }

  /// Opens a brace where `isObject` tells what one opens that is nobody's body.
  mutating func openBrace(isObject: Bool, isHeritage: Bool) {
    if open[last].bodies > 0, !isHeritage {
      open[last].bodies -= 1
      open(.value)
    } else {
      open(isObject ? .object : .block)
    }
  }

  /// What the innermost brace was for; in wrong text brackets inside it may still be open.
  mutating func closeBrace() -> Kind {
    let place = open.lastIndex(where: \.kind.isBrace) ?? 0
    let kind = open[place].kind
    open.removeSubrange(max(place, 1)...)
    return kind
  }

  /// What a bracket that is no brace was for.
  mutating func close() -> Kind {
    guard last > 0, !open[last].kind.isBrace, let bracket = open.popLast() else { return .parenthesis }
    return bracket.kind
  }

  /// The word `function` or `class` where a value begins: the next brace on its level is its body's.
  mutating func expectBody() { open[last].bodies += 1 }

  /// `?` of a conditional.
  mutating func condition() { open[last].conditions += 1 }

  /// Behind `,` and `;` no conditional waits.
  mutating func separate() { open[last].conditions = 0 }

  /// `:`. Answers whether a value follows: behind a conditional's or a property's, not behind a label.
  mutating func colon() -> Bool {
    guard open[last].conditions > 0 else { return open[last].kind == .object }
    open[last].conditions -= 1
    return true
  }
}

// SPDX-License-Identifier: MIT

/// Where a script is to count what runs: noted by ``ModuleParser`` on its way.
///
/// A counter is an expression without a line end. Before a statement it is one of its own; the operands of
/// conditionals, `&&`, `||` and `??`, default values and arrow functions' values stand behind it in
/// parentheses; a body without braces gets them. So nothing changes what the text means, and its lines stay.
struct CounterMarks {
  struct Point {
    let kind: CoverageKind
    /// Where what is counted begins, in bytes of UTF-8.
    let place: Int
    /// The function's name.
    var name = ""
    /// The decision that a branch belongs to.
    var group = 0
  }

  /// A function, before its body is read.
  struct Function {
    let place: Int
    let name: String
  }

  private(set) var points: [Point] = []
  private(set) var insertions: [(place: Int, text: String)] = []
  private var groups = 0

  /// The list of counters, a name that no author has.
  static let variable = "\u{1C3}c"

  /// A decision whose branches are to be counted.
  mutating func makeGroup() -> Int {
    groups += 1
    return groups
  }

  private mutating func counter(_ point: Point) -> String {
    points.append(point)
    return "\(Self.variable)[\(points.count - 1)]++"
  }

  mutating func insert(_ text: String, at place: Int) { insertions.append((place, text)) }

  mutating func statement(at place: Int) {
    insert(counter(Point(kind: .statement, place: place)) + ";", at: place)
  }

  /// - Parameters:
  ///   - inner: where the body goes on, behind its directives.
  ///   - isBehindDirective: whether one ends there, maybe without a semicolon.
  mutating func function(_ function: Function, inner: Int, isBehindDirective: Bool) {
    let text = counter(Point(kind: .function, place: function.place, name: function.name))
    insert((isBehindDirective ? ";" : "") + text + ";", at: inner)
  }

  /// An arrow function's value, which ``insert(_:at:)`` is to close.
  mutating func openArrow(_ function: Function, at place: Int) {
    let text = counter(Point(kind: .function, place: function.place, name: function.name))
    insert("(\(text),", at: place)
  }

  /// An expression that is a branch, which ``insert(_:at:)`` is to close.
  mutating func openBranch(_ group: Int, at place: Int) {
    insert("(" + counter(Point(kind: .branch, place: place, group: group)) + ",", at: place)
  }

  /// A statement that is a branch, decided at `place`; it stands at `inner`.
  mutating func branch(_ group: Int, at place: Int, inner: Int, before: String = "", after: String = "") {
    insert(before + counter(Point(kind: .branch, place: place, group: group)) + ";" + after, at: inner)
  }
}

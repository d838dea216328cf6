// SPDX-License-Identifier: MIT

/// What ``ModuleParser`` finds of newer syntax, as ``NewerSyntax`` wrote it, and what the engine can run
/// instead.
struct Lowering {
  /// Statements in braces, whose end lets go of what they declare with `using`.
  struct Block {
    /// Behind the brace and what has to stay first.
    let inner: Int
    /// What its resources are called; nil while there are none.
    var name: String?
    var isAsync = false
  }

  struct Class {
    let number: Int
    /// How many functions are open around it.
    let depth: Int
    /// The word `class`.
    let keyword: Range<Int>
    var name: TokenList.Item?
    /// What a class without a name is called for where it stands.
    var guess = ""
    var isDeclaration = false
    /// `export default` before it.
    var exported: Range<Int>?
    var decorators: Decorators?
    var elements = 0
    /// Whether methods of its objects have decorators.
    var hasMethods = false
    /// Whether its text asks `language.js` for something.
    var needsState = false
    /// Whether its head awaits.
    var awaits = false
    /// Behind its brace.
    var inner = 0

    var state: String { "\(ModuleText.mark)\(number)" }
  }

  /// `ǃc(…)` before a class.
  struct Decorators {
    /// The name and its parenthesis.
    let call: Range<Int>
    /// From the closing parenthesis to the class, `export` and `default` among it.
    var end: Range<Int>
    let assignedTo: String
    var isExported = false
    var isDefault = false
  }

  /// What stands before a member: see ``NewerNames``.
  struct Marker {
    enum Kind { case method, field, accessor }
    let kind: Kind
    let whole: Range<Int>
    let call: Range<Int>
    let close: Range<Int>
    /// The only value in there, a literal: the name of an accessor without decorators.
    let literal: TokenList.Item?
    let isEmpty: Bool
  }

  private(set) var list: [(range: Range<Int>, text: String, isFirst: Bool)] = []
  var blocks: [Block?] = [Block(inner: 0, name: nil)]
  var classes: [Class] = []
  /// What stands before the class that comes.
  var decorators: Decorators?
  var exported: Range<Int>?
  /// The labels before the statement that comes.
  var label: Int?
  private var count = 0

  mutating func replace(_ range: Range<Int>, with text: String) { list.append((range, text, false)) }

  /// - Parameter isFirst: whether it stands before all else that changes there.
  mutating func insert(_ text: String, at place: Int, isFirst: Bool = false) {
    list.append((place..<place, text, isFirst))
  }

  mutating func number() -> Int {
    count += 1
    return count
  }

  // MARK: - Classes

  mutating func openClass(at keyword: Range<Int>, depth: Int, isDeclaration: Bool, assignedTo name: String) {
    var made = Class(number: number(), depth: depth, keyword: keyword)
    (made.isDeclaration, made.decorators, made.exported) = (isDeclaration, decorators, exported)
    (decorators, exported) = (nil, nil)
    made.guess =
      made.exported != nil || made.decorators?.isDefault == true
      ? "default" : made.decorators?.assignedTo ?? name
    classes.append(made)
  }

  /// Changes the innermost class that is open.
  mutating func changeClass(_ body: (inout Class) -> Void) {
    guard !classes.isEmpty else { return }
    body(&classes[classes.count - 1])
  }

  // MARK: - Blocks

  /// The resources of the block around, which it has from now on; nil where no declaration may stand.
  mutating func scope(isAsync: Bool) -> String? {
    guard var block = blocks.last ?? nil else { return nil }
    let name = block.name ?? (blocks.count == 1 ? NewerNames.outerScope : scopeName())
    block.name = name
    block.isAsync = block.isAsync || isAsync
    blocks[blocks.count - 1] = block
    return name
  }

  mutating func scopeName() -> String { "\(NewerNames.scope)\(number())" }

  mutating func endBlock(at end: Int) {
    guard let block = blocks.popLast() ?? nil, let name = block.name else { return }
    // What is known last, and comes first: a declaration may follow the brace without a space.
    insert(Self.head(name), at: block.inner, isFirst: true)
    insert(Self.tail(name, isAsync: block.isAsync), at: end)
  }

  static func head(_ name: String) -> String { "const \(name)=\(NewerNames.library).scope();try{" }

  static func tail(_ name: String, isAsync: Bool) -> String {
    let mark = ModuleText.mark
    return "}catch(\(mark)){\(name).fail(\(mark))}finally{"
      + (isAsync ? "await \(name).endAsync()}" : "\(name).end()}")
  }

  static func add(_ name: String, isAsync: Bool) -> String { "\(name).\(isAsync ? "addAsync" : "add")(" }
}

// SPDX-License-Identifier: MIT

/// What a module says to others, and where: read by ``ModuleParser``.
struct ModuleSyntax {
  /// A module that this one asks for.
  struct Request {
    /// The specifier, its escapes resolved.
    let specifier: String
    /// `type` of its attributes; nil without.
    var type: String?
    /// The key of an attribute that is not `type`; nil without.
    var unknown: TokenList.Item?
    /// The word `import` or `export` that begins it.
    let keyword: Range<Int>
    /// The specifier's literal.
    let literal: Range<Int>
    /// Where its attributes end.
    var end: Int
    let kind: Kind

    enum Kind {
      case declaration
      /// `import(…)`.
      case importCall
      /// `require(…)`, which asks for CommonJS.
      case requireCall
    }
  }

  /// What an import means by its name.
  enum Name: Equatable {
    case export(String)
    /// `* as name`.
    case namespace
    /// What `import * as local` brought, given on: a variable of this module (16.2.1.7.1), of which another
    /// module's is none.
    case ownNamespace(String)
  }

  /// A name of this module that stands for another's.
  struct Import {
    let local: String
    let request: Int
    let name: Name
    let range: Range<Int>
  }

  /// A name that this module gives.
  enum Export {
    case local(exported: String, name: String, range: Range<Int>)
    case other(exported: String, request: Int, name: Name, range: Range<Int>)
    case star(request: Int)
  }

  /// How an imported name is used, which decides what stands for it.
  enum Use: Equatable {
    case value
    /// It is called: what is called must not get the imports as `this`.
    case call
    /// `{ name }` of an object.
    case shorthand
    /// `name.member`.
    case member
  }

  /// A catch clause that takes what was thrown.
  struct CatchClause {
    /// Nil for one that takes it apart.
    let name: String?
    /// Its brackets, and that of its block.
    let open: Range<Int>
    let close: Range<Int>
    let block: Range<Int>
  }

  /// What the engine would take though it is wrong.
  struct Fault {
    let message: String
    let range: Range<Int>
  }

  struct Reference {
    let name: String
    let range: Range<Int>
    let use: Use
  }

  var requests: [Request] = []
  var imports: [Import] = []
  var exports: [Export] = []
  var references: [Reference] = []
  /// Declarations without a sense of their own here, blanked: imports, lists of exports.
  var blanks: [Range<Int>] = []
  /// `export default` of a value, and where that one ends.
  var defaults: [(keyword: Range<Int>, end: Int)] = []
  /// `export default function () {}`: where its name belongs.
  var namelessFunctions: [Int] = []
  var metas: [Range<Int>] = []
  /// Names of lists that are written with escapes.
  var escapedNames: [TokenList.Item] = []
  /// The first one; of a text that is no module it says nothing.
  var fault: Fault?
  /// The words `import` of calls.
  var dynamicImports: [Range<Int>] = []
  /// Whether it awaits outside of functions.
  var usesAwait = false
  /// Where those awaits stand that are operators.
  var awaits: Set<Int> = []
  var catches: [CatchClause] = []
  /// Whether brackets and functions stand so deep in each other that not all of it was read.
  var isTooDeep = false
  /// Whether it declares with `using` at its top, as ``LoweredText`` wrote it.
  var usesScope = false
  /// Whether its end waits for what that lets go of.
  var awaitsEnd = false
  /// Where the text counts what runs; nil where it does not.
  var marks: CounterMarks?
}

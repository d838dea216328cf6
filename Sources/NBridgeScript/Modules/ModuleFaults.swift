// SPDX-License-Identifier: MIT

/// A name that a module asks for.
struct AskedName: Hashable {
  /// What esbuild calls the module, without what stands behind its path.
  let module: String
  let name: String
}

/// A problem, and the module that it stands in.
struct LocatedProblem {
  /// What esbuild calls it; nil for what stands in none.
  let module: String?
  let problem: BundleError.Problem
  /// Whether only a call of `import` is wrong, or one of `require` in a module of the language.
  var isOfCall = false
  /// Whether it is there because of another one.
  var isConsequence = false

  init(module: String?, _ problem: BundleError.Problem) { (self.module, self.problem) = (module, problem) }
}

/// What is wrong with a program, and may be left out of it where only a call asks for it: `import(…)`, or
/// `require(…)`. Then the call finds it missing, or wrong.
struct ModuleFaults: Equatable {
  /// Modules that can't be read, that are wrong, or that need such ones.
  var modules: Set<String> = []
  /// Names that lead nowhere.
  var names: Set<AskedName> = []
  /// Whether there is one that nobody can say the module of, as one of a `package.json`: then nothing that a
  /// call names is read.
  var isUnknown = false

  var isEmpty: Bool { self == ModuleFaults() }

  mutating func add(_ other: ModuleFaults) {
    modules.formUnion(other.modules)
    names.formUnion(other.names)
    isUnknown = isUnknown || other.isUnknown
  }
}

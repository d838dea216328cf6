// SPDX-License-Identifier: MIT

internal import NBridgeSystem

/// What each name of each module stands for (ECMA-262, 16.2.1.7: ResolveExport, GetExportedNames). Each
/// answer is kept: by a long row of `export *` every module gives the names of all behind it.
struct ModuleNames {
  /// What a name stands for.
  enum Target: Equatable {
    case export(module: Int, name: String, variable: String)
    /// `variable`: what `import *` made of it, where that is given on.
    case namespace(module: Int, variable: Place?)
    /// Two different things, by `export *` from both.
    case ambiguous

    /// One variable may be given by two names.
    static func == (left: Self, right: Self) -> Bool {
      switch (left, right) {
      case (.export(let module, _, let variable), .export(let other, _, let another)):
        module == other && variable == another
      case (.namespace(let module, let variable), .namespace(let other, let another)):
        module == other && variable == another
      case (.ambiguous, .ambiguous): true
      default: false
      }
    }
  }

  /// A name of a module.
  struct Place: Hashable {
    let module: Int
    let name: String
  }

  private let records: [ModuleReader.Record]
  /// What the requests of each module led to, by the specifier with its type.
  let targets: [[String: Int]]
  /// Where the export of each name stands in its module's list.
  private let places: [[String: Int]]
  /// What each `export *` of a module names, in their order.
  private var stars: [[Int]] = []
  private let stack = StackSpace()
  private var found: [[String: Target?]]
  private var allNames: [[String]?]

  init(_ records: [ModuleReader.Record] = [], _ targets: [[String: Int]] = []) {
    (self.records, self.targets) = (records, targets)
    places = records.map { Self.places(of: $0.syntax.exports) }
    found = Array(repeating: [:], count: records.count)
    allNames = Array(repeating: nil, count: records.count)
    stars = records.indices.map { index in
      records[index].syntax.exports.compactMap { export in
        if case .star(let request) = export { target(index, request) } else { nil }
      }
    }
  }

  private static func places(of exports: [ModuleSyntax.Export]) -> [String: Int] {
    var places: [String: Int] = [:]
    for (place, export) in exports.enumerated() {
      switch export {
      case .local(let name, _, _), .other(let name, _, _, _): places[name] = places[name] ?? place
      case .star: continue
      }
    }
    return places
  }

  /// What a request of a module led to.
  func target(_ module: Int, _ request: Int) -> Int? {
    let requests = records[module].syntax.requests
    return request < requests.count ? targets[module][requests[request].key] : nil
  }

  /// The names that a module gives without those of `export *`.
  func own(of module: Int) -> some Sequence<String> { places[module].keys }

  private func isModule(_ index: Int) -> Bool { records[index].module.kind == .module }

  // MARK: - What a name stands for

  /// A search, and what it has been at: a circle leads there again.
  private struct Search {
    var depth = 0
    /// How deep what is being looked at stands; -1 for what has been looked at.
    var seen: [Place: Int] = [:]
  }

  /// What an exported name of a module stands for; nil for nothing.
  mutating func resolve(_ module: Int, _ name: String) -> Target? {
    var search = Search()
    return resolve(module, name, &search).target
  }

  /// - Returns: also how deep the outermost stands that a circle led to, -1 where it led to what had been
  ///   left without an answer, -2 where modules stand too deep. Where it is not further out than the place
  ///   itself, the answer is one for every asker.
  private mutating func resolve(_ module: Int, _ name: String, _ search: inout Search)
    -> (target: Target?, outermost: Int)
  {
    switch records[module].module.kind {
    case .module: break
    case .commonJS, .json: return (.export(module: module, name: name, variable: name), .max)
    case .jsonModule, .text, .bytes:
      return (name == "default" ? .export(module: module, name: name, variable: name) : nil, .max)
    }
    if let known = found[module][name] { return (known, .max) }
    // So many modules in a row give names on that none can be told.
    guard stack.hasRoom else { return (nil, -2) }
    let place = Place(module: module, name: name)
    if let depth = search.seen[place] { return (nil, depth) }
    let depth = search.depth
    search.seen[place] = depth
    search.depth += 1
    let answer = resolveInside(module, name, &search)
    search.depth -= 1
    search.seen[place] = -1
    if answer.outermost >= depth || depth == 0 {
      if answer.outermost >= -1 { found[module][name] = .some(answer.target) }
      return (answer.target, .max)
    }
    return answer
  }

  private mutating func resolveInside(_ module: Int, _ name: String, _ search: inout Search)
    -> (target: Target?, outermost: Int)
  {
    guard let place = places[module][name] else {
      return name == "default" ? (nil, .max) : resolveByStars(module, name, &search)
    }
    switch records[module].syntax.exports[place] {
    case .star: return (nil, .max)
    case .local(_, let variable, _): return (.export(module: module, name: name, variable: variable), .max)
    case .other(_, let request, let meant, _):
      guard let source = target(module, request) else { return (nil, .max) }
      switch meant {
      case .export(let other): return resolve(source, other, &search)
      case .namespace: return (.namespace(module: source, variable: nil), .max)
      case .ownNamespace(let local):
        return (.namespace(module: source, variable: Place(module: module, name: local)), .max)
      }
    }
  }

  private mutating func resolveByStars(_ module: Int, _ name: String, _ search: inout Search)
    -> (target: Target?, outermost: Int)
  {
    var (found, inCommonJS): (Target?, Target?)
    var outermost = Int.max
    for source in stars[module] {
      guard isModule(source) else {
        // What such a module gives is known when it has run.
        inCommonJS = inCommonJS ?? .export(module: source, name: name, variable: name)
        continue
      }
      let other = resolve(source, name, &search)
      outermost = min(outermost, other.outermost)
      guard let target = other.target else { continue }
      if target == .ambiguous || (found.map { $0 != target } ?? false) { return (.ambiguous, outermost) }
      found = target
    }
    return (found ?? inCommonJS, outermost)
  }

  // MARK: - All names

  /// All names that a module gives, by UTF-16 units, as namespaces order them (ECMA-262, 10.4.6.12).
  mutating func all(of module: Int) -> [String] {
    if let known = allNames[module] { return known }
    var names: Set<String> = []
    var seen: Set<Int> = [module]
    var waiting = [module]
    while let next = waiting.popLast() {
      for name in places[next].keys where next == module || name != "default" { names.insert(name) }
      for source in stars[next] where isModule(source) && seen.insert(source).inserted {
        waiting.append(source)
      }
    }
    let sorted = names.sorted(by: Self.precedes)
    allNames[module] = sorted
    return sorted
  }

  private static func precedes(_ left: String, _ right: String) -> Bool {
    left.utf16.lexicographicallyPrecedes(right.utf16)
  }

  /// The modules that are none of the language, and whose names a module gives on, also through others.
  func commonJS(starredBy module: Int) -> [Int] {
    var found: [Int] = []
    var seen: Set<Int> = [module]
    var waiting = [module]
    while let next = waiting.popLast() {
      for source in stars[next].reversed() where isModule(source) && seen.insert(source).inserted {
        waiting.append(source)
      }
      for source in stars[next] where !isModule(source) && seen.insert(source).inserted {
        found.append(source)
      }
    }
    return found
  }
}

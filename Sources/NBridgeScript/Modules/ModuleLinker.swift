// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import NBridgeSystem

/// Links modules: says which name of each stands for which of another's (``ModuleNames``), and tells what
/// none stands for.
struct ModuleLinker {
  private var records: [ModuleReader.Record] = []
  /// The modules by what esbuild calls them.
  private var indices: [String: Int] = [:]
  /// What each module is called by esbuild.
  private var ids: [String] = []
  private var names = ModuleNames()
  private let known: [String: ModuleReader.Record]
  private let links: ModuleLinks
  private let paths: DisplayPath
  private(set) var problems: [LocatedProblem] = []

  init(_ known: [String: ModuleReader.Record], _ links: ModuleLinks, _ paths: DisplayPath) {
    (self.known, self.links, self.paths) = (known, links, paths)
  }

  mutating func link(from entry: String) throws(BundleError) -> ModuleGraph {
    collect(from: entry)
    var graph = ModuleGraph()
    for index in records.indices { graph.modules.append(linked(index)) }
    guard problems.isEmpty else { throw BundleError(problems.map(\.problem)) }
    let circles = ModuleCircles(graph.modules)
    for index in records.indices where circles.mayBeCalledEarly[index] {
      graph.modules[index].linkEarly(records[index].syntax)
    }
    return graph
  }

  /// All modules that can be reached, each before those that it asks for.
  private mutating func collect(from entry: String) {
    let found = links.targets(full)
    var waiting = [entry]
    var at = 0
    while at < waiting.count {
      let id = waiting[at]
      at += 1
      guard indices[id] == nil, let record = known[id] else { continue }
      indices[id] = records.count
      ids.append(id)
      records.append(record)
      waiting += Set(found[id, default: [:]].values).sorted()
    }
    var targets: [[String: Int]] = Array(repeating: [:], count: records.count)
    for (id, index) in indices {
      for (name, path) in found[id, default: [:]] { targets[index][name] = indices[path] }
    }
    names = ModuleNames(records, targets)
  }
}

extension ModuleLinker {
  /// What each module can't do without: what its declarations led to, and calls of `require` where those
  /// count.
  func needs(withCalls: (String) -> Bool) -> [String: [String]] {
    let found = links.targets(full)
    let required = links.targets(full) { $0.kind == "require-call" }
    return known.reduce(into: [:]) { needs, item in
      let declared = item.value.syntax.requests.filter { $0.kind == .declaration }
      needs[item.key] = declared.compactMap { found[item.key]?[$0.key] }
      if withCalls(item.key) { needs[item.key]? += required[item.key, default: [:]].values }
    }
  }

  /// What esbuild calls a module, from what its list does: files are named from the working folder.
  private func full(_ path: String) -> String {
    if known[path] != nil { return path }
    return ModuleHooks.id("file", paths.absolute(path))
  }

  // MARK: - Modules

  private mutating func linked(_ index: Int) -> ModuleGraph.Module {
    var module = records[index].module
    module.calls = names.targets[index]
    guard module.kind == .module else { return module }
    let syntax = records[index].syntax
    for (place, request) in syntax.requests.enumerated() where request.kind == .declaration {
      guard let need = names.target(index, place) else {
        add("\"\(request.specifier)\" leads to nothing that can be loaded", in: index, at: request.literal)
        problems[problems.count - 1].isConsequence = true
        continue
      }
      if !module.needs.contains(need) { module.needs.append(need) }
    }
    module.stars = names.commonJS(starredBy: index)
    module.imports = syntax.imports.compactMap { imported(index, $0) }
    module.names = names.all(of: index).compactMap { exported(index, $0) }
    checkExports(index)
    return module
  }

  private mutating func exported(_ index: Int, _ name: String) -> ModuleGraph.Export? {
    switch names.resolve(index, name) {
    case .export(let module, let other, _): .init(exported: name, module: module, name: other)
    case .namespace(let module, _): .init(exported: name, module: module, name: nil)
    case .ambiguous, nil: nil
    }
  }

  private mutating func imported(_ index: Int, _ item: ModuleSyntax.Import) -> ModuleGraph.Import? {
    guard let source = names.target(index, item.request) else { return nil }
    guard case .export(let name) = item.name else {
      return .init(local: item.local, module: source, name: nil)
    }
    switch names.resolve(source, name) {
    case .export(let module, let other, _):
      // Whether such a module gives the name, is known when it has run.
      if records[module].module.kind == .commonJS, mayBeType(item, in: index) { return nil }
      return .init(local: item.local, module: module, name: other)
    case .namespace(let module, _): return .init(local: item.local, module: module, name: nil)
    case nil where mayBeType(item, in: index): return nil
    case let missing:
      miss(name, from: source, in: index, item.range, isAmbiguous: missing == .ambiguous)
      return nil
    }
  }

  /// Whether it may be a type that is only given on; what was TypeScript may do that.
  private func mayBeType(_ item: ModuleSyntax.Import, in index: Int) -> Bool {
    records[index].hadTypes && !records[index].syntax.references.contains { $0.name == item.local }
  }

  /// A name that is given on must stand for something; in what was TypeScript it may have been a type.
  private mutating func checkExports(_ index: Int) {
    guard !records[index].hadTypes else { return }
    for case .other(let exported, let request, .export(let name), let range) in records[index].syntax.exports
    {
      guard let source = names.target(index, request) else { continue }
      let found = names.resolve(index, exported)
      guard found == nil || found == .ambiguous else { continue }
      miss(name, from: source, in: index, range, isAmbiguous: found == .ambiguous)
    }
  }

  private mutating func miss(
    _ name: String, from source: Int, in index: Int, _ range: Range<Int>, isAmbiguous: Bool
  ) {
    let file = records[source].module.url
    add(
      isAmbiguous
        ? "Ambiguous import \"\(name)\" has multiple matching exports in \"\(file)\""
        : "No matching export in \"\(file)\" for import \"\(name)\"\(nearExport(name, in: source))",
      in: index, at: range)
  }

  /// Notes what is wrong at a place of a module's text.
  private mutating func add(_ message: String, in index: Int, at range: Range<Int>) {
    let module = records[index].module
    let registry = SourceRegistry()
    module.note(in: registry, PreparedScript(untouched: module.scriptSource))
    let place = TextPlace(range.lowerBound, in: module.source)
    let frame = StackFrame("@\(module.url):\(place.line):\(place.column)").flatMap(registry.authored)
    var problem = BundleError.Problem(
      message: message, file: module.url, line: frame?.line ?? place.line,
      column: frame?.column ?? place.column)
    problem.lineText = registry.line(frame?.url ?? module.url, problem.line).map(String.init) ?? ""
    problem.isSyntax = true
    problems.append(LocatedProblem(module: ids[index], problem))
  }

  private func nearExport(_ name: String, in source: Int) -> String {
    NearestName.of(name, among: names.own(of: source).sorted()).map { "; did you mean \"\($0)\"?" } ?? ""
  }
}

extension ModuleSyntax.Request {
  /// The specifier with the type that attributes give: two types are two modules.
  var key: String { type.map { specifier + ImportScan.typeMark + $0 } ?? specifier }
}

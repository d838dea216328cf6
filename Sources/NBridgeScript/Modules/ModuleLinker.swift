// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import NBridgeSystem

/// Finds what each name of each module stands for (ECMA-262, 16.2.1.7: ResolveExport, GetExportedNames), and
/// tells what none stands for.
struct ModuleLinker {
  /// What a name stands for.
  private enum Target: Equatable {
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
  private struct Place: Hashable {
    let module: Int
    let name: String
  }

  private var records: [ModuleReader.Record] = []
  /// The modules by what esbuild calls them.
  private var indices: [String: Int] = [:]
  /// Where the export of each name stands in its module's list.
  private var exportPlaces: [[String: Int]] = []
  /// What the requests of each module led to, by the specifier with its type.
  private var targets: [[String: Int]] = []
  private var known: [String: ModuleReader.Record]
  private let links: ModuleLinks
  private let paths: DisplayPath
  private let stack = StackSpace()
  private var problems: [BundleError.Problem] = []

  /// What a package's "browser" map takes out.
  private static let nothing = "nothing"

  init(_ known: [String: ModuleReader.Record], _ links: ModuleLinks, _ paths: DisplayPath) {
    (self.known, self.links, self.paths) = (known, links, paths)
    let empty = ModuleGraph.Module(kind: .commonJS, path: Self.nothing, url: Self.nothing, source: "")
    self.known[Self.nothing] = ModuleReader.Record(module: empty)
  }

  mutating func link(from entry: String) throws(BundleError) -> ModuleGraph {
    collect(from: entry)
    var graph = ModuleGraph()
    for index in records.indices { graph.modules.append(linked(index)) }
    guard problems.isEmpty else { throw BundleError(problems) }
    let circles = ModuleCircles(graph.modules)
    for index in records.indices where circles.mayBeCalledEarly[index] {
      graph.modules[index].linkEarly(records[index].syntax)
    }
    return graph
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
      records.append(record)
      waiting += Set(found[id, default: [:]].values).sorted()
    }
    exportPlaces = records.map { Self.places(of: $0.syntax.exports) }
    targets = Array(repeating: [:], count: records.count)
    for (id, index) in indices {
      for (name, path) in found[id, default: [:]] { targets[index][name] = indices[path] }
    }
  }
}

extension ModuleLinker {
  /// What esbuild calls a module, from what its list does: files are named from the working folder.
  private func full(_ path: String) -> String {
    if known[path] != nil { return path }
    if path.hasPrefix("(disabled):") { return Self.nothing }
    return ModuleHooks.id("file", paths.absolute(path))
  }

  private func target(_ module: Int, _ request: Int) -> Int? {
    let requests = records[module].syntax.requests
    return request < requests.count ? targets[module][requests[request].key] : nil
  }

  // MARK: - Names

  /// What an exported name of a module stands for; nil for nothing.
  private func resolve(_ module: Int, _ name: String, _ seen: inout Set<Place>) -> Target? {
    switch records[module].module.kind {
    case .module: break
    case .commonJS, .json: return .export(module: module, name: name, variable: name)
    case .jsonModule, .text, .bytes:
      return name == "default" ? .export(module: module, name: name, variable: name) : nil
    }
    // So many modules in a row give names on that none can be told.
    guard stack.hasRoom else { return nil }
    guard seen.insert(Place(module: module, name: name)).inserted else { return nil }
    guard let place = exportPlaces[module][name] else {
      return name == "default" ? nil : resolveByStars(module, name, &seen)
    }
    switch records[module].syntax.exports[place] {
    case .star: return nil
    case .local(_, let variable, _): return .export(module: module, name: name, variable: variable)
    case .other(_, let request, let meant, _):
      guard let source = target(module, request) else { return nil }
      switch meant {
      case .export(let other): return resolve(source, other, &seen)
      case .namespace: return .namespace(module: source, variable: nil)
      case .ownNamespace(let local):
        return .namespace(module: source, variable: Place(module: module, name: local))
      }
    }
  }

  private func resolveByStars(_ module: Int, _ name: String, _ seen: inout Set<Place>) -> Target? {
    var found: Target?
    var inCommonJS: Target?
    for case .star(let request) in records[module].syntax.exports {
      guard let source = target(module, request) else { continue }
      guard records[source].module.kind == .module else {
        // What such a module gives is known when it has run.
        inCommonJS = inCommonJS ?? .export(module: source, name: name, variable: name)
        continue
      }
      guard let other = resolve(source, name, &seen) else { continue }
      if other == .ambiguous || (found.map { $0 != other } ?? false) { return .ambiguous }
      found = other
    }
    return found ?? inCommonJS
  }

  private func resolve(_ module: Int, _ name: String) -> Target? {
    var seen: Set<Place> = []
    return resolve(module, name, &seen)
  }

  /// All names that a module gives.
  private func names(_ module: Int, _ seen: inout Set<Int>) -> Set<String> {
    guard seen.insert(module).inserted, stack.hasRoom else { return [] }
    var names: Set<String> = []
    for export in records[module].syntax.exports {
      switch export {
      case .local(let name, _, _), .other(let name, _, _, _): names.insert(name)
      case .star(let request):
        guard let source = target(module, request) else { continue }
        names.formUnion(self.names(source, &seen).subtracting(["default"]))
      }
    }
    return names
  }

  // MARK: - Modules

  private mutating func linked(_ index: Int) -> ModuleGraph.Module {
    var module = records[index].module
    module.calls = targets[index]
    guard module.kind == .module else { return module }
    let syntax = records[index].syntax
    for (place, request) in syntax.requests.enumerated() where request.kind == .declaration {
      guard let need = target(index, place) else {
        add("\"\(request.specifier)\" leads to nothing that can be loaded", in: index, at: request.literal)
        continue
      }
      if !module.needs.contains(need) { module.needs.append(need) }
    }
    for case .star(let request) in syntax.exports {
      guard let star = target(index, request), records[star].module.kind != .module else { continue }
      module.stars.append(star)
    }
    module.imports = syntax.imports.compactMap { imported(index, $0) }
    var seen: Set<Int> = []
    module.names = names(index, &seen).sorted(by: Self.precedes).compactMap { exported(index, $0) }
    checkExports(index)
    return module
  }

  /// By UTF-16 units, as namespaces order their names (ECMA-262, 10.4.6.12).
  private static func precedes(_ left: String, _ right: String) -> Bool {
    left.utf16.lexicographicallyPrecedes(right.utf16)
  }

  private func exported(_ index: Int, _ name: String) -> ModuleGraph.Export? {
    switch resolve(index, name) {
    case .export(let module, let other, _): .init(exported: name, module: module, name: other)
    case .namespace(let module, _): .init(exported: name, module: module, name: nil)
    case .ambiguous, nil: nil
    }
  }

  private mutating func imported(_ index: Int, _ item: ModuleSyntax.Import) -> ModuleGraph.Import? {
    guard let source = target(index, item.request) else { return nil }
    guard case .export(let name) = item.name else {
      return .init(local: item.local, module: source, name: nil)
    }
    switch resolve(source, name) {
    case .export(let module, let other, _): return .init(local: item.local, module: module, name: other)
    case .namespace(let module, _): return .init(local: item.local, module: module, name: nil)
    case let missing:
      // A type that is only given on; what was TypeScript may do that.
      let isUsed = records[index].syntax.references.contains { $0.name == item.local }
      if missing == nil, records[index].hadTypes, !isUsed { return nil }
      miss(name, from: source, in: index, item.range, isAmbiguous: missing == .ambiguous)
      return nil
    }
  }

  /// A name that is given on must stand for something; in what was TypeScript it may have been a type.
  private mutating func checkExports(_ index: Int) {
    guard !records[index].hadTypes else { return }
    for case .other(let exported, let request, .export(let name), let range) in records[index].syntax.exports
    {
      guard let source = target(index, request) else { continue }
      let found = resolve(index, exported)
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
    problems.append(problem)
  }

  private func nearExport(_ name: String, in source: Int) -> String {
    NearestName.of(name, among: exportPlaces[source].keys.sorted()).map { "; did you mean \"\($0)\"?" } ?? ""
  }
}

extension ModuleSyntax.Request {
  /// The specifier with the type that attributes give: two types are two modules.
  var key: String { type.map { specifier + ImportScan.typeMark + $0 } ?? specifier }
}

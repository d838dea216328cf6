// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import NBridgeSystem

/// Finds the modules of a program, and links them. Debian's esbuild finds what a name means, over the
/// protocol that esbuild's own JavaScript half speaks: that one lets us answer for each file and name. It
/// sees no module whole, only what is asked for (``ModuleSkeleton``), and takes types and JSX off.
package struct ModuleLoader {
  private let request: ModuleRequest
  private let paths: DisplayPath
  private var hooks: ModuleHooks
  /// What is wrong, as far as it was found.
  private var problems: [LocatedProblem] = []
  private var faults = ModuleFaults()
  /// Scripts that esbuild is to see no more of than what they ask for.
  private var misread: Set<String> = []
  /// What the modules are linked by, once they have been.
  private var linker: ModuleLinker?

  package init(_ request: ModuleRequest) {
    self.request = request
    paths = DisplayPath(folder: request.workingFolder)
    hooks = ModuleHooks(request, paths)
  }

  /// The program, without what only calls ask for and find missing or wrong: that is each call's problem.
  /// Throws ``BundleError`` with every problem that it found.
  package static func load(_ request: ModuleRequest) throws(BundleError) -> ModuleGraph {
    try found(request).graph
  }

  /// The program, and the problems of what only calls of `import` ask for; those of `require` are the
  /// program's.
  package static func check(_ request: ModuleRequest) throws(BundleError) -> (
    graph: ModuleGraph, problemsOfCalls: [BundleError.Problem]
  ) {
    let (graph, problems, loader) = try found(request)
    let essential = loader.essential(problems, withRequires: true)
    guard essential.isEmpty else { throw BundleError(essential) }
    return (graph, BundleError.told(problems))
  }

  private static func found(_ request: ModuleRequest) throws(BundleError) -> (
    graph: ModuleGraph, problems: [LocatedProblem], loader: Self
  ) {
    var leftOut = ModuleFaults()
    var problems: [LocatedProblem] = []
    var opaque: Set<String> = []
    while true {
      var loader = ModuleLoader(request)
      loader.hooks.reader.opaque = opaque
      loader.hooks.leftOut = leftOut
      loader.hooks.reader.followsCalls = !leftOut.isUnknown
      do {
        let graph = try loader.run(EsbuildSession())
        return (graph, problems + loader.problems, loader)
      } catch {
        if !loader.misread.isSubset(of: opaque) {
          opaque.formUnion(loader.misread)
          continue
        }
        problems += loader.problems
        var more = leftOut
        more.add(loader.faults)
        // What is left out does not come again: else this would not end.
        guard more != leftOut, loader.canDoWithout(loader.faults) else {
          let essential = loader.essential(problems)
          let told = essential.isEmpty ? BundleError.told(problems) : essential
          throw told.isEmpty ? error : BundleError(told)
        }
        leftOut = more
      }
    }
  }

  /// Where the one name leads that a text asks for: a file's path in full, or the name of a module of the
  /// runtime. What is there is not read as a module, nor is what it asks for.
  package static func path(_ request: ModuleRequest) throws(BundleError) -> String {
    var loader = ModuleLoader(request)
    loader.hooks.onlyFinds = true
    let answer = try loader.build(EsbuildSession())
    try loader.demandNoProblems(answer)
    guard let path = loader.hooks.found else { throw BundleError("esbuild did not say where this leads") }
    return path
  }

  private mutating func run(_ esbuild: EsbuildSession) throws(BundleError) -> ModuleGraph {
    let answer = try build(esbuild)
    return try result(answer)
  }

  /// What esbuild says in the end.
  private mutating func build(_ esbuild: EsbuildSession) throws(BundleError) -> EsbuildValue {
    let build = try esbuild.ask(.object(build))
    while true {
      let packet = try esbuild.receive()
      if packet.isRequest {
        try esbuild.answer(packet, try hooks.answer(packet.value, esbuild))
      } else if packet.id == build {
        return packet.value
      }
    }
  }

  private var build: [String: EsbuildValue] {
    [
      "command": .string("build"), "key": .int(0), "entries": .array([]), "write": .bool(false),
      "flags": .array(flags.map { .string($0) }), "nodePaths": .array([]), "context": .bool(false),
      "stdinContents": .bytes(Array("import \"\(ModuleHooks.entry)\"".utf8)),
      "stdinResolveDir": .string(request.workingFolder), "absWorkingDir": .string(request.workingFolder),
      "plugins": .array([.object(plugin)]),
    ]
  }

  private var flags: [String] {
    [
      // Of what a package says for bundlers and browsers nothing holds, as in Node.
      "--bundle", "--format=esm", "--platform=neutral", "--main-fields=main", "--target=esnext",
      "--charset=utf8", "--define:process.env.NODE_ENV=\"development\"",
      "--outfile=\(request.workingFolder)/bundle.js", "--metafile",
      // A package may say that it has no side effects; imported for its effects alone, it still is to run.
      "--ignore-annotations", "--log-level=silent", "--log-limit=0",
    ]
  }

  private var plugin: [String: EsbuildValue] {
    let all: EsbuildValue = .object(["id": .int(1), "filter": .string(".*"), "namespace": .string("")])
    return [
      "name": .string("nbridge"), "onStart": .bool(false), "onEnd": .bool(false), "onResolve": .array([all]),
      "onLoad": .array([all]),
    ]
  }

  /// esbuild reads settings by itself, and what they lead to (package.json, tsconfig.json, .pnp.data.json):
  /// of a file that the program may not read nothing is told but its name.
  private func problem(of message: EsbuildValue) -> BundleError.Problem {
    let problem = BundleError.Problem(message, paths)
    let place = message["location"]
    guard let file = problem.file.map(paths.absolute), RealPath(file) != nil,
      (try? request.scope.read(file)) == nil
    else {
      return hooks.reader.authored(
        problem, id(place["file"].string ?? ""), column: place["column"].int ?? 0)
    }
    return BundleError.Problem(
      message:
        "esbuild takes this for settings, and the program may not read it; what it says of it is not shown",
      file: problem.file, line: 1, column: 1)
  }

  /// What a module is called, from what a message calls it.
  private func id(_ file: String) -> String {
    hooks.reader.modules[file] != nil ? file : ModuleHooks.id("file", paths.absolute(file))
  }

  private mutating func demandNoProblems(_ value: EsbuildValue) throws(BundleError) {
    problems = hooks.reader.problems
    faults = hooks.faults
    faults.modules.formUnion(problems.compactMap(\.module))
    for message in value["errors"].array {
      let module = message["location"]["file"].string.map(id)
      if let module, isMisread(message, in: module) {
        misread.insert(module)
        continue
      }
      let name = BundleError.missingName(message["text"].string ?? "")
      let asked = name.flatMap { name in module.map { AskedName(module: withoutSuffix($0), name: name) } }
      var found = LocatedProblem(module: module, problem(of: message))
      found.isOfCall = isOfCall(message, in: module, asked)
      problems.append(found)
      // What our answers said was noted then.
      guard (message["pluginName"].string ?? "").isEmpty else { continue }
      if let asked {
        faults.names.insert(asked)
      } else if let module, hooks.reader.modules[module] != nil {
        faults.modules.insert(module)
      } else {
        faults.isUnknown = true
      }
    }
    dropRightWords()
    guard problems.isEmpty else { throw BundleError(problems.map(\.problem)) }
    guard misread.isEmpty else { throw BundleError("esbuild reads a script for a module") }
    if let text = value["error"].string { throw BundleError("esbuild: \(text)") }
  }

  /// Of a script that is wrong esbuild tells also the words that it may use, as `static`.
  private mutating func dropRightWords() {
    let isWord = { (found: LocatedProblem) in
      found.problem.message.hasSuffix("cannot be used with the \"esm\" output format due to strict mode")
    }
    let others = Set(problems.filter { !isWord($0) }.compactMap(\.module))
    problems.removeAll { found in isWord(found) && found.module.map(others.contains) ?? false }
  }

  /// Whether esbuild takes for wrong what the engine runs: it reads each text as a module's, where names are
  /// reserved that a script may have (`package`), and what fails when it runs is wrong before.
  private func isMisread(_ message: EsbuildValue, in module: String) -> Bool {
    guard (message["pluginName"].string ?? "").isEmpty,
      BundleError.missingName(message["text"].string ?? "") == nil,
      let record = hooks.reader.modules[module], record.module.kind == .commonJS,
      !hooks.reader.opaque.contains(module)
    else { return false }
    return request.isFunctionBody(record.module.source)
  }

  private func withoutSuffix(_ id: String) -> String {
    String(id.dropLast(hooks.reader.modules[id]?.module.suffix.count ?? 0))
  }

  /// Whether a message is about what only a call asks for.
  private func isOfCall(_ message: EsbuildValue, in module: String?, _ asked: AskedName?) -> Bool {
    guard let module, let record = hooks.reader.modules[module] else { return false }
    guard record.module.kind == .module else { return asked.map { !hooks.required.contains($0) } ?? false }
    let place = message["location"]
    return ModuleSkeleton.isCall(
      record.module.source, record.syntax, line: place["line"].int ?? 0, column: place["column"].int ?? 0)
  }

  private mutating func result(_ value: EsbuildValue) throws(BundleError) -> ModuleGraph {
    try demandNoProblems(value)
    guard let text = value["metafile"].string,
      let links = try? Value(text: Array(text.utf8)).decode(ModuleLinks.self)
    else { throw BundleError("esbuild gave no list of modules") }
    // A module that needs one which is left out can't do without it, and is left out itself.
    var known = hooks.reader.modules
    while true {
      var linker = ModuleLinker(known, links, paths)
      self.linker = self.linker ?? linker
      do throws(BundleError) {
        var graph = try linker.link(from: hooks.entryID)
        graph.fingerprint = hooks.reader.fingerprint
        let isWhole = problems.isEmpty && hooks.leftOut.isEmpty
        if isWhole || !request.isLookup || !graph.modules[0].calls.isEmpty { return graph }
        faults.modules.insert(hooks.entryID)
        break
      } catch {
        problems += linker.problems
        let wrong = Set(linker.problems.compactMap(\.module))
        faults.modules.formUnion(wrong)
        guard !wrong.isEmpty, canDoWithout(ModuleFaults(modules: wrong)) else { throw error }
        for id in wrong { known[id] = nil }
      }
    }
    throw BundleError("this leads to nothing that can be loaded")
  }

  // MARK: - What is left out

  /// Whether the program can be put together without what is wrong.
  private func canDoWithout(_ faults: ModuleFaults) -> Bool {
    let entry = hooks.entryID
    guard !faults.isEmpty, hooks.reader.hasCalls, !faults.modules.contains(entry) else { return false }
    return !faults.names.contains { asked in
      asked.module == entry && (request.isLookup || hooks.reader.needs(asked))
    }
  }

  /// The problems of what the program can't do without.
  private func essential(_ problems: [LocatedProblem], withRequires: Bool = false) -> [BundleError.Problem] {
    guard let linker else { return BundleError.told(problems.filter { !$0.isOfCall }) }
    let entry = hooks.entryID
    let needs = linker.needs { id in withRequires || id == entry && request.isLookup }
    var seen: Set<String> = []
    var waiting = [entry]
    while let next = waiting.popLast() {
      if seen.insert(next).inserted { waiting += needs[next, default: []] }
    }
    return BundleError.told(problems.filter { !$0.isOfCall && $0.module.map(seen.contains) ?? true })
  }
}

extension BundleError {
  /// The problems themselves, without what is there because of others.
  static func told(_ problems: [LocatedProblem]) -> [Problem] {
    let causes = problems.filter { !$0.isConsequence }
    return (causes.isEmpty ? problems : causes).map(\.problem)
  }
}

/// Which files are modules, by their names.
package enum ModuleFile {
  /// Whether `import` takes a file of that name as it is.
  package static func isImportable(_ path: String) -> Bool { ModuleHooks.loader(for: path) != nil }
}

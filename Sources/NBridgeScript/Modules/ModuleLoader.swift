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

  package init(_ request: ModuleRequest) {
    self.request = request
    paths = DisplayPath(folder: request.workingFolder)
    hooks = ModuleHooks(request, paths)
  }

  /// Throws ``BundleError`` with every problem that it found.
  package static func load(_ request: ModuleRequest) throws(BundleError) -> ModuleGraph {
    var loader = ModuleLoader(request)
    do { return try loader.run(EsbuildSession()) } catch {
      // What only a call asks for is the call's problem.
      guard request.mayFailInCalls, loader.hooks.reader.hasCalls else { throw error }
      loader = ModuleLoader(request)
      loader.hooks.reader.followsCalls = false
      return try loader.run(EsbuildSession())
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
      "--bundle", "--format=esm", "--platform=browser", "--target=esnext", "--charset=utf8",
      "--outfile=\(request.workingFolder)/bundle.js", "--main-fields=browser,module,main", "--metafile",
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
    guard let file = problem.file.map(paths.absolute), RealPath(file) != nil,
      (try? request.scope.read(file)) == nil
    else { return hooks.reader.authored(problem, id(message["location"]["file"].string ?? "")) }
    return BundleError.Problem(
      message:
        "esbuild takes this for settings, and the program may not read it; what it says of it is not shown",
      file: problem.file, line: 1, column: 1)
  }

  /// What a module is called, from what a message calls it.
  private func id(_ file: String) -> String {
    hooks.reader.modules[file] != nil ? file : ModuleHooks.id("file", paths.absolute(file))
  }

  private func demandNoProblems(_ value: EsbuildValue) throws(BundleError) {
    let errors = value["errors"].array
    let problems = hooks.reader.problems + errors.map(problem(of:))
    guard problems.isEmpty else { throw BundleError(problems) }
    if let text = value["error"].string { throw BundleError("esbuild: \(text)") }
  }

  private func result(_ value: EsbuildValue) throws(BundleError) -> ModuleGraph {
    try demandNoProblems(value)
    guard let text = value["metafile"].string,
      let links = try? Value(text: Array(text.utf8)).decode(ModuleLinks.self)
    else { throw BundleError("esbuild gave no list of modules") }
    var linker = ModuleLinker(hooks.reader.modules, links, paths)
    var graph = try linker.link(from: hooks.entryID)
    graph.fingerprint = hooks.reader.fingerprint
    return graph
  }
}

/// Which files are modules, by their names.
package enum ModuleFile {
  /// Whether `import` takes a file of that name as it is.
  package static func isImportable(_ path: String) -> Bool { ModuleHooks.loader(for: path) != nil }
}

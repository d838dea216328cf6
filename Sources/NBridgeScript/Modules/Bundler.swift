// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import NBridgeSystem

/// Puts a program of modules together with Debian's esbuild, over the protocol that esbuild's own JavaScript
/// half speaks. That one lets us answer for each file and name: import attributes, `import.meta`, import
/// maps.
package struct Bundler {
  private let request: BundleRequest
  private let paths: DisplayPath
  private var hooks: ModuleHooks

  package init(_ request: BundleRequest) {
    self.request = request
    paths = DisplayPath(folder: request.workingFolder)
    hooks = ModuleHooks(request, paths)
  }

  /// Runs esbuild. Throws ``BundleError`` with every problem that it found.
  package static func bundle(_ request: BundleRequest) throws(BundleError) -> Bundle {
    var bundler = Bundler(request)
    return try bundler.run(EsbuildProcess.start())
  }

  private mutating func run(_ esbuild: borrowing EsbuildProcess) throws(BundleError) -> Bundle {
    try esbuild.send(EsbuildPacket(id: 0, isRequest: true, value: .object(build)))
    while true {
      let packet = try esbuild.receive()
      guard packet.isRequest else { return try result(packet.value) }
      try esbuild.send(EsbuildPacket(id: packet.id, isRequest: false, value: hooks.answer(packet.value)))
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
      "--bundle", "--format=esm", "--platform=browser", "--target=es2022", "--charset=utf8",
      "--sourcemap=external",
      "--outfile=\(request.workingFolder)/bundle.js", "--main-fields=browser,module,main", "--metafile",
      // A package may say that it has no side effects; imported for its effects alone, it still is to run.
      "--ignore-annotations", "--log-level=silent", "--log-limit=0",
      "--log-override:import-is-undefined=error",
      // A name made at run time then comes to the bundle's `require`, which says what is wrong.
      "--supported:dynamic-import=false",
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
    else { return problem }
    return BundleError.Problem(
      message:
        "esbuild takes this for settings, and the program may not read it; what it says of it is not shown",
      file: problem.file, line: 1, column: 1)
  }

  private func result(_ value: EsbuildValue) throws(BundleError) -> Bundle {
    let errors = value["errors"].array
    guard errors.isEmpty else { throw BundleError(errors.map(problem(of:))) }
    if let text = value["error"].string { throw BundleError("esbuild: \(text)") }
    var texts: [Bool: String] = [:]
    for file in value["outputFiles"].array {
      guard let bytes = file["contents"].bytes, let path = file["path"].string else { continue }
      texts[path.hasSuffix(".map")] = String(decoding: bytes, as: UTF8.self)
    }
    guard let text = texts[false], let map = texts[true] else { throw BundleError("esbuild gave no bundle") }
    return Bundle(text: text, map: map, fingerprint: hooks.fingerprint)
  }
}

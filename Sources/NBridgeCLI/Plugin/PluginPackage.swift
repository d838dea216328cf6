// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import CNBridgeLinux
internal import Glibc
internal import NBridge
internal import NBridgeHost
internal import NBridgePlugin
internal import NBridgeSystem

/// A plugin's Swift package: how it is built and tested.
struct PluginPackage {
  let folder: String
  private let sdk: String

  /// The folder in a package where the built plugin is put, ready to be loaded or installed.
  static let product = ".build/plugin"

  init(_ path: String) throws {
    guard let real = Path.real(path), Path.isFolder(real) else {
      throw PluginProblem("there is no folder '\(path)'")
    }
    guard Path.exists(real + "/Package.swift"), Path.exists(real + "/plugin.json") else {
      throw PluginProblem(
        """
        '\(path)' is no plugin's package: it needs a Package.swift and a plugin.json; make one with: \
        nbridge plugin new NAME
        """
      )
    }
    folder = real
    sdk = try PluginPaths.sdk()
  }

  /// Builds the library with `swift build`, whose words go to the author as they come, and looks at what came
  /// out.
  func build(debug: Bool) throws -> PluginLibrary {
    let record = try PluginRecord.read(folder: folder)
    guard let library = record.library, library.hasPrefix("lib"), library.hasSuffix(".so") else {
      throw PluginProblem("'\(folder)/plugin.json' must name its \"library\", as \"libWeather.so\"")
    }
    let name = String(library.dropFirst(3).dropLast(3))
    let configuration = debug ? "debug" : "release"
    try swift(
      ["build", "-c", configuration, "--product", name] + Self.linkFlags(sdk, debug: debug), what: "the build"
    )
    return try collect("\(scratch)/\(configuration)/\(library)", record)
  }

  /// Where Swift's package manager puts what it makes: in the package, unless its own variable names a place.
  /// Packages that are built one after the other may share one, and so what they need of the SDK.
  private var scratch: String {
    let named = getenv("SWIFTPM_BUILD_DIR").map { String(cString: $0) } ?? ""
    return named.isEmpty ? folder + "/.build" : named
  }

  /// Runs the package's own tests with `swift test`, by the harness of the installation where that built one.
  func test() throws {
    let given = BuiltTesting(sdk: sdk, scratch: scratch)
    if given == nil { unsetenv(BuiltTesting.variable) } else { setenv(BuiltTesting.variable, "given", 1) }
    defer { unsetenv(BuiltTesting.variable) }
    try swift(["test"] + Self.cacheFlags + (given?.arguments ?? []), what: "the tests")
  }

  /// What the compiler makes of the system's headers, 60 MB, stands once for all plugins of a user, in
  /// `XDG_CACHE_HOME` or `~/.cache`.
  private static var cacheFlags: [String] {
    let named = getenv("XDG_CACHE_HOME").map { String(cString: $0) } ?? ""
    let home = getenv("HOME").map { String(cString: $0) } ?? ""
    guard !named.isEmpty || !home.isEmpty else { return [] }
    let cache = (named.isEmpty ? home + "/.cache" : named) + "/nbridge/headers"
    return ["-Xswiftc", "-module-cache-path", "-Xswiftc", cache]
  }

  /// A Swift runtime of its own and nothing to be seen but the entry: two plugins, and a plugin and its host,
  /// don't meet even when they were built by different compilers.
  private static func linkFlags(_ sdk: String, debug: Bool) -> [String] {
    let linker =
      ["--version-script=\(sdk)/Sources/CNBridgePlugin/plugin.map", "--gc-sections"] + (debug ? [] : ["-s"])
    return ["--static-swift-stdlib", "-Xswiftc", "-static-stdlib", "-Xswiftc", "-use-ld=lld"]
      + linker.flatMap { ["-Xlinker", $0] }
  }

  private func swift(_ arguments: [String], what: String) throws {
    setenv("NBRIDGE_SDK", sdk, 1)
    let child: ChildProcess
    do {
      child = try ChildProcess.start(
        "swift", arguments.prefix(1) + ["--package-path", folder] + arguments.dropFirst())
    } catch {
      throw PluginProblem(
        error.code == ENOENT
          ? """
          'swift' is not there: a plugin is built by a Swift toolchain (https://www.swift.org/install/linux/)
          """
          : "'swift' can't be started: \(error.reason)")
    }
    let status = child.wait()
    guard status == 0 else {
      throw PluginProblem("\(what) of '\(folder)' failed (status \(status)); see above")
    }
  }

  /// Puts the library, its record and its page together, and opens the library: what can't be loaded is told
  /// now.
  private func collect(_ library: String, _ record: PluginRecord) throws -> PluginLibrary {
    let target = folder + "/" + Self.product
    try Path.makeFolders(target)
    let name = Path.name(library)
    guard let bytes = try SmallFile.read(library, followsLinks: true) else {
      throw PluginProblem(
        "the build made no '\(library)'; plugin.json's \"library\" must be a product of Package.swift")
    }
    try SmallFile.replace("\(target)/\(name)", with: bytes)
    let opened = try PluginLibrary(path: "\(target)/\(name)")
    guard opened.service == record.service else {
      throw PluginProblem(
        """
        '\(folder)/plugin.json' says service '\(record.service)', but the plugin's manifest says \
        '\(opened.service)'
        """
      )
    }
    var record = record
    record.version = opened.version
    record.help = opened.help
    try PluginFiles.write(record, to: target)
    try PluginFiles.writeDescription(of: opened, to: target)
    // What the package manager made of `resources:`.
    let products = Path.parent(library)
    for bundle in Path.names(in: products) where bundle.hasSuffix(".resources") {
      try Path.makeFolders("\(target)/\(bundle)")
      try PluginFiles.copy("\(products)/\(bundle)", to: "\(target)/\(bundle)")
    }
    if let readme = try SmallFile.read(folder + "/README.md") {
      try SmallFile.replace(target + "/README.md", with: readme)
    }
    return opened
  }
}

/// Writes the files of plugins.
enum PluginFiles {
  static func write(_ record: PluginRecord, to folder: String) throws {
    try SmallFile.replace(folder + "/plugin.json", with: Array(try JSONText.pretty(record).utf8), mode: 0o644)
  }

  /// Keeps what a library tells of itself beside it, so that a start need not ask.
  static func writeDescription(of library: PluginLibrary, to folder: String) throws {
    guard let known = KnownDescription(library) else { return }
    try SmallFile.replace(
      "\(folder)/\(KnownDescription.file)", with: Value(encoding: known).text, mode: 0o644)
  }

  static func removeDescription(from folder: String) throws {
    let file = "\(folder)/\(KnownDescription.file)"
    guard unlink(file) == 0 || errno == ENOENT else {
      throw PluginProblem("can't remove '\(file)': \(SystemError.lastReason)")
    }
  }

  /// Where a plugin is put together before it takes its place.
  static func leftover(of service: String, in folder: String) -> String {
    "\(folder)/.\(service).\(getpid())"
  }

  /// Removes what installs that were killed left behind.
  static func clearLeftovers(of service: String, in folder: String) {
    for name in Path.names(in: folder) where name.hasPrefix(".\(service).") {
      guard let process = pid_t(name.dropFirst(service.utf8.count + 2)) else { continue }
      if kill(process, 0) != 0, errno == ESRCH { try? Path.remove("\(folder)/\(name)") }
    }
  }

  /// Puts what was made in the place of what is there, in one step, and removes that.
  static func exchange(_ made: String, _ target: String) throws {
    let failure = {
      PluginProblem("can't put it to '\(target)': \(SystemError.lastReason)")
    }
    if renameat2(AT_FDCWD, made, AT_FDCWD, target, UInt32(NB_RENAME_EXCHANGE)) == 0 {
      return try Path.remove(made)
    }
    guard errno == ENOENT, rename(made, target) == 0 else { throw failure() }
  }

  /// Copies a built plugin's files, with its folders of resources. No links.
  static func copy(_ source: String, to target: String) throws {
    for name in Path.names(in: source) where !Path.isLink("\(source)/\(name)") {
      if Path.isFolder("\(source)/\(name)") {
        try Path.makeFolders("\(target)/\(name)")
        try copy("\(source)/\(name)", to: "\(target)/\(name)")
      } else if let bytes = try SmallFile.read("\(source)/\(name)") {
        try SmallFile.replace("\(target)/\(name)", with: bytes, mode: 0o644)
      }
    }
  }
}

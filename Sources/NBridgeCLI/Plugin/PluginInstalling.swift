// SPDX-License-Identifier: MIT

internal import NBridge
internal import NBridgeHost
internal import NBridgePlugin
internal import NBridgeSystem
internal import NBridgeTerminal

/// `nbridge plugin install`.
enum PluginInstallCommand: Command {
  static let name = "plugin install"
  static let summary =
    "Puts a built plugin where scripts find it: this user's plugin folder, or an app's own."
  static let operands = "[FOLDER|ARCHIVE|URL]"
  static let options = [
    OptionSpec(
      "app", value: "DIR",
      "Puts it into plugins/ of the app in this folder, and names it in nbridge.lock beside its app.json.")
  ]
  static let notes = """
    An archive is a .tar.gz with what `plugin build` puts into .build/plugin:
      tar -czf weather.tar.gz -C .build/plugin .
    """
  static let examples: [(line: String, does: String)] = [
    ("nbridge plugin install .", "installs the plugin that was built in this folder"),
    ("nbridge plugin install https://example.com/weather.tar.gz", "installs one from an archive"),
    ("nbridge plugin install --app . ../Weather", "for the app in this folder only"),
    ("NBRIDGE_PLUGINS=/opt/plugins nbridge plugin install .", "installs it elsewhere"),
  ]

  static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
    let name = arguments.operands.first ?? "."
    let app = try arguments.last("app").map { try AppPlugins($0) }
    // One that can't be read is told before anything has changed.
    _ = try app?.lock()
    let source = try PluginSource(name)
    defer { source.remove() }
    let folder = try app?.folder ?? PluginPaths.installFolder()
    let installed = try PluginInstallation.install(source, to: folder)
    try app?.note(installed, from: source.origin)
    let output = StandardOutput()
    // The plugin's author wrote some of it, not the person at the terminal, who reads what it may do.
    let before = installed.before.map { " (it was \($0))" } ?? ""
    let line = "installed \(installed.service) \(installed.version) in \(installed.folder)\(before)"
    output.write(TextWidth.visible(line) + "\n")
    if !installed.needs.isEmpty {
      let list = installed.needs.map { TextWidth.visible("\($0)") }.joined(separator: ", ")
      output.write("it asks for \(list); programs grant it with --grant \(installed.service)\n")
    }
    output.flush()
    return .success
  }
}

/// `nbridge plugin restore`.
enum PluginRestoreCommand: Command {
  static let name = "plugin restore"
  static let summary = "Brings the plugins that an app's nbridge.lock names into its plugins folder."
  static let operands = "[DIR]"
  static let options: [OptionSpec] = []
  static let examples: [(line: String, does: String)] = [
    ("nbridge plugin restore", "for the app in this folder, as after a git clone")
  ]

  static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
    let app = try AppPlugins(arguments.operands.first ?? ".")
    let output = StandardOutput()
    let plugins = try app.lock().plugins
    if plugins.isEmpty {
      output.write("the app has no nbridge.lock that names a plugin: there is nothing to do\n")
    }
    for (service, entry) in plugins.sorted(by: { $0.key < $1.key }) {
      let isNew = try app.restore(service, entry)
      output.write(TextWidth.visible("\(isNew ? "restored" : "kept") \(service) \(entry.version)") + "\n")
      output.flush()
    }
    output.flush()
    return .success
  }
}

/// A plugin that was put into a plugin folder.
struct PluginInstallation {
  let service: String
  let version: String
  let needs: [PluginAccess]
  /// Where it lies.
  let folder: String
  /// The version that lay there before.
  let before: String?

  /// Puts a plugin beside its place first, then into it: a script that starts meanwhile finds the old one or
  /// the new one.
  ///
  /// - Parameter check: looks at the folder that was put together; what it throws leaves all as it was.
  static func install(
    _ source: PluginSource, to folder: String, check: (String) throws -> Void = { _ in }
  ) throws -> PluginInstallation {
    let record = try PluginRecord.read(folder: source.folder)
    try PluginNames.check(service: record.service)
    if BuiltInPlugins.services.contains(record.service) {
      throw PluginProblem("the service '\(record.service)' is built in; a plugin needs a name of its own")
    }
    try record.check(in: source.folder)
    try Path.makeFolders(folder)
    let target = "\(folder)/\(record.service)"
    let before = try? PluginRecord.read(folder: target)
    PluginFiles.clearLeftovers(of: record.service, in: folder)
    let made = PluginFiles.leftover(of: record.service, in: folder)
    try Path.makeFolders(made, mode: 0o755)
    do {
      try PluginFiles.copy(source.folder, to: made)
      try check(made)
      let copied = try PluginRecord.read(folder: made)
      try PluginFiles.writeDescription(of: copied.open(in: made), to: made)
      try PluginFiles.exchange(made, target)
      return PluginInstallation(
        service: copied.service, version: copied.version, needs: copied.isolation?.needs ?? [],
        folder: target, before: before?.version)
    } catch {
      try? Path.remove(made)  // the error that matters is the first
      throw error
    }
  }
}

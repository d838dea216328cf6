// SPDX-License-Identifier: MIT

internal import NBridge
internal import NBridgeHost
internal import NBridgePlugin
internal import NBridgeSystem
internal import NBridgeTerminal

/// `nbridge plugin list`.
enum PluginListCommand: Command {
  static let name = "plugin list"
  static let summary = "Lists the plugins that scripts can use, and where they come from."
  static let operands = ""
  static let options = [OptionSpec("json", "Prints a JSON array.")]
  static let examples: [(line: String, does: String)] = [
    ("nbridge plugin list", "built-in plugins, then installed ones")
  ]

  private struct Row: Codable {
    var service: String
    var version: String
    var help: String
    /// A folder, or `built in`.
    var place: String
    /// What it asks for beyond its app's container.
    var needs: [String]?
    var problem: String?
  }

  static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
    let builtIn = BuiltInPlugins.all().map { plugin in
      let manifest = type(of: plugin).manifest
      return Row(service: manifest.service, version: manifest.version, help: manifest.help, place: "built in")
    }
    var taken = Dictionary(uniqueKeysWithValues: builtIn.map { ($0.service, $0.place) })
    let installed = PluginPaths.installedHere.map { plugin in
      var row = row(plugin)
      if let other = taken.updateValue(plugin.folder, forKey: plugin.service) {
        row.problem = "the name is taken by '\(other)' too"
      }
      return row
    }
    let rows = builtIn + installed
    let output = StandardOutput()
    if arguments.has("json") {
      output.write(try JSONText.pretty(rows))
    } else {
      // What their authors wrote stays text on the user's terminal.
      let table = HelpTable.rows(
        rows.map { row in
          let needs = row.needs.map { $0.isEmpty ? "" : "  needs \($0.joined(separator: ", "))" } ?? ""
          let problem = row.problem.map { "  ! \($0)" } ?? ""
          return ("\(row.service) \(row.version)", "\(row.help)  [\(row.place)]\(needs)\(problem)")
        })
      output.write(TextWidth.visible(table))
    }
    output.flush()
    return .success
  }

  private static func row(_ plugin: InstalledPlugin) -> Row {
    do {
      let record = try plugin.record()
      try record.check(in: plugin.folder)
      return Row(
        service: record.service, version: record.version, help: record.help ?? "", place: plugin.folder,
        needs: record.isolation?.needs.map { "\($0)" })
    } catch {
      return Row(service: plugin.service, version: "?", help: "", place: plugin.folder, problem: "\(error)")
    }
  }
}

/// `nbridge plugin describe`.
enum PluginDescribeCommand: Command {
  static let name = "plugin describe"
  static let summary = "Tells what a plugin can do: its calls, their arguments, permissions and errors."
  static let operands = "SERVICE|FOLDER|LIBRARY"
  static let options = [OptionSpec("json", "Prints its declaration, the types as JSON Schema.")]
  static let examples: [(line: String, does: String)] = [
    ("nbridge plugin describe preference", "a Markdown table"),
    ("nbridge plugin describe --json ./Weather", "for other tools"),
  ]

  static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
    guard let name = arguments.operands.first else {
      throw UsageError("plugin describe needs a plugin: nbridge plugin describe preference")
    }
    let contract = try PluginContracts.find(name)
    let output = StandardOutput()
    if arguments.has("json") {
      output.write(try contract.json())
    } else {
      let page = "# \(contract.service) \(contract.version)\n\n\(contract.help)\n\n" + (try contract.table())
      // The plugin's author wrote it, not the person at the terminal.
      output.write(TextWidth.visible(page))
    }
    output.flush()
    return .success
  }
}

/// `nbridge plugin remove`.
enum PluginRemoveCommand: Command {
  static let name = "plugin remove"
  static let summary = "Removes an installed plugin from this user's plugin folder."
  static let operands = "SERVICE"
  static let options: [OptionSpec] = []
  static let examples: [(line: String, does: String)] = [("nbridge plugin remove weather", "removes it")]

  static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
    guard let service = arguments.operands.first else {
      throw UsageError("plugin remove needs a name: nbridge plugin remove weather")
    }
    try PluginNames.check(service: service)
    let target = "\(try PluginPaths.installFolder())/\(service)"
    if BuiltInPlugins.services.contains(service), !Path.isFolder(target) {
      throw PluginProblem("'\(service)' is part of nbridge and can't be removed")
    }
    guard Path.isFolder(target) else {
      let names = InstalledPlugin.all(in: PluginPaths.folders).map(\.service)
      throw PluginProblem(
        "no plugin '\(service)' is installed\(NearestName.hint(for: service, among: names))")
    }
    try Path.remove(target)
    let output = StandardOutput()
    output.write("removed \(target)\n")
    output.flush()
    return .success
  }
}

/// Finds plugins by what a user calls them.
enum PluginContracts {
  /// A built-in or installed service, one of those named on the command line, or what stands at a path.
  static func find(_ name: String, _ paths: [String] = []) throws -> PluginContract {
    for path in paths {
      let named = try PluginPlace.open(path)
      if named.service == name { return PluginContract(named) }
    }
    if let plugin = BuiltInPlugins.all().first(where: { type(of: $0).manifest.service == name }) {
      return PluginContract(plugin)
    }
    let installed = PluginPaths.installedHere
    if let plugin = installed.first(where: { $0.service == name }) {
      return PluginContract(try plugin.open())
    }
    if name.hasSlash || name == "." || Path.exists(name) {
      return PluginContract(try PluginPlace.open(name))
    }
    let names = BuiltInPlugins.services + installed.map(\.service)
    throw UsageError("there is no plugin '\(name)'\(NearestName.hint(for: name, among: names))")
  }

  /// Every plugin: built in, named on the command line, installed. One that can't be opened is said and left
  /// out.
  static func all(_ paths: [String]) throws -> [PluginContract] {
    var contracts = BuiltInPlugins.all().map { PluginContract($0) }
    contracts += try paths.map { PluginContract(try PluginPlace.open($0)) }
    for plugin in PluginPaths.installedHere {
      if contracts.contains(where: { $0.service == plugin.service }) { continue }
      do { contracts.append(PluginContract(try plugin.open())) } catch {
        let text = "nbridge: '\(plugin.service)' is left out: \(error)"
        StandardOutput().writeError(TextWidth.visible(text) + "\n")
      }
    }
    return contracts
  }
}

// SPDX-License-Identifier: MIT

internal import AppPlugin
internal import Glibc
internal import NBridge
internal import NBridgeHost
internal import NBridgePlugin
internal import NBridgeScript

/// `nbridge app register`.
enum AppRegisterCommand: Command {
  static let name = "app register"
  static let summary = "Lets others open an app by the URL schemes that its app.json declares."
  static let operands = "[SCRIPT|FOLDER]"
  static let options: [OptionSpec] = []
  static let examples: [(line: String, does: String)] = [
    (
      "nbridge app register notes/", "registers the app in a folder, whose app.json names its \"main\" script"
    ),
    ("nbridge app register notes/main.js", "the same for a script with an app.json beside or above it"),
  ]

  static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
    let app = try AppFolder.app(at: arguments.operands.first ?? ".")
    try AppRegistry(try SharedPlaces.ofUser()).register(app)
    let output = StandardOutput()
    output.write("'\(app.id)' handles \(app.schemes.map { $0 + ":" }.joined(separator: ", ")) from now on\n")
    if let note = try DesktopEntry(app).install() { output.write(note + "\n") }
    output.flush()
    return .success
  }
}

/// `nbridge app unregister`.
enum AppUnregisterCommand: Command {
  static let name = "app unregister"
  static let summary = "Takes an app out again."
  static let operands = "ID|SCRIPT|FOLDER"
  static let options: [OptionSpec] = []
  static let examples: [(line: String, does: String)] = [
    ("nbridge app unregister com.example.notes", "by its id")
  ]

  static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
    guard let name = arguments.operands.first else {
      throw UsageError("unregister which app? nbridge app list shows them")
    }
    let registry = AppRegistry(try SharedPlaces.ofUser())
    let known = registry.all()
    let id = known.contains { $0.id == name } ? name : (try? AppFolder.app(at: name).id) ?? name
    guard let app = known.first(where: { $0.id == id }), registry.unregister(id) else {
      let near = NearestName.of(name, among: known.map(\.id)).map { "; did you mean '\($0)'?" } ?? ""
      throw HandOverProblem("no app '\(name)' is registered\(near)")
    }
    DesktopEntry(app).remove()
    let output = StandardOutput()
    output.write("'\(id)' is not registered any more\n")
    output.flush()
    return .success
  }
}

/// `nbridge app list`.
enum AppListCommand: Command {
  static let name = "app list"
  static let summary = "Lists the apps that can be opened by a URL."
  static let operands = ""
  static let options = [OptionSpec("json", "Prints a JSON array.")]
  static let examples: [(line: String, does: String)] = [("nbridge app list", "ids, schemes and scripts")]

  static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
    let apps = AppRegistry(try SharedPlaces.ofUser()).all()
    let output = StandardOutput()
    defer { output.flush() }
    if arguments.has("json") {
      output.write(try JSONText.pretty(apps))
    } else if apps.isEmpty {
      output.write("no app is registered; 'nbridge app register FOLDER' does it\n")
    } else {
      output.write(
        HelpTable.rows(
          apps.map { app in
            let isThere = access(app.script, R_OK) == 0
            let schemes = app.schemes.map { $0 + ":" }.joined(separator: " ")
            return (app.id, "\(schemes)  \(app.script)\(isThere ? "" : "  (is not there any more)")")
          }))
    }
    return .success
  }
}

/// An app on disk: a folder or script with an `app.json`.
enum AppFolder {
  static func app(at path: String) throws -> RegisteredApp {
    let script = try AppScript.named(by: path)
    guard let real = Path.real(script) else { throw HandOverProblem("there is no script '\(script)'") }
    var options = RuntimeOptions()
    let manifest = try AppManifest.find(forScript: real, explicit: nil)
    guard let folder = manifest.folder else {
      throw HandOverProblem(
        "'\(script)' has no app.json beside or above it, which would declare \"id\" and \"schemes\"")
    }
    try manifest.apply(to: &options) { PermissionSet(manifest.permissionList).services }
    guard manifest.hasID else {
      throw HandOverProblem("'\(folder)/app.json' has no \"id\", by which the app would be known")
    }
    guard !options.schemes.isEmpty else {
      throw HandOverProblem("'\(folder)/app.json' declares no URL scheme; add \"schemes\": [\"my-scheme\"]")
    }
    var schemes: [String] = []
    for scheme in options.schemes.map({ $0.lowercased() }) where !schemes.contains(scheme) {
      schemes.append(scheme)
    }
    return RegisteredApp(
      id: options.app.id, name: options.app.name, schemes: schemes, script: real,
      program: Path.real("/proc/self/exe") ?? "nbridge")
  }
}

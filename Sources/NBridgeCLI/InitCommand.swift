// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridge
internal import NBridgeHost
internal import NBridgePlugin
internal import NBridgeSystem

/// `nbridge init`: makes a folder a project that runs.
enum InitCommand: Command {
  static let name = "init"
  static let summary = "Makes a project: app.json, types, an example with its test, settings of editors."
  static let operands = "[FOLDER]"
  static let options: [OptionSpec] = []
  static let notes = """
    Makes app.json, tsconfig.json, nbridge.d.ts, .gitignore, .vscode/ and, where no script is, main.ts with
    greeting.ts and its test. What is there stays as it is. After a new plugin, or another version of nbridge:
    nbridge types > nbridge.d.ts
    """
  static let examples: [(line: String, does: String)] = [
    ("nbridge init notes", "makes notes/; then: cd notes && nbridge run main.ts && nbridge test"),
    ("nbridge init", "adds what is missing in this folder"),
  ]

  static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
    let folder = arguments.operands.first ?? "."
    guard !folder.isEmpty else { throw UsageError("init needs a folder's name, not an empty one") }
    if Path.exists(folder), !Path.isFolder(folder) {
      throw ProjectProblem("'\(folder)' is a file, and no folder that a project could lie in")
    }
    // Asked for first: what fails must leave nothing behind.
    let declarations = try TypesCommand.declarations(try PluginContracts.all([]))
    try Path.makeFolders(folder)
    let project = ProjectTemplate(
      name: name(of: folder), main: main(in: folder), declarations: declarations)
    let output = StandardOutput()
    defer { output.flush() }
    var hasMadeApp = false
    for file in try project.files() {
      let path = folder == "." ? file.path : (folder.hasSuffix("/") ? folder : folder + "/") + file.path
      let isMade = try make(path, file.text)
      output.write(isMade ? "made \(path)\n" : "kept \(path): it was there\n")
      if isMade, file.path == "app.json" { hasMadeApp = true }
    }
    output.write(next(folder, project, needsList: hasMadeApp && project.main != nil))
    return .success
  }

  private static func name(of folder: String) -> String {
    let name = Path.name(Path.real(folder) ?? folder)
    return name.isEmpty || name == "/" ? "app" : name
  }

  /// The script that a folder with scripts is started by; nil for a folder without any.
  private static func main(in folder: String) -> String? {
    let found = ScriptFolder.files([folder], where: ScriptFolder.isScript).files
    let names = ["main", "index"].flatMap { stem in ScriptFolder.endings.map { "\(stem).\($0)" } }
    if let main = names.first(where: { Path.exists("\(folder)/\($0)") }) { return main }
    return found.first.map { file in
      folder == "." ? file : String(file.dropFirst(folder.count + (folder.hasSuffix("/") ? 0 : 1)))
    }
  }

  /// Makes a file. Answers false when something is there, be it a link that leads nowhere.
  private static func make(_ path: String, _ text: String) throws -> Bool {
    try Path.makeFolders(Path.parent(path))
    do {
      let file = try Descriptor.open(path, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, mode: 0o644)
      try file.write(Array(text.utf8))
      return true
    } catch {
      if error.code == EEXIST { return false }
      throw ProjectProblem("can't make '\(path)': \(error.reason)")
    }
  }

  /// - Parameter needsList: whether app.json was made for scripts of which nobody has said what they need.
  private static func next(_ folder: String, _ project: ProjectTemplate, needsList: Bool) -> String {
    let enter = folder == "." ? "" : "  cd -- \(ShellWord.quoted(folder))\n"
    let start = ShellWord.quoted(project.start)
    let list = needsList ? "  nbridge run --audit \(start)    prints \"permissions\" for app.json\n" : ""
    return "\n\(enter)  nbridge run \(start)\n\(list)  nbridge test\n  nbridge check .\n"
  }
}

/// A project that can't be made.
struct ProjectProblem: Error, CustomStringConvertible {
  let description: String
  init(_ description: String) { self.description = description }
}

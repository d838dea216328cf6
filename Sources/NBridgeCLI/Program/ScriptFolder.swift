// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
internal import NBridge
internal import NBridgeSystem

/// Finds the scripts that files and folders on a command line stand for.
enum ScriptFolder {
  /// The endings of scripts' names.
  static let endings = ["js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx"]

  static var endingsText: String { endings.map { "." + $0 }.joined(separator: " ") }

  /// Whether a file's name is a script's; declarations hold nothing to run.
  static func isScript(_ name: String) -> Bool {
    let parts = name.split(separator: ".", omittingEmptySubsequences: false)
    guard parts.count > 1, endings.contains(String(parts[parts.count - 1])) else { return false }
    return parts.count < 3 || parts[parts.count - 2] != "d" || !parts[parts.count - 1].hasSuffix("ts")
  }

  /// What was found, and what could not be looked into.
  struct Found {
    var files: [String] = []
    /// Sentences for people, a line each.
    var problems: [String] = []
  }

  /// The files in the order of the command line, each once; those of a folder by name. What is no folder is
  /// taken as it stands, whatever its name. A link to a folder is followed as long as that one lies in the
  /// folder that the command line names.
  ///
  /// - Parameter isWanted: is asked about the name of each file below a folder.
  static func files(_ operands: [String], where isWanted: @escaping (String) -> Bool) -> Found {
    var search = Search(isWanted: isWanted)
    for operand in operands {
      if Path.isFolder(operand) {
        search.root = RealPath(operand)
        search.folder(operand)
      } else {
        search.add(operand)
      }
    }
    return search.found
  }

  private struct Search {
    let isWanted: (String) -> Bool
    var root: RealPath?
    var found = Found()
    private var seen: Set<String> = []
    /// Without links: a link may lead back to a folder above.
    private var folders: Set<RealPath> = []

    init(isWanted: @escaping (String) -> Bool) { self.isWanted = isWanted }

    mutating func add(_ file: String) {
      if seen.insert(ProgramFiles.absolute(file)).inserted { found.files.append(file) }
    }

    mutating func folder(_ folder: String) {
      guard let real = RealPath(folder) else { return note(folder) }
      if let root, !real.lies(in: root) { return }
      guard folders.insert(real).inserted else { return }
      let names: [String]
      do throws(SystemError) { names = try Path.list(folder) } catch { return note(folder, error.code) }
      for name in names where !name.hasPrefix(".") && name != "node_modules" {
        look(at: folder == "." ? name : folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)", name)
      }
    }

    private mutating func look(at path: String, _ name: String) {
      var status = stat()
      if lstat(path, &status) != 0 { return note(path) }
      // A link that leads nowhere is a file that can't be opened, if it is a wanted one.
      let isThere = stat(path, &status) == 0
      if isThere, status.st_mode & S_IFMT == S_IFDIR { return folder(path) }
      if isWanted(name) { add(path) }
    }

    private mutating func note(_ path: String, _ code: Int32 = errno) {
      found.problems.append("can't look into '\(path)': \(SystemError.reason(of: code))")
    }
  }
}

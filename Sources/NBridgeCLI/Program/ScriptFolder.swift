// SPDX-License-Identifier: MIT

internal import NBridge

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

  /// The files in the order of the command line, each once; those of a folder by name. What is no folder is
  /// taken as it stands, whatever its name.
  ///
  /// - Parameter isWanted: is asked about the name of each file below a folder.
  static func files(_ operands: [String], where isWanted: @escaping (String) -> Bool) -> [String] {
    var search = Search(isWanted: isWanted)
    for operand in operands {
      if Path.isFolder(operand) { search.folder(operand) } else { search.add(operand) }
    }
    return search.files
  }

  private struct Search {
    let isWanted: (String) -> Bool
    var files: [String] = []
    private var seen: Set<String> = []
    /// Without links: a link may lead back to a folder above.
    private var folders: Set<String> = []

    init(isWanted: @escaping (String) -> Bool) { self.isWanted = isWanted }

    mutating func add(_ file: String) {
      if seen.insert(ProgramFiles.absolute(file)).inserted { files.append(file) }
    }

    mutating func folder(_ folder: String) {
      guard let real = Path.real(folder), folders.insert(real).inserted else { return }
      for name in Path.names(in: folder) where !name.hasPrefix(".") && name != "node_modules" {
        let path = folder == "." ? name : folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
        if Path.isFolder(path) { self.folder(path) } else if isWanted(name) { add(path) }
      }
    }
  }
}

// SPDX-License-Identifier: MIT

internal import CLinux
internal import Glibc
internal import NBridgePlugin

/// A path outside of the app's folders, which only `import` and `export` reach, below the folders that permissions name:
/// `documents.import:/home/ada/Pictures`.
enum OutsidePath {
  /// The place that a path stands for. Every link in it is followed first; then the permission is asked for what it leads
  /// to, and the way there is opened without following any: who changes it meanwhile gets an error, not a way out.
  static func place(_ text: String, for action: String, _ call: Call) throws -> FilePlace {
    let shown = try OutsideName(text)
    let folder = try real(shown.folder, text, action)
    let full = folder == "/" ? "/\(shown.name)" : "\(folder)/\(shown.name)"
    guard call.allows("documents.\(action):\(full)") else {
      throw BridgeError(
        .permissionDenied,
        "'\(action)' of '\(full)' is not permitted; to allow it, add \"documents.\(action):\(folder)\" to \"permissions\" in app.json (or to --permissions)",
        details: try? Value(encoding: ["path": text]))
    }
    var how = open_how()
    how.flags = UInt64(UInt32(bitPattern: O_RDONLY | O_CLOEXEC | Int32(NB_O_DIRECTORY)))
    how.resolve = UInt64(RESOLVE_NO_SYMLINKS | RESOLVE_NO_MAGICLINKS)
    let number = nb_openat2(AT_FDCWD, folder, &how)
    guard number >= 0 else { throw failure(action, text) }
    let path = FilePath(outside: text)
    // What is written outside has names of its own while it is staged, for which no permission asks.
    let seal = action == "import" ? OutsideSeal(call: call) : nil
    return FilePlace(
      folder: OpenFile(number, path, seal: seal), name: FilePath.encode(shown.name), path: path)
  }

  private static func real(_ folder: String, _ text: String, _ action: String) throws -> String {
    guard let found = RealPath.of(folder) else { throw failure(action, text) }
    return found
  }

  private static func failure(_ action: String, _ text: String) -> BridgeError {
    FileFailure.last(action, FilePath(outside: text))
  }
}

/// The folder and the last name of a path.
private struct OutsideName {
  let folder: String
  let name: String

  init(_ text: String) throws {
    guard !text.utf8.contains(0) else {
      throw BridgeError(.invalidParameter, "the path holds a NUL character, which no file's name can")
    }
    let home = text.hasPrefix("~/") ? getenv("HOME").map { String(cString: $0) + text.dropFirst() } : nil
    let path = (home ?? text).drop(trailing: "/")
    let slash = path.lastIndex(of: "/")
    name = String(slash.map { path[path.index(after: $0)...] } ?? path[...])
    let above = slash.map { String(path[..<$0]) } ?? "."
    folder = above.isEmpty ? "/" : above
    guard !name.isEmpty, name != ".", name != ".." else {
      throw BridgeError(.invalidParameter, "the path '\(text)' must end with the name of a file or folder")
    }
  }
}

extension String {
  fileprivate func drop(trailing character: Character) -> String {
    var text = self[...]
    while text.last == character { text = text.dropLast() }
    return String(text)
  }
}

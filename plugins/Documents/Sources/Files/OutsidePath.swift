// SPDX-License-Identifier: MIT

internal import CNBridgeLinux
internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem

/// A path outside of the app's folders, which only `import` and `export` reach, below the folders that
/// permissions name: `documents.import:/home/ada/Pictures`.
enum OutsidePath {
  /// The place that a path stands for. Every link on the way is followed first; then the permission is asked
  /// for the path that the links lead to, and that path is opened without following any: a program that
  /// changes it meanwhile brings about an error, not a way out.
  ///
  /// - Parameters:
  ///   - action: the one that the permission names.
  ///   - verb: what the script asked for, where that is another.
  static func place(_ text: String, for action: String, as verb: String? = nil, _ call: Call) throws
    -> FilePlace
  {
    let verb = verb ?? action
    let path = FilePath(outside: text)
    var named = try OutsideName(text)
    guard var folder = RealPath(resolving: named.folder) else { throw FileFailure.last(verb, path) }
    // What is imported is what the last name leads to, too; an export takes the place of a link itself.
    if action == "import", let real = RealPath(resolving: folder.appending(named.name).bytes),
      let parent = real.parent
    {
      named = OutsideName(real)
      folder = parent
    }
    let full = folder.appending(named.name).text
    let permission = "documents.\(action):\(full)"
    guard call.allows(permission) else {
      throw call.denial(
        of: "'\(verb)' of '\(full)'", permission: permission, adding: "documents.\(action):\(folder.text)",
        details: try? Value(encoding: ["path": text]))
    }
    // A file that is written outside has names of its own while it is staged, which the permission does not
    // cover.
    let seal = action == "import" ? OutsideSeal(call: call) : nil
    let opened = try OpenFile(path, to: verb, seal: seal) { () throws(SystemError) in
      try Descriptor.open(linkless: folder.bytes, O_RDONLY | Int32(NB_O_DIRECTORY))
    }
    return FilePlace(folder: opened, name: named.name, path: path)
  }
}

/// The folder and the last name of a path.
private struct OutsideName {
  let folder: [UInt8]
  let name: [UInt8]

  /// Of a path that is no root's.
  init(_ real: RealPath) {
    let end = real.bytes.lastIndex(of: UInt8(ascii: "/")) ?? 0
    (folder, name) = (Array(real.bytes[..<end]), Array(real.bytes[(end + 1)...]))
  }

  init(_ text: String) throws {
    guard !text.utf8.contains(0) else {
      throw BridgeError(.invalidParameter, "the path holds a NUL character, which no file's name can")
    }
    let slash = UInt8(ascii: "/")
    var path = PathText.encode(text)
    if path.starts(with: "~/".utf8), let home = getenv("HOME") {
      path = Array(UnsafeRawBufferPointer(start: home, count: strlen(home))) + path.dropFirst()
    }
    while path.last == slash { path.removeLast() }
    let end = path.lastIndex(of: slash)
    name = Array(path[(end.map { $0 + 1 } ?? 0)...])
    folder = end.map { $0 == 0 ? [slash] : Array(path[..<$0]) } ?? Array(".".utf8)
    guard !name.isEmpty, name != Array(".".utf8), name != Array("..".utf8) else {
      throw BridgeError(.invalidParameter, "the path '\(text)' must end with the name of a file or folder")
    }
  }
}

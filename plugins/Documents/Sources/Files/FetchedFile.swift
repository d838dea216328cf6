// SPDX-License-Identifier: MIT

internal import CNBridgeLinux
internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem
internal import Synchronization

/// What the global `fetch` asks for: a file by the path of its URL.
struct FetchOptions: Codable, Sendable {
  /// As a URL has it: from the root on, percent-encoded.
  var path: String
}

/// A file that is fetched: what is known before its bytes come.
struct FetchedStart: Codable, Sendable {
  /// In bytes.
  var size: Int
  /// Has the bytes.
  var rest: Handle<FetchedFile>
}

/// A file that is read as the script reads the answer of `fetch`.
final class FetchedFile: HandleObject {
  static let handle = HandleType("fetchedFile", "A file that is fetched.")
  private let file: OpenFile
  private let offset = Mutex(0)
  let size: Int

  /// So much is read at once.
  private static let piece = 256 << 10

  init(_ file: OpenFile) throws {
    self.file = file
    size = Int(try file.demandRegular(FetchedPath.verb).st_size)
  }

  /// The next bytes; nil at the end. The answer has said how many there are: what is added meanwhile is none
  /// of them.
  ///
  /// - Throws: `io_error` when the file has become shorter.
  func read() throws -> Bytes? {
    try offset.withLock { offset in
      // Of what the kernel makes as it is read it knows no size.
      let left = size == 0 ? Self.piece : size - offset
      if left <= 0 { return nil }
      let bytes = try Bytes(capacity: min(Self.piece, left)) { try file.read(into: $0, at: offset) }
      offset += bytes.count
      if bytes.count > 0 { return bytes }
      guard size == 0 else {
        throw BridgeError(
          .ioError, "can't \(FetchedPath.verb) '\(file.path.text)' whole: it became shorter while it was read"
        )
      }
      return nil
    }
  }

  func close() {}
}

/// The path of a `file:` URL: a file of one of the app's folders, one that the command line names, or one
/// outside below a folder that a permission of `import` names. What opens a path is what opens it for the
/// plugin's other actions: a URL is no way around them.
struct FetchedPath {
  static let verb = "fetch"
  private let bytes: [UInt8]
  /// As scripts and messages have it.
  private let text: String

  init(_ encoded: String) throws {
    var bytes: [UInt8] = []
    let given = Array(encoded.utf8)
    var at = 0
    while at < given.count {
      var byte = given[at]
      at += 1
      if byte == UInt8(ascii: "%"), at + 1 < given.count,
        let decoded = HexDigits.byte(given[at...(at + 1)])
      {
        guard decoded != UInt8(ascii: "/") else {
          throw BridgeError(
            .invalidParameter, "the path '\(encoded)' has %2F in it, but no file's name has a '/'")
        }
        byte = decoded
        at += 2
      }
      // Several slashes are one to the kernel.
      if byte == UInt8(ascii: "/"), bytes.last == byte { continue }
      bytes.append(byte)
    }
    guard bytes.first == UInt8(ascii: "/"), !bytes.contains(0) else {
      throw BridgeError(.invalidParameter, "the path '\(encoded)' is none that a file can have")
    }
    self.bytes = bytes
    text = PathText.decode(bytes)
  }

  /// Opens the file to be read. A pipe is not waited for.
  func open(_ files: Files, _ call: Call) throws -> OpenFile {
    if let (directory, below) = place(call.app) { return try open(below, directory, files) }
    if let word = word(call.app) { return try open(word, .arguments, files) }
    return try OutsidePath.place(text, for: "import", as: Self.verb, call).open(to: Self.verb)
  }

  private func open(_ path: String, _ directory: Directory, _ files: Files) throws -> OpenFile {
    do {
      let file = try files.open(FilePath(path, in: directory), directory, O_RDONLY, to: Self.verb)
      _ = try file.demandRegular(Self.verb)
      return file
    } catch let error as BridgeError {
      // The script gave the whole path, so that is the one to name.
      throw BridgeError(
        error.code, error.message.replacing("'\(path)'", with: "'\(text)'"), details: error.details)
    }
  }

  /// The innermost of the app's folders that it lies in, and the path in there.
  private func place(_ app: AppEnvironment) -> (Directory, path: String)? {
    let real = RealPath(planned: bytes).bytes
    var found: (directory: Directory, path: [UInt8], length: Int)?
    for directory in Directory.allCases {
      guard let folder = directory.path(in: app) else { continue }
      let realFolder = RealPath(planned: folder).bytes
      for (path, root) in [(bytes, Array(folder.utf8)), (real, realFolder)] {
        guard path.count > root.count, path.starts(with: root), path[root.count] == UInt8(ascii: "/") else {
          continue
        }
        if realFolder.count <= found?.length ?? 0 { continue }
        found = (directory, Array(path[(root.count + 1)...]), realFolder.count)
      }
    }
    return found.map { ($0.directory, PathText.decode($0.path)) }
  }

  /// The word of the command line that names the same file.
  private func word(_ app: AppEnvironment) -> String? {
    if app.chosenPlace(text) != nil { return text }
    guard !app.arguments.isEmpty, let real = RealPath(resolving: bytes) else { return nil }
    return app.arguments.first { RealPath(resolving: PathText.encode($0)) == real }
  }
}

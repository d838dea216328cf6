// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
internal import NBridgePlugin
package import NBridgeSystem

/// Reads a script from disk, or says why that can't be.
package enum ScriptFile {
  /// The text of the file. Throws ``ScriptFileError``.
  package static func read(_ path: String) throws(ScriptFileError) -> String {
    try text(try bytes(path), "'\(path)'")
  }

  /// Whether a file, and not a folder, is there.
  package static func isFile(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT != S_IFDIR
  }

  /// Whether a plain file of at most so many bytes is there: no pipe without a writer, no device without an
  /// end.
  package static func isPlainFile(_ path: String, upTo bytes: Int) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && status.st_size <= bytes
  }

  /// Whether what is there, link or not, belongs to this process's user.
  package static func isOwn(_ path: String) -> Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_uid == geteuid()
  }

  /// Where a link leads, as it says itself; nil for what is none.
  package static func target(ofLink path: String) -> String? {
    let target = String(unsafeUninitializedCapacity: Int(PATH_MAX)) { buffer in
      buffer.withMemoryRebound(to: CChar.self) { memory in
        memory.baseAddress.map { max(0, readlink(path, $0, memory.count)) } ?? 0
      }
    }
    return target.isEmpty ? nil : target
  }

  /// Whether a folder is there.
  package static func isFolder(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFDIR
  }

  /// The names in a folder, in no order.
  package static func names(in folder: String) -> [String] { listing(of: folder)?.names ?? [] }

  /// The names in a folder, in no order, those of them that may be links, and where the folder really is; nil
  /// when it can't be read.
  static func listing(of folder: String) -> (names: [String], links: Set<String>, real: RealPath?)? {
    guard let stream = opendir(folder) else { return nil }
    defer { closedir(stream) }
    var names: [String] = []
    var links: Set<String> = []
    while let entry = readdir(stream) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      names.append(name)
      // Not every file system tells.
      if [UInt8(DT_LNK), UInt8(DT_UNKNOWN)].contains(entry.pointee.d_type) { links.insert(name) }
    }
    return (names, links, RealPath(descriptor: dirfd(stream)))
  }

  package static var currentFolder: String {
    guard let path = getcwd(nil, 0) else { return "/" }
    defer { free(path) }
    return String(cString: path)
  }

  /// What a pipe or a terminal gives, to its end.
  static func readStandardInput() throws(ScriptFileError) -> String {
    try text(try contents(of: 0, size: 0, "stdin"), "stdin")
  }

  /// The bytes as text. Throws ``ScriptFileError``, which calls them `name`.
  package static func text(_ bytes: [UInt8], _ name: String) throws(ScriptFileError) -> String {
    guard let text = String(whole: bytes) else {
      throw ScriptFileError("\(name) is not UTF-8 (byte \(firstInvalid(bytes)))")
    }
    return text
  }

  /// The bytes of the file. Throws ``ScriptFileError``.
  ///
  /// - Parameters:
  ///   - plainOnly: whether what is no plain file is refused: a pipe waits for its writer, and a device may
  ///     have no end.
  ///   - refusal: is asked about the file that was opened, by its path (nil for what has none, as a pipe),
  ///     before anything of it is read; answers why it may not be.
  package static func bytes(
    _ path: String, plainOnly: Bool = false, refusal: (RealPath?) -> String? = { _ in nil }
  )
    throws(ScriptFileError) -> [UInt8]
  {
    let file = open(path, O_RDONLY | O_CLOEXEC | (plainOnly ? O_NONBLOCK : 0))
    guard file >= 0 else {
      throw ScriptFileError("can't open '\(path)': \(SystemError.lastReason)")
    }
    defer { close(file) }
    if let reason = refusal(RealPath(descriptor: file)) { throw ScriptFileError(reason) }
    var status = stat()
    guard fstat(file, &status) == 0 else { throw ScriptFileError("can't read '\(path)'") }
    switch status.st_mode & S_IFMT {
    case S_IFDIR: throw ScriptFileError("'\(path)' is a folder; name a script in it")
    case S_IFREG: break
    default: if plainOnly { throw ScriptFileError("'\(path)' is no plain file, but a pipe or a device") }
    }
    return try contents(of: file, size: Int(status.st_size), path)
  }

  private static func contents(of file: Int32, size: Int, _ path: String) throws(ScriptFileError) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.reserveCapacity(size + 1)
    let chunk = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 18, alignment: 16)
    defer { chunk.deallocate() }
    while true {
      let count = Glibc.read(file, chunk.baseAddress, chunk.count)
      if count == 0 { return bytes }
      if count < 0 {
        if errno == EINTR { continue }
        throw ScriptFileError("can't read '\(path)': \(SystemError.lastReason)")
      }
      bytes.append(contentsOf: UnsafeRawBufferPointer(rebasing: chunk[0..<count]))
    }
  }

  /// Where decoding goes wrong; only for the message.
  private static func firstInvalid(_ bytes: [UInt8]) -> Int {
    var decoder = UTF8()
    var iterator = bytes.makeIterator()
    var at = 0
    while true {
      switch decoder.decode(&iterator) {
      case .scalarValue(let scalar): at += UTF8.width(scalar)
      case .emptyInput, .error: return at
      }
    }
  }
}

/// A script that can't be read.
package struct ScriptFileError: Error, CustomStringConvertible {
  package let description: String
  package init(_ description: String) { self.description = description }
}

/// What a pipe or a terminal gives.
public enum StandardInput {
  /// All of it, as text.
  public static func read() throws -> String { try ScriptFile.readStandardInput() }
}

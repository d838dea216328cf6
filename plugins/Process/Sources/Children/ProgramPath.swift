// SPDX-License-Identifier: MIT

internal import CNBridgeLinux
internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem

/// The program that a script names: the file that would run, whatever links lead to it. Its path is what
/// permissions are asked for, and that file, by its folder and name, is what is started.
struct ProgramPath {
  let path: RealPath
  let folder: Descriptor

  /// - Parameter text: a whole path, or a name that is looked for in `PATH`.
  /// - Throws: `not_found`, `permission_denied`.
  init(_ text: String, _ call: Call) throws {
    guard !text.utf8.contains(0) else {
      throw BridgeError(.invalidParameter, "the program holds a NUL character, which no file's name can")
    }
    let found = try Self.find(text)
    guard let path = RealPath(resolving: found) else { throw Self.failure(text, errno) }
    let permission = "process.run:\(path.text)"
    guard call.allows(permission) else {
      throw call.denial(
        of: "'run' of '\(path.text)'", permission: permission,
        details: try? Value(encoding: ["path": path.text]))
    }
    let parent = (path.parent ?? .root).bytes
    do throws(SystemError) {
      folder = try .open(linkless: parent, Int32(NB_O_PATH) | Int32(NB_O_DIRECTORY))
    } catch {
      throw Self.failure(text, error.code)
    }
    self.path = path
  }

  private static func find(_ text: String) throws -> [UInt8] {
    let name = PathText.encode(text)
    if name.first == slash { return name }
    guard !name.isEmpty, !name.contains(slash) else {
      throw BridgeError(
        .invalidParameter,
        """
        the program must be a whole path, as "/usr/bin/git", or a name that is looked for in PATH, \
        not '\(text)'
        """
      )
    }
    // Folders that are no whole paths would make it a matter of where the program stands.
    for folder in searchPath where folder.first == slash {
      let path = Array(folder) + [slash] + name
      if isProgram(path) { return path }
    }
    throw BridgeError(
      .notFound, "there is no program '\(text)' in the folders of PATH; install it, or name its whole path",
      details: try? Value(encoding: ["path": text]))
  }

  private static var searchPath: [ArraySlice<UInt8>] {
    guard let path = getenv("PATH") else { return [Array("/usr/bin".utf8)[...], Array("/bin".utf8)[...]] }
    return Array(UnsafeRawBufferPointer(start: path, count: strlen(path))).split(separator: 0x3A)
  }

  private static func isProgram(_ path: [UInt8]) -> Bool {
    path.withCString { path in
      var status = stat()
      return stat(path, &status) == 0 && status.st_mode & S_IFMT == S_IFREG && access(path, X_OK) == 0
    }
  }

  private static let slash = UInt8(ascii: "/")

  /// What is said of a program that can't be started.
  static func failure(_ text: String, _ error: Int32) -> BridgeError {
    let details = try? Value(encoding: ["path": text])
    switch error {
    case ENOENT, ENOTDIR:
      return BridgeError(
        .notFound, "can't run '\(text)': there is no such program, or its interpreter is not there",
        details: details)
    case EACCES:
      return BridgeError(
        .notExecutable, "can't run '\(text)': it is no file that this user may execute", details: details)
    case ENOEXEC:
      return BridgeError(
        .notExecutable, "can't run '\(text)': it is no program (a script's first line must be #!…)",
        details: details)
    case E2BIG:
      return BridgeError(
        .tooLarge,
        "can't run '\(text)': arguments and environment are larger than the system takes; "
          + "give it much by its stdin", details: details)
    default:
      return BridgeError(SystemError("run", text, code: error))
    }
  }
}

extension BridgeError.Code {
  /// What is there is no program.
  static let notExecutable: Self = "not_executable"
}

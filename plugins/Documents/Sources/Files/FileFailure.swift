// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem

/// The codes of this plugin beside the bridge's own.
extension BridgeError.Code {
  /// Something of that name is there already.
  static let exists: Self = "exists"
  /// A part of the path, or what should be a folder, is something else.
  static let notDirectory: Self = "not_directory"
  /// No space is left, on the disk or of what the user or the app may use.
  static let quotaExceeded: Self = "quota_exceeded"
  /// The content is not what the format says.
  static let invalidData: Self = "invalid_data"
}

/// A system call's error, in words for a person.
enum FileFailure {
  /// The error for `errno` after a call that should have done `verb` with `path`.
  static func last(_ verb: String, _ path: FilePath) -> BridgeError { from(errno, verb, path) }

  static func from(_ code: Int32, _ verb: String, _ path: FilePath) -> BridgeError {
    let (kind, reason) =
      switch (code, verb) {
      // EINVAL has a meaning of its own for renames only.
      case (EINVAL, _) where !verb.hasPrefix("move"): (BridgeError.Code.ioError, "Invalid argument")
      case (ENOSPC, "remove"), (EDQUOT, "remove"):
        (.quotaExceeded, "no space is left to put it into the trash; with {permanently: true} it needs none")
      default: meaning(code)
      }
    var details = ["path": path.text]
    details["system"] = systemName(code)
    return BridgeError(
      kind, "can't \(verb) '\(path.shown)': \(reason)", details: try? Value(encoding: details))
  }

  /// The system's name for a reason that the code of the error doesn't tell.
  private static func systemName(_ code: Int32) -> String? {
    switch code {
    case EBUSY: "EBUSY"
    case EINVAL: "EINVAL"
    case EISDIR: "EISDIR"
    case ENOTEMPTY: "ENOTEMPTY"
    case ENAMETOOLONG: "ENAMETOOLONG"
    case ELOOP: "ELOOP"
    case EROFS: "EROFS"
    default: nil
    }
  }

  /// A thing can't take a place on another disk in one step.
  static func elsewhere(_ verb: String, _ path: FilePath, _ advice: String) -> BridgeError {
    BridgeError(.ioError, "can't \(verb) '\(path.shown)' in one step: that is on another disk; \(advice)")
  }

  private static func meaning(_ code: Int32) -> (BridgeError.Code, String) {
    switch code {
    case ENOENT: (.notFound, "there is no such file or folder")
    case EEXIST, ENOTEMPTY:
      (.exists, code == EEXIST ? "something of that name is there already" : "the folder is not empty")
    case ENOTDIR: (.notDirectory, "a part of the path is not a folder")
    case EISDIR: (.ioError, "it is a folder")
    case EXDEV: (.permissionDenied, "the path leads out of the app's folder")
    case ELOOP: (.permissionDenied, "links in the path lead in a circle, or to the kernel's own places")
    case EACCES, EPERM: (.permissionDenied, "the system does not let this user")
    case EROFS: (.permissionDenied, "the disk is read-only")
    case ENOSPC, EDQUOT: (.quotaExceeded, "no space is left; remove something, or ask for less")
    case EFBIG: (.tooLarge, "the file would be larger than the system lets one be")
    case ENAMETOOLONG: (.invalidParameter, "a name has more than 255 bytes, or the path more than 4,095")
    case EINVAL: (.invalidParameter, "a folder can't be put into itself")
    case ENXIO: (.ioError, "it is a pipe or a device, not a file")
    case EMFILE, ENFILE: (.ioError, "too many files are open")
    default: (.ioError, SystemError.reason(of: code))
    }
  }
}

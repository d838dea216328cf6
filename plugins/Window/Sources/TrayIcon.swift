// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem

/// The picture of an icon in the tray. It is read here, by what a script may read of the app's folder: the
/// window's program gets bytes, and no way to a file.
enum TrayIcon {
  /// In bytes; icons are small.
  static let limit = 1 << 20

  /// A file's bytes, in base64. Whether they are a picture, only the window's program knows.
  ///
  /// - Parameter path: from the app's folder on.
  /// - Throws: ``BridgeError`` that names the option.
  static func read(_ path: String, in app: AppEnvironment) throws -> String {
    let name = "option.icon '\(path.prefix(200))'"
    guard !path.utf8.contains(where: { $0 < 0x20 || $0 == 0x7F }) else {
      throw BridgeError(.invalidParameter, "\(name) has a control character: \(rule)")
    }
    let file = try open(path, named: name, app)
    var status = stat()
    guard fstat(file.number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw BridgeError(.invalidParameter, "\(name) is not a regular file: \(rule)")
    }
    guard status.st_size <= limit else {
      throw BridgeError(
        .invalidParameter, "\(name) has \(status.st_size) bytes; an icon has at most \(limit)")
    }
    guard status.st_size > 0 else {
      throw BridgeError(.invalidParameter, "\(name) is no picture that can be shown: it is empty")
    }
    do { return encode(try file.read(Int(status.st_size), at: 0)) } catch {
      throw BridgeError(.ioError, "\(name) can't be read: \(error.reason)")
    }
  }

  private static let rule = "it is a path from the app's folder on, as icon.png"

  /// The kernel resolves the path below the folder (`openat2`), so it leads to no other place.
  private static func open(_ path: String, named name: String, _ app: AppEnvironment) throws -> Descriptor {
    guard let root = app.bundle else {
      throw BridgeError(.unavailable, "\(name): this program lies in no folder, so it has no icon of its own")
    }
    let folder: Descriptor
    let file: Descriptor
    do {
      folder = try Descriptor.open(root, O_RDONLY)
      file = try Descriptor.open(Array(path.utf8), beneath: folder.number, O_RDONLY | O_NONBLOCK)
    } catch { throw failure(name, error) }
    guard let root = RealPath(descriptor: folder.number), let real = RealPath(descriptor: file.number) else {
      throw BridgeError(.notFound, "\(name): the app's folder is gone")
    }
    if let refusal = try app.bundleScope(root).refusal(of: real) {
      throw BridgeError(.permissionDenied, "\(name) can't be shown: \(refusal)")
    }
    return file
  }

  private static func failure(_ name: String, _ error: SystemError) -> BridgeError {
    switch error.code {
    case EXDEV: BridgeError(.invalidParameter, "\(name) leads out of the app's folder: \(rule)")
    case ENOENT, ENOTDIR: BridgeError(.notFound, "\(name): there is no such file in the app's folder")
    case EACCES, EPERM: BridgeError(.permissionDenied, "\(name) can't be read: \(error.reason)")
    default: BridgeError(.ioError, "\(name) can't be read: \(error.reason)")
    }
  }

  private static func encode(_ bytes: [UInt8]) -> String {
    guard let text = g_base64_encode(bytes, gsize(bytes.count)) else { return "" }
    defer { g_free(text) }
    return String(cString: text)
  }
}

// SPDX-License-Identifier: MIT

internal import CNBridgeLinux
internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem

/// A file of the app's that is sent.
final class OpenResource: Sendable {
  private let file: Descriptor
  let size: Int

  /// Which of the app's folders a path is in, named as documents name them.
  enum Directory: String, Codable, CaseIterable, Sendable {
    case documents, caches, applicationSupport, temporary, bundle

    func path(in app: AppEnvironment) -> String? {
      switch self {
      case .documents: app.container.documents
      case .caches: app.container.caches
      case .applicationSupport: app.container.applicationSupport
      case .temporary: app.container.temporary
      case .bundle: app.bundle
      }
    }
  }

  /// Opens a file below one of the app's folders: the kernel resolves the path there (`openat2`), so it leads
  /// to no other place.
  init(_ path: String, in directory: Directory, _ app: AppEnvironment) throws {
    guard let root = directory.path(in: app) else {
      throw BridgeError(.unavailable, "this script lies in no folder, so it has no bundle")
    }
    if directory != .bundle { try app.container.create() }
    guard !path.utf8.contains(0) else {
      throw BridgeError(.invalidParameter, "the path holds a NUL character")
    }
    let folder: Descriptor
    do {
      folder = try Descriptor.open(root, O_RDONLY | Int32(NB_O_DIRECTORY))
      file = try Descriptor.open(Array(path.utf8), beneath: folder.number, O_RDONLY | O_NONBLOCK)
    } catch {
      throw Self.failure(path, error)
    }
    var status = stat()
    guard fstat(file.number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw BridgeError(
        .invalidParameter, "'\(path.prefix(200))' is not a regular file; what else there is can't be sent")
    }
    size = Int(status.st_size)
    if directory == .bundle, let refusal = try Self.refusal(file.number, folder.number, app) {
      throw BridgeError(.permissionDenied, "can't send '\(path.prefix(200))': \(refusal)")
    }
  }

  /// Why scripts don't get a file of the bundle; nil when they do.
  private static func refusal(_ file: Int32, _ folder: Int32, _ app: AppEnvironment) throws -> String? {
    guard let root = RealPath(descriptor: folder), let real = RealPath(descriptor: file) else {
      return "it has no path"
    }
    return try app.bundleScope(root).refusal(of: real)
  }

  private static func failure(_ path: String, _ error: SystemError) -> BridgeError {
    let path = path.prefix(200)
    switch error.code {
    case ENOENT: return BridgeError(.notFound, "there is no file '\(path)' to send")
    case EXDEV: return BridgeError(.permissionDenied, "'\(path)' leads out of the app's folder")
    case EACCES, EPERM:
      return BridgeError(.permissionDenied, "'\(path)' can't be read: \(error.reason)")
    default: return BridgeError(SystemError("open", String(path), code: error.code))
    }
  }

  func read(at offset: Int, atMost count: Int) throws -> [UInt8] {
    do { return try file.read(count, at: offset) } catch {
      throw BridgeError(.ioError, "can't read what is sent: \(error.reason)")
    }
  }
}

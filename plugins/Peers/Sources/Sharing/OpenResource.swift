// SPDX-License-Identifier: MIT

internal import CLinux
internal import Glibc
internal import NBridgePlugin

/// A file of the app's that is sent.
final class OpenResource: Sendable {
  private let descriptor: Int32
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
    let folder = nb_openat(AT_FDCWD, root, O_RDONLY | O_CLOEXEC | Int32(NB_O_DIRECTORY), 0)
    guard folder >= 0 else { throw Self.failure(path, errno) }
    defer { close(folder) }
    var how = open_how()
    how.flags = UInt64(O_RDONLY | O_CLOEXEC | O_NONBLOCK)
    how.resolve = UInt64(RESOLVE_BENEATH | RESOLVE_NO_MAGICLINKS)
    descriptor = nb_openat2(folder, path, &how)
    guard descriptor >= 0 else { throw Self.failure(path, errno) }
    var status = stat()
    guard fstat(descriptor, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      close(descriptor)
      throw BridgeError(
        .invalidParameter, "'\(path.prefix(200))' is not a regular file; what else there is can't be sent")
    }
    size = Int(status.st_size)
    if directory == .bundle, let refusal = try Self.refusal(descriptor, folder, app) {
      close(descriptor)
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

  deinit { close(descriptor) }

  private static func failure(_ path: String, _ number: Int32) -> BridgeError {
    let path = path.prefix(200)
    switch number {
    case ENOENT: return BridgeError(.notFound, "there is no file '\(path)' to send")
    case EXDEV: return BridgeError(.permissionDenied, "'\(path)' leads out of the app's folder")
    case EACCES, EPERM:
      return BridgeError(.permissionDenied, "'\(path)' can't be read: \(String(cString: strerror(number)))")
    default: return BridgeError(.ioError, "can't open '\(path)': \(String(cString: strerror(number)))")
    }
  }

  func read(at offset: Int, atMost count: Int) throws -> [UInt8] {
    var failed: Int32 = 0
    let bytes = [UInt8](unsafeUninitializedCapacity: count) { room, filled in
      while filled < count {
        let got = pread(
          descriptor, room.baseAddress.map { $0 + filled }, count - filled, off_t(offset + filled))
        if got < 0, errno == EINTR { continue }
        if got < 0 { failed = errno }
        guard got > 0 else { return }
        filled += got
      }
    }
    if failed != 0 {
      throw BridgeError(.ioError, "can't read what is sent: \(String(cString: strerror(failed)))")
    }
    return bytes
  }
}

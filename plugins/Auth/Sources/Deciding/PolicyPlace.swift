// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem

/// A policy's file as it was once. What is asked of it is asked of the opened file: a name may lead elsewhere
/// a moment later.
struct PolicyPlace: Sendable {
  let path: String
  /// Where the opened file lies, after the names on the way to it: a user who can replace one of them, as a
  /// link, decides which policy is read the next time.
  let trail: PathTrail
  let content: [UInt8]
  private let look: Look

  /// The facts about a file that change when a program writes to it.
  private struct Look: Equatable {
    var (device, node, size) = (UInt64(0), UInt64(0), Int64(0))
    var (modified, nanoseconds) = (0, 0)

    init(_ status: stat) {
      (device, node, size) = (UInt64(status.st_dev), UInt64(status.st_ino), Int64(status.st_size))
      (modified, nanoseconds) = (status.st_mtim.tv_sec, status.st_mtim.tv_nsec)
    }

    init?(_ path: String) {
      var status = stat()
      guard stat(path, &status) == 0 else { return nil }
      self.init(status)
    }
  }

  /// - Throws: `not_found`, `too_large`, `io_error`; `permission_denied` for a file that others could have
  ///   written.
  init(_ path: String) throws {
    let file: Descriptor
    do { file = try Descriptor.open(path, O_RDONLY | O_NOCTTY | O_NONBLOCK) } catch {
      if error.code == ENOENT || error.code == ENOTDIR {
        throw BridgeError(.notFound, "there is no policy file '\(path)'")
      }
      throw BridgeError(SystemError("read the policy", path, code: error.code))
    }
    defer { file.close() }
    var status = stat()
    guard fstat(file.number, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw BridgeError(.ioError, "can't read the policy '\(path)': it is not a regular file")
    }
    try Self.check(status, path)
    (self.path, look) = (path, Look(status))
    // The kernel knows where it lies; a file that has no name any more has links to nowhere.
    guard let trail = PathTrail(path), trail.places.last == RealPath(descriptor: file.number) else {
      throw BridgeError(.notFound, "the policy '\(path)' was removed or replaced while it was opened")
    }
    self.trail = trail
    content = try SmallFile.read("/proc/self/fd/\(file.number)", followsLinks: true) ?? []
  }

  /// The file is this user's, or root's, under one name, and no other user may write to it.
  private static func check(_ status: stat, _ path: String) throws {
    guard status.st_size <= AuthPolicyFile.largest else {
      throw BridgeError(
        .tooLarge,
        "the policy '\(path)' has \(status.st_size) bytes; \(AuthPolicyFile.largest) are the most")
    }
    let why: String? =
      if status.st_uid != getuid(), status.st_uid != 0 {
        "belongs to another user (\(status.st_uid)): copy it"
      } else if status.st_mode & 0o022 != 0 {
        "may be written by others: chmod go-w it"
      } else if status.st_nlink != 1 {
        "has \(status.st_nlink) names, and scripts may write to it by another one: copy it"
      } else {
        nil
      }
    if let why { throw BridgeError(.permissionDenied, "the policy '\(path)' \(why)") }
  }

  /// - Throws: `permission_denied` when it, or a link that leads to it, lies where scripts of any app can
  ///   write.
  func check(_ app: AppEnvironment) throws {
    let own = [app.container.path, app.shared.data, app.shared.runtime, app.shared.state]
      .map { RealPath(planned: $0) }
    let beside = RealPath(planned: app.shared.data).parent
    for place in trail.places {
      let parent = place.parent ?? .root
      let folder =
        own.first(where: parent.lies(in:)) ?? beside.flatMap { Self.container(of: parent, in: $0) }
        ?? Container.around(parent)
      guard let folder else { continue }
      throw BridgeError(
        .permissionDenied,
        "the policy '\(place.text)' lies in '\(folder.text)', where scripts can write: keep it somewhere else"
      )
    }
  }

  /// The container that a folder lies in, of the containers beside the shared folder; nil for none.
  private static func container(of folder: RealPath, in root: RealPath) -> RealPath? {
    sequence(first: folder, next: \.parent).first { $0.parent == root }
  }

  /// Whether the file says what it said. A file that is gone says nothing else.
  var isUnchanged: Bool {
    guard let now = Look(path), now != look else { return true }
    return now.size == look.size && (try? SmallFile.read(path, followsLinks: true)) == content
  }
}

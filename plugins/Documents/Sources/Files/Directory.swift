// SPDX-License-Identifier: MIT

internal import CNBridgeLinux
internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem
internal import Synchronization

/// One of the app's folders.
enum Directory: String, Codable, CaseIterable, Sendable {
  case documents, preferences, caches, applicationSupport, temporary, bundle
  /// No folder: the files that stand behind the script on the command line, by the words that name them
  /// there. See ``ArgumentFile``.
  case arguments

  func path(in app: AppEnvironment) -> String? {
    switch self {
    case .documents: app.container.documents
    case .preferences: app.container.preferences
    case .caches: app.container.caches
    case .applicationSupport: app.container.applicationSupport
    case .temporary: app.container.temporary
    case .bundle: app.bundle
    case .arguments: nil
    }
  }

  /// Preferences are written through their own plugin, the bundle is the program itself.
  var isReadOnly: Bool { self == .preferences || self == .bundle || self == .arguments }
}

/// The app's folders, each opened when it is first used. Every path is resolved by the kernel below one of
/// them (`openat2` with RESOLVE_BENEATH): there is no check that could be out of date when it counts.
final class Directories: Sendable {
  private let app: AppEnvironment
  private let open = Mutex<[Directory: OpenFile]>([:])

  init(_ app: AppEnvironment) { self.app = app }

  /// The folder itself.
  func root(_ directory: Directory) throws -> OpenFile {
    if let known = open.withLock({ $0[directory] }) { return known }
    let itself = try FilePath("")
    guard directory != .arguments else {
      throw BridgeError(
        .unavailable,
        "'arguments' is no folder: each file is read by the word that names it on the command line")
    }
    guard let path = directory.path(in: app) else {
      throw BridgeError(.unavailable, "this script lies in no folder, so it has no bundle")
    }
    if !directory.isReadOnly || directory == .preferences { try app.container.create() }
    let file: Descriptor
    do { file = try Descriptor.open(path, O_RDONLY | Int32(NB_O_DIRECTORY)) } catch {
      throw FileFailure.from(error.code, "open the folder \(directory.rawValue) for", itself)
    }
    let root = OpenFile(file, itself, isRoot: true, seal: try seal(directory, file))
    return open.withLock { known in
      if let other = known[directory] { return other }
      known[directory] = root
      return root
    }
  }

  /// The seal on the parts of a folder that are closed to scripts. Throws when all of it is closed.
  private func seal(_ directory: Directory, _ file: Descriptor) throws -> (any Seal)? {
    guard directory == .bundle else { return directory == .preferences ? PreferencesSeal() : nil }
    guard let real = RealPath(descriptor: file.number) else {
      throw BridgeError(.unavailable, "the folder that the script lies in is gone")
    }
    return BundleSeal(scope: try app.bundleScope(real))
  }

  /// The same folder, to be written in.
  func writable(_ directory: Directory, _ path: FilePath) throws -> OpenFile {
    if directory.isReadOnly {
      throw BridgeError(
        .permissionDenied,
        "can't write '\(path.shown)': the folder '\(directory.rawValue)' is read-only"
          + (directory == .preferences ? "; use nbridge.preference" : ""))
    }
    return try root(directory)
  }
}

extension OpenFile {
  /// Opens what is below this folder. Links are followed as long as they stay inside.
  func open(_ path: FilePath, _ flags: Int32, mode: UInt32 = 0, to verb: String) throws -> OpenFile {
    let file = try OpenFile(path, to: verb, seal: seal) { () throws(SystemError) in
      try Descriptor.open(path.bytes, beneath: number, flags, mode: mode)
    }
    try seal?.check(file, to: verb)
    return file
  }

  /// Opens a folder below this one, to look names up in it.
  func folder(_ path: FilePath, to verb: String) throws -> OpenFile {
    try self.open(path, O_RDONLY | Int32(NB_O_DIRECTORY), to: verb)
  }

  /// The folder that the last name of a path stands in, and that name.
  ///
  /// - Parameter asSystem: whether the name is only for calls that rename, make or remove: see
  ///   ``FilePath/splitAsSystem()``.
  func place(of path: FilePath, to verb: String, asSystem: Bool = false) throws -> FilePlace {
    let (parent, name) = try asSystem ? path.splitAsSystem() : path.split()
    if parent.isFolderItself { return FilePlace(folder: self, name: name, path: path) }
    do { return FilePlace(folder: try folder(parent, to: verb), name: name, path: path) } catch let error
      as BridgeError
    {
      // The script gave the whole path, so that is the one to name.
      throw BridgeError(
        error.code, error.message.replacing("'\(parent.shown)'", with: "'\(path.shown)'"),
        details: try? Value(encoding: ["path": path.text]))
    }
  }
}

/// A name in an open folder: where something stands, or will stand.
struct FilePlace: Sendable {
  let folder: OpenFile
  let name: [UInt8]
  /// The path by which the script calls the place.
  let path: FilePath

  /// The facts about the thing in the place, links not followed; nil when the place is empty.
  func facts() throws -> stat? { try folder.facts(of: name, path) }

  /// Calls `body` when what stands there is no folder, or one that no process holds a lock on; the lock is
  /// this one's meanwhile. What can't be looked at, as when no descriptor is left, may be held.
  func ifNobodyHolds(_ body: () -> Void) {
    do {
      let folder = try open(asFolder: true)
      guard folder.lock() else { return }
      withExtendedLifetime(folder) { body() }
    } catch let error as BridgeError where error.code == .notDirectory {
      body()
    } catch {}
  }

  /// Opens what stands there to be read; a link is refused, a pipe not waited for.
  func open(asFolder: Bool = false, to verb: String = "open") throws -> OpenFile {
    let kind = asFolder ? Int32(NB_O_DIRECTORY) : O_NONBLOCK | O_NOCTTY
    let file = try OpenFile(path, to: verb, seal: folder.seal) { () throws(SystemError) in
      try Descriptor.open(name, in: folder.number, O_RDONLY | Int32(NB_O_NOFOLLOW) | kind)
    }
    try folder.seal?.check(file, to: verb)
    return file
  }
}

extension FilePath {
  /// A path in one of the app's folders, or a word of the command line, which may name a place anywhere.
  init(_ text: String, in directory: Directory?) throws {
    if directory == .arguments { self.init(outside: text) } else { try self.init(text) }
  }
}

// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem

/// The apps that take URLs right now: for each a folder in the runtime folder, with a socket for each of its
/// processes and beside it a file that says which schemes it handles. A process that finds what a killed one
/// left takes it away.
struct RunningApps: Sendable {
  /// A process that takes URLs.
  struct Instance: Sendable {
    let app: String
    let folder: String
    /// The name of its socket; the file with `.json` behind it tells what it handles.
    let name: String
    let made: Int
  }

  /// What a process says of itself.
  struct Claim: Codable {
    var id: String
    var name: String
    var schemes: [String]
    /// The folder that its script lies in.
    var place: String
  }

  let shared: SharedFolders

  var root: String { shared.runtime + "/apps" }
  func folder(of app: String) -> String { "\(root)/\(app)" }

  /// The processes of an app, the latest first.
  func instances(of app: String) -> [Instance] {
    let folder = folder(of: app)
    return FolderNames.of(folder).filter { $0.hasSuffix(".json") }.map { file in
      var status = stat()
      stat("\(folder)/\(file)", &status)
      return Instance(
        app: app, folder: folder, name: String(file.dropLast(5)),
        made: status.st_mtim.tv_sec * 1_000_000_000 + status.st_mtim.tv_nsec)
    }.sorted { $0.made > $1.made }
  }

  /// A running app that handles a scheme without being registered.
  func app(for scheme: String) -> Claim? {
    FolderNames.of(root).sorted().lazy.flatMap(instances).compactMap(claim).first {
      $0.schemes.contains(scheme)
    }
  }

  /// What a process says of itself; nil for one that has gone, whose files go too.
  func claim(_ instance: Instance) -> Claim? {
    guard isAlive(instance) else {
      forget(instance)
      return nil
    }
    guard let bytes = try? SmallFile.read("\(instance.folder)/\(instance.name).json") else { return nil }
    let claim = try? Value(text: bytes).decode(Claim.self)
    return claim.flatMap { $0.id == instance.app ? $0 : nil }
  }

  /// Whether the process still holds the lock of its file. A process that can't be looked at is taken to run.
  func isAlive(_ instance: Instance) -> Bool {
    let path = "\(instance.folder)/\(instance.name).json"
    do {
      return !FileLock(try Descriptor.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)).tryTake(.shared)
    } catch {
      return error.code != ENOENT
    }
  }

  func forget(_ instance: Instance) {
    unlink("\(instance.folder)/\(instance.name)")
    unlink("\(instance.folder)/\(instance.name).json")
  }
}

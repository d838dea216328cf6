// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import CNBridgeLinux
internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem

/// Reads what the kernel tells of a folder. Used by one thread.
final class InotifyReader {
  private let inotify: Inotify
  private let root: OpenFile
  private let recursive: Bool
  /// Whether scripts hear of a path below the root, wherever the root is by now; nil when they hear of all.
  private var shows: (([UInt8]) -> Bool)?
  /// The watched folders' paths, with a slash behind each but the root's.
  private var folders: [Int32: [UInt8]] = [:]
  /// The paths that are there, to tell what replaces from what is new: an atomic write looks the same for
  /// both.
  private var known: Set<[UInt8]> = []
  /// Renamed away, the other half not seen yet: by the kernel's number for the pair.
  private var leaving: [(cookie: UInt32, path: [UInt8], isFolder: Bool)] = []

  private static let mask =
    UInt32(IN_CREATE | IN_CLOSE_WRITE | IN_MODIFY | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ONLYDIR)

  init(_ root: OpenFile, recursive: Bool) throws {
    self.root = root
    self.recursive = recursive
    do { inotify = try Inotify() } catch { throw FileFailure.from(error.code, "watch", root.path) }
    try watch(root, [])
  }

  /// Watches a folder, and the folders below it when the caller asked for that.
  private func watch(_ folder: OpenFile, _ prefix: [UInt8]) throws {
    var descent = Descent(folder, to: "watch")
    var pending: [(depth: Int, name: [UInt8]?, prefix: [UInt8])] = [(0, nil, prefix)]
    while let next = pending.popLast() {
      while descent.depth > next.depth { try descent.leave() }
      // Gone since its name was read, or no folder.
      if let name = next.name, (try? descent.enter(name)) == nil { continue }
      // Before its names are read: what comes in between is told.
      try addWatch(descent.folder, next.prefix)
      for name in try DirectoryNames.read(descent.folder) {
        known.insert(next.prefix + name.bytes)
        guard recursive, name.kind == .folder || name.kind == nil else { continue }
        pending.append((descent.depth, name.bytes, next.prefix + name.bytes + [UInt8(ascii: "/")]))
      }
    }
  }

  /// Watches the folder by its descriptor: what a path leads to could have been changed meanwhile.
  private func addWatch(_ folder: OpenFile, _ prefix: [UInt8]) throws {
    do { folders[try inotify.watch(descriptor: folder.number, Self.mask)] = prefix } catch {
      guard error.code == ENOSPC else { throw FileFailure.from(error.code, "watch", root.path) }
      throw BridgeError(
        .quotaExceeded,
        """
        can't watch '\(root.path.shown)': the user's limit of watched folders is reached \
        (fs.inotify.max_user_watches)
        """
      )
    }
  }

  /// Waits for something to read. False when `wake` came.
  func wait(or wake: WakeFile) -> Bool {
    // A rename whose other half is outside of the folder never gets it: it is told as a removal when nothing
    // more comes.
    let patience = leaving.isEmpty ? nil : 20
    return !Poller.wait(forAnyOf: [inotify.number, wake.number], milliseconds: patience)[1]
  }

  /// The changes that happened, in order.
  func read() -> [FileChange] {
    var changes: [FileChange] = []
    shows = root.seal?.filter(root)
    let events = inotify.read()
    for event in events { note(event, &changes) }
    if events.isEmpty { tellLeft(&changes) }
    return changes
  }

  private func tellLeft(_ changes: inout [FileChange]) {
    for left in leaving {
      known.remove(left.path)
      if left.isFolder { forget(below: left.path + [UInt8(ascii: "/")]) }
      changes.append(FileChange(kind: .removed, path: PathText.decode(left.path)))
    }
    leaving = []
  }

  private func note(_ event: Inotify.Event, _ changes: inout [FileChange]) {
    let name = event.name
    let mask = Int32(bitPattern: event.mask)
    if mask & IN_Q_OVERFLOW != 0 {
      changes.append(FileChange(kind: .overflow, path: ""))
      // Folders may have come that no event told of.
      return rewatch()
    }
    if mask & IN_IGNORED != 0 { return folders[event.watch] = nil }
    guard let prefix = folders[event.watch], !name.isEmpty else { return }
    // Contents on their way to a place: nameless ones, which the kernel calls '#' and a number, and named
    // ones.
    let isNameless = name.first == UInt8(ascii: "#") && !known.contains(prefix + name)
    if isNameless || name.starts(with: Staging.prefix.utf8) { return }
    let path = prefix + name
    if let shows, !shows(path) { return }
    let isFolder = mask & IN_ISDIR != 0
    if mask & IN_CREATE != 0 {
      appear(path, &changes)
      if isFolder { enter(path, &changes) }
    } else if mask & IN_MOVED_FROM != 0 {
      leaving.append((event.cookie, path, isFolder))
    } else if mask & IN_MOVED_TO != 0 {
      arrive(event.cookie, path, isFolder, &changes)
    } else if mask & IN_DELETE != 0 {
      known.remove(path)
      changes.append(FileChange(kind: .removed, path: PathText.decode(path)))
    } else {
      changes.append(FileChange(kind: .modified, path: PathText.decode(path)))
    }
  }

  private func appear(_ path: [UInt8], _ changes: inout [FileChange]) {
    let isNew = known.insert(path).inserted
    changes.append(FileChange(kind: isNew ? .created : .modified, path: PathText.decode(path)))
  }

  private func arrive(_ cookie: UInt32, _ path: [UInt8], _ isFolder: Bool, _ changes: inout [FileChange]) {
    let to = PathText.decode(path)
    guard let index = leaving.firstIndex(where: { $0.cookie == cookie }) else {
      // From outside: an atomic write arrives like this.
      appear(path, &changes)
      if isFolder { enter(path, &changes) }
      return
    }
    let from = leaving.remove(at: index).path
    known.remove(from)
    known.insert(path)
    changes.append(FileChange(kind: .renamed, path: to, from: PathText.decode(from)))
    guard isFolder else { return }
    let (old, new) = (from + [UInt8(ascii: "/")], path + [UInt8(ascii: "/")])
    for (number, prefix) in folders where prefix.starts(with: old) {
      folders[number] = new + prefix.dropFirst(old.count)
    }
  }

  /// A folder came: it is watched, and what it holds already is told.
  private func enter(_ path: [UInt8], _ changes: inout [FileChange]) {
    guard recursive,
      let below = try? root.open(
        FilePath(PathText.decode(path)), O_RDONLY | O_DIRECTORY | O_NOFOLLOW, to: "watch")
    else { return }
    let prefix = path + [UInt8(ascii: "/")]
    guard let number = try? inotify.watch(descriptor: below.number, Self.mask) else {
      return changes.append(FileChange(kind: .overflow, path: ""))
    }
    folders[number] = prefix
    for name in (try? DirectoryNames.read(below)) ?? [] {
      appear(prefix + name.bytes, &changes)
      if name.kind == .folder { enter(prefix + name.bytes, &changes) }
    }
  }

  /// A folder went where it is not ours to watch.
  private func forget(below prefix: [UInt8]) {
    for (number, path) in folders where path.starts(with: prefix) {
      inotify.forget(number)
      folders[number] = nil
    }
  }

  private func rewatch() {
    if recursive { try? watch(root, []) }
  }
}

// SPDX-License-Identifier: MIT

internal import CGLib
internal import CLinux
internal import Glibc
internal import NBridgePlugin

/// Reads what the kernel tells of a folder. Used by one thread.
final class InotifyReader {
  private let inotify: Int32
  private let root: OpenFile
  private let recursive: Bool
  /// Whether scripts hear of a path below the root, wherever that is by now; nil when they hear of all.
  private var shows: (([UInt8]) -> Bool)?
  /// The watched folders' paths, with a slash behind each but the root's.
  private var folders: [Int32: [UInt8]] = [:]
  /// The paths that are there, to tell what replaces from what is new: an atomic write looks the same for
  /// both.
  private var known: Set<[UInt8]> = []
  private var buffer = UnsafeMutableRawBufferPointer.allocate(byteCount: 1 << 16, alignment: 8)
  /// Renamed away, the other half not seen yet: by the kernel's number for the pair.
  private var leaving: [(cookie: UInt32, path: [UInt8], isFolder: Bool)] = []

  private static let mask =
    UInt32(IN_CREATE | IN_CLOSE_WRITE | IN_MODIFY | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ONLYDIR)

  init(_ root: OpenFile, recursive: Bool) throws {
    inotify = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
    self.root = root
    self.recursive = recursive
    guard inotify >= 0 else { throw FileFailure.last("watch", root.path) }
    try watch(root, [])
  }

  deinit {
    close(inotify)
    buffer.deallocate()
  }

  /// Watches a folder, and those below when that is asked for.
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

  /// By its descriptor: what a path leads to could have been changed meanwhile.
  private func addWatch(_ folder: OpenFile, _ prefix: [UInt8]) throws {
    let number = inotify_add_watch(inotify, "/proc/self/fd/\(folder.number)", Self.mask)
    if number < 0, errno == ENOSPC {
      throw BridgeError(
        .quotaExceeded,
        """
        can't watch '\(root.path.shown)': the user's limit of watched folders is reached \
        (fs.inotify.max_user_watches)
        """
      )
    }
    guard number >= 0 else { throw FileFailure.last("watch", root.path) }
    folders[number] = prefix
  }

  /// Waits for something to read. False when `wake` came.
  func wait(or wake: WakeFile) -> Bool {
    var files = [
      pollfd(fd: inotify, events: Int16(POLLIN), revents: 0),
      pollfd(fd: wake.number, events: Int16(POLLIN), revents: 0),
    ]
    // A rename whose other half is outside never gets it: it is told as a removal when nothing more comes.
    let patience: Int32 = leaving.isEmpty ? -1 : 20
    while poll(&files, 2, patience) < 0, errno == EINTR {}
    return files[1].revents == 0
  }

  /// What happened, in order.
  func read() -> [FileChange] {
    var changes: [FileChange] = []
    var isQuiet = true
    shows = root.seal?.filter(root)
    while true {
      let count = Glibc.read(inotify, buffer.baseAddress, buffer.count)
      if count <= 0 { break }
      isQuiet = false
      var offset = 0
      while offset < count, let base = buffer.baseAddress {
        let event = base.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
        let start = offset + MemoryLayout<inotify_event>.size
        let name = Array(buffer[start..<(start + Int(event.len))].prefix { $0 != 0 })
        note(event, name, &changes)
        offset = start + Int(event.len)
      }
    }
    if isQuiet { tellLeft(&changes) }
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

  private func note(_ event: inotify_event, _ name: [UInt8], _ changes: inout [FileChange]) {
    let mask = Int32(bitPattern: event.mask)
    if mask & IN_Q_OVERFLOW != 0 {
      changes.append(FileChange(kind: .overflow, path: ""))
      // Folders may have come that nobody told of.
      return rewatch()
    }
    if mask & IN_IGNORED != 0 { return folders[event.wd] = nil }
    guard let prefix = folders[event.wd], !name.isEmpty else { return }
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
    let number = inotify_add_watch(inotify, "/proc/self/fd/\(below.number)", Self.mask)
    if number < 0 { return changes.append(FileChange(kind: .overflow, path: "")) }
    folders[number] = prefix
    for name in (try? DirectoryNames.read(below)) ?? [] {
      appear(prefix + name.bytes, &changes)
      if name.kind == .folder { enter(prefix + name.bytes, &changes) }
    }
  }

  /// A folder went where it is not ours to watch.
  private func forget(below prefix: [UInt8]) {
    for (number, path) in folders where path.starts(with: prefix) {
      inotify_rm_watch(inotify, number)
      folders[number] = nil
    }
  }

  private func rewatch() {
    if recursive { try? watch(root, []) }
  }
}

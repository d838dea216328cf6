// SPDX-License-Identifier: MIT

internal import CGLib
internal import CLinux
internal import Glibc
internal import NBridgePlugin
internal import Synchronization

/// Notices what others do to open documents: one inotify for all of them, one thread that sleeps.
final class DocumentWatcher: Sendable {
  private struct State {
    /// The documents by the folder's watch, with the name that is theirs there; no name for a package's own folders.
    var watched: [Int32: [(document: LivingDocument, name: [UInt8]?)]] = [:]
    var isRunning = false
  }
  private let state = Mutex<State>(State())
  private let inotify = inotify_init1(Int32(IN_NONBLOCK | IN_CLOEXEC))
  private let wake = WakeFile()

  /// A content counts when its writer is done with it, so writes are not looked at before the file is closed.
  private static let mask =
    UInt32(IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_ONLYDIR)
  /// How long a document may be gone before the script hears of it: many programs save by moving the old file away first.
  private static let patience: Int32 = 100

  deinit {
    wake.set()
    close(inotify)
  }

  /// Tells a document from now on to look when something happens in its place.
  func watch(_ document: LivingDocument) throws {
    guard inotify >= 0 else { throw FileFailure.last("watch", try document.place().path) }
    let place = try document.place()
    try add(place.folder, document, place.name)
    if document.shape == .package, let folder = try? place.open(asFolder: true) {
      try watchPackage(folder, document)
    }
    start()
  }

  private func watchPackage(_ folder: OpenFile, _ document: LivingDocument) throws {
    try add(folder, document, nil)
    for name in try DirectoryNames.read(folder) where name.kind == .folder {
      let below = FilePlace(folder: folder, name: name.bytes, path: folder.path)
      try watchPackage(below.open(asFolder: true), document)
    }
  }

  private func add(_ folder: OpenFile, _ document: LivingDocument, _ name: [UInt8]?) throws {
    // Under the lock, or another's `forget` could take the same watch away again.
    try state.withLock { state in
      let number = inotify_add_watch(inotify, "/proc/self/fd/\(folder.number)", Self.mask)
      guard number >= 0 else { throw FileFailure.last("watch", folder.path) }
      let known = state.watched[number] ?? []
      if known.contains(where: { $0.document === document && $0.name == name }) { return }
      state.watched[number] = known + [(document, name)]
    }
  }

  func forget(_ document: LivingDocument) {
    state.withLock { state in
      for (number, list) in state.watched {
        let left = list.filter { $0.document !== document }
        state.watched[number] = left.isEmpty ? nil : left
        if left.isEmpty { inotify_rm_watch(inotify, number) }
      }
    }
  }

  // MARK: - The thread

  private func start() {
    let isFirst = state.withLock { state in
      defer { state.isRunning = true }
      return !state.isRunning
    }
    guard isFirst else { return }
    let (inotify, wake) = (inotify, wake)
    PlainThread.start("nb-documents") { [weak self] in
      var gone: [LivingDocument] = []
      while true {
        var sources = [
          pollfd(fd: inotify, events: Int16(POLLIN), revents: 0),
          pollfd(fd: wake.number, events: Int16(POLLIN), revents: 0),
        ]
        let ready = poll(&sources, 2, gone.isEmpty ? -1 : Self.patience)
        if sources[1].revents != 0 { return }
        guard let self else { return }
        if ready == 0 {
          for document in gone { document.look() }
          gone = []
        } else {
          self.lookAround(&gone)
        }
      }
    }
  }

  private func lookAround(_ gone: inout [LivingDocument]) {
    for document in concerned() {
      if document.isGone {
        gone.append(document)
      } else {
        gone.removeAll { $0 === document }
        document.look()
      }
      // An exchanged package is another folder.
      if document.shape == .package { try? watch(document) }
    }
  }

  /// The documents that something happened to, each once.
  private func concerned() -> [LivingDocument] {
    var found: [ObjectIdentifier: LivingDocument] = [:]
    withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 8) { buffer in
      while case let count = read(inotify, buffer.baseAddress, buffer.count), count > 0 {
        var offset = 0
        while offset < count, let base = buffer.baseAddress {
          let event = base.loadUnaligned(fromByteOffset: offset, as: inotify_event.self)
          let start = offset + MemoryLayout<inotify_event>.size
          let name = Array(buffer[start..<(start + Int(event.len))].prefix { $0 != 0 })
          for document in documents(event, name) { found[ObjectIdentifier(document)] = document }
          offset = start + Int(event.len)
        }
      }
    }
    return Array(found.values)
  }

  private func documents(_ event: inotify_event, _ name: [UInt8]) -> [LivingDocument] {
    state.withLock { state in
      let mask = Int32(bitPattern: event.mask)
      if mask & IN_Q_OVERFLOW != 0 { return state.watched.values.joined().map(\.document) }
      if mask & IN_IGNORED != 0 {
        state.watched[event.wd] = nil
        return []
      }
      return (state.watched[event.wd] ?? []).filter { $0.name == nil || $0.name == name }.map(\.document)
    }
  }
}

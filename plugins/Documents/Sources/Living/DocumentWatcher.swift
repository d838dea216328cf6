// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import CNBridgeLinux
internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem
internal import Synchronization

/// Notices what others do to open documents: one inotify for all of them, one thread that sleeps.
final class DocumentWatcher: Sendable {
  private struct Watched {
    let document: LivingDocument
    /// The document's name in the folder; nil for a package's own folders.
    let name: [UInt8]?
  }
  private struct State {
    /// The documents, by their folder's watch.
    var folders: [Int32: [Watched]] = [:]
    var isRunning = false
  }
  private let state = Mutex<State>(State())
  /// Nil where it can't be had.
  private let inotify = try? Inotify()
  private let wake = WakeFile()

  /// A content counts when its writer is done with it, so writes are not looked at before the file is closed.
  private static let mask =
    UInt32(
      IN_CLOSE_WRITE | IN_CREATE | IN_DELETE | IN_MOVED_FROM | IN_MOVED_TO | IN_DELETE_SELF | IN_MOVE_SELF
        | IN_ONLYDIR)

  deinit { wake.set() }

  /// Tells a document from now on to look when something happens in its place.
  func watch(_ document: LivingDocument) throws {
    let place = try document.place()
    try add(place.folder, document, place.name)
    if document.isPackage, let folder = try? place.open(asFolder: true) { try watchPackage(folder, document) }
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
      if document.isClosed { return }
      let number = try number(of: folder)
      let known = state.folders[number] ?? []
      if known.contains(where: { $0.document === document && $0.name == name }) { return }
      state.folders[number] = known + [Watched(document: document, name: name)]
    }
  }

  private func number(of folder: OpenFile) throws -> Int32 {
    guard let inotify else { throw FileFailure.from(EMFILE, "watch", folder.path) }
    do { return try inotify.watch(descriptor: folder.number, Self.mask) } catch {
      throw FileFailure.from(error.code, "watch", folder.path)
    }
  }

  func forget(_ document: LivingDocument) {
    state.withLock { state in
      for (number, list) in state.folders {
        let left = list.filter { $0.document !== document }
        if left.count == list.count { continue }
        state.folders[number] = left.isEmpty ? nil : left
        if left.isEmpty { inotify?.forget(number) }
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
      var lost = LostDocuments()
      while true {
        let numbers = [inotify?.number ?? -1, wake.number]
        let mustEnd = Poller.wait(forAnyOf: numbers, milliseconds: lost.milliseconds)[1]
        guard !mustEnd, let self else { return }
        self.lookAround(&lost)
      }
    }
  }

  private func lookAround(_ lost: inout LostDocuments) {
    for document in concerned() + lost.takeDue() where !document.isClosed {
      // Watched before it is looked at, so that nothing falls between: an exchanged package is another
      // folder, and so is a folder that was removed and made again.
      let hasFolder = (try? watch(document)) != nil
      let isLate = lost.isLate(document)
      if document.look(tellsGone: isLate) == .gone || !hasFolder {
        lost.note(document, isWithoutFolder: !hasFolder && isLate)
      } else {
        lost.found(document)
      }
    }
  }

  /// The documents that something happened to, each once.
  private func concerned() -> [LivingDocument] {
    var found: [ObjectIdentifier: LivingDocument] = [:]
    for event in inotify?.read() ?? [] {
      for document in documents(event) { found[ObjectIdentifier(document)] = document }
    }
    return Array(found.values)
  }

  private func documents(_ event: Inotify.Event) -> [LivingDocument] {
    state.withLock { state in
      let mask = Int32(bitPattern: event.mask)
      if mask & IN_Q_OVERFLOW != 0 { return state.folders.values.joined().map(\.document) }
      let watched = state.folders[event.watch] ?? []
      if mask & (IN_IGNORED | IN_DELETE_SELF | IN_MOVE_SELF) != 0 {
        // A folder that went elsewhere is not the document's any more.
        if mask & IN_MOVE_SELF != 0 { inotify?.forget(event.watch) }
        state.folders[event.watch] = nil
        return watched.map(\.document)
      }
      return watched.filter { $0.name == nil || $0.name == event.name }.map(\.document)
    }
  }
}

/// Documents that are gone: many programs save by moving the old file away first, so the script hears of it
/// only after a while; and a document whose folder is gone, too, is looked for now and then.
private struct LostDocuments {
  private struct Lost {
    let document: LivingDocument
    var due: ContinuousClock.Instant
    var isLate = false
  }
  private var list: [Lost] = []

  private static let patience = Duration.milliseconds(100)
  private static let interval = Duration.milliseconds(500)

  /// How long the watcher may wait; nil for as long as nothing happens.
  var milliseconds: Int? {
    guard let first = list.map(\.due).min() else { return nil }
    let (seconds, attoseconds) = (first - .now).components
    return Int(max(1, seconds * 1000 + attoseconds / 1_000_000_000_000_000 + 1))
  }

  /// Takes the documents whose time has come: they are late now.
  mutating func takeDue() -> [LivingDocument] {
    let now = ContinuousClock.now
    for index in list.indices where list[index].due <= now { list[index].isLate = true }
    list.removeAll { $0.document.isClosed }
    return list.filter { $0.due <= now }.map(\.document)
  }

  func isLate(_ document: LivingDocument) -> Bool { list.contains { $0.document === document && $0.isLate } }

  mutating func note(_ document: LivingDocument, isWithoutFolder: Bool) {
    if let index = list.firstIndex(where: { $0.document === document }) {
      if list[index].due <= .now || isWithoutFolder { list[index].due = .now + Self.interval }
    } else {
      list.append(Lost(document: document, due: .now + Self.patience))
    }
  }

  mutating func found(_ document: LivingDocument) { list.removeAll { $0.document === document } }
}

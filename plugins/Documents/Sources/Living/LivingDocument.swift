// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgePlugin
internal import Synchronization

/// The native half of an open document: where it stands, and which versions of it are the document's own.
///
/// Callable from any thread but the engine's; one thing happens at a time, so that a save never meets the
/// look of a watcher half way.
final class LivingDocument: HandleObject {
  static let handle = HandleType("document", "An open document.")

  /// The document's place, and the versions that were seen there.
  private struct State {
    var path: FilePath
    var directory: Directory
    /// The version that the last save of this document made, as long as the script did not take over another
    /// one.
    var saved: String?
    /// The version that the script was last told of, or has read; nil for none.
    var seen: String?
    /// The number of the last save: one that was overtaken is not done any more.
    var sequence = 0
  }

  let disk: DocumentDisk
  private let files: Files
  private let state: Mutex<State>
  /// Beside the state, which a save holds for as long as the disk takes.
  private let listener = Mutex<AsyncStream<DocumentEvent>.Continuation?>(nil)
  /// The watcher wanted to look while a save was under way.
  private let wantsLook = Atomic<Bool>(false)
  private let closed = Atomic<Bool>(false)
  let isReadOnly: Bool
  /// What watches it, and is told when it is closed.
  private weak let documents: LivingDocuments?

  init(_ options: OpenDocumentOptions, _ files: Files, in documents: LivingDocuments? = nil) throws {
    var text = options.path
    while text.count > 1, text.last == "/" { text.removeLast() }
    let path = try FilePath(text)
    let directory = options.directory ?? .documents
    disk = DocumentDisk(shape: options.shape, encoding: options.encoding, staging: files.staging)
    try disk.check(path)
    self.files = files
    self.documents = documents
    isReadOnly = directory.isReadOnly
    state = Mutex(State(path: path, directory: directory))
  }

  var isPackage: Bool { disk.shape == .package }
  var isClosed: Bool { closed.load(ordering: .acquiring) }

  // MARK: - Reading

  /// The folder that it stands in, to be watched, and its name there.
  func place() throws -> FilePlace { try state.withLock { try place($0, to: "open") } }

  private func place(_ state: State, to verb: String) throws -> FilePlace {
    let writes = verb != "open"
    let root =
      writes
      ? try files.directories.writable(state.directory, state.path)
      : try files.directories.root(state.directory)
    return try root.place(of: state.path, to: verb)
  }

  /// The version that is on the disk now: none, too, when the folder is gone.
  func read() throws -> DocumentVersion {
    try state.withLock { state in
      let version: DocumentVersion
      do { version = try disk.read(place(state, to: "open")) } catch let error as BridgeError
        where error.code == .notFound
      {
        version = DocumentVersion()
      }
      if version.identity != state.saved { state.saved = nil }
      state.seen = version.identity
      return version
    }
  }

  // MARK: - Saving

  /// Puts a content into the document's place, if that still holds what the content is based on.
  /// Throws ``BridgeError/Code/conflict`` if not.
  func save(_ options: SaveOptions) throws -> SavedDocument {
    defer { lookIfWanted() }
    return try state.withLock { state in
      if options.sequence <= state.sequence { return SavedDocument(identity: state.saved) }
      let own = state.saved
      let place = try place(state, to: "save")
      state.saved = try disk.put(options, in: place, membersFrom: place) {
        $0 == options.base || (own != nil && $0 == own)
      }
      state.sequence = options.sequence
      state.seen = state.saved
      return SavedDocument(identity: state.saved)
    }
  }

  /// Saves under another name, which is the document's from then on.
  func saveAs(_ options: SaveOptions, _ target: SaveTarget) throws -> SavedDocument {
    let saved = try moved(options, target)
    try documents?.watch(self)
    return saved
  }

  private func moved(_ options: SaveOptions, _ target: SaveTarget) throws -> SavedDocument {
    defer { lookIfWanted() }
    return try state.withLock { state in
      var moved = state
      moved.path = try FilePath(target.path)
      moved.directory = target.directory ?? state.directory
      let place = try place(moved, to: "save as")
      let there = try disk.identity(place)
      if target.overwrite != true, there != nil { throw FileFailure.from(EEXIST, "save as", place.path) }
      do { moved.saved = try disk.put(options, in: place) { $0 == there } } catch let error as BridgeError
        where error.code == .conflict && target.overwrite != true
      {
        throw FileFailure.from(EEXIST, "save as", place.path)
      }
      moved.sequence = options.sequence
      moved.seen = moved.saved
      state = moved
      return SavedDocument(identity: state.saved)
    }
  }

  /// Writes a content beside the document, under a name that is free. Answers the path of the copy.
  func keepCopy(_ options: SaveOptions) throws -> String {
    try state.withLock { state in
      for attempt in 1...100 {
        var copy = state
        copy.path = try ConflictName.path(for: state.path, attempt)
        do {
          _ = try disk.put(options, in: place(copy, to: "save")) { $0 == nil }
          return copy.path.text
        } catch let error as BridgeError where error.code == .conflict { continue }
      }
      throw BridgeError(.exists, "can't keep a copy of '\(state.path.shown)': every name for it is taken")
    }
  }

  /// The same as a save, or a copy beside the document when another program changed it first: for a program's
  /// end. Answers the copy's path.
  func saveLast(_ options: SaveOptions) throws -> String? {
    do {
      if options.inConflict == true {
        // The document's own name, if others left it free.
        try state.withLock { _ = try disk.put(options, in: place($0, to: "save")) { $0 == nil } }
      } else {
        _ = try save(options)
      }
      return nil
    } catch let error as BridgeError where error.code == .conflict {
      return try keepCopy(options)
    }
  }

  // MARK: - Changes by others

  /// What other programs do with the document from now on.
  func events() -> AsyncStream<DocumentEvent> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: DocumentEvent.self, bufferingPolicy: .bufferingNewest(1))
    listener.withLock { $0 = continuation }
    return stream
  }

  /// The result of a look at the document's place.
  enum Look {
    case told, gone
  }

  /// Looks whether the place holds what the script does not know of, and tells it. That it is empty is told
  /// only if so wanted: it may be on its way back.
  @discardableResult
  func look(tellsGone: Bool = true) -> Look {
    wantsLook.store(true, ordering: .sequentiallyConsistent)
    return lookIfWanted(tellsGone: tellsGone)
  }

  /// A save that is under way looks when it is over.
  @discardableResult
  private func lookIfWanted(tellsGone: Bool = true) -> Look {
    var result = Look.told
    while wantsLook.load(ordering: .sequentiallyConsistent) {
      let looked: Void? = state.withLockIfAvailable { state in
        wantsLook.store(false, ordering: .sequentiallyConsistent)
        result = look(&state, tellsGone: tellsGone)
      }
      if looked == nil { break }
    }
    return result
  }

  private func look(_ state: inout State, tellsGone: Bool) -> Look {
    // A document that can't be looked at is as good as gone.
    let found = (try? place(state, to: "open")).flatMap { try? disk.identity($0) }
    guard found != state.seen else { return .told }
    if found == nil, !tellsGone { return .gone }
    state.seen = found
    listener.withLock { _ = $0?.yield(DocumentEvent(identity: found)) }
    return .told
  }

  func close() {
    closed.store(true, ordering: .releasing)
    documents?.forget(self)
    listener.withLock { listener in
      listener?.finish()
      listener = nil
    }
  }
}

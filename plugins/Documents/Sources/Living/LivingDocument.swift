// SPDX-License-Identifier: MIT

internal import CLinux
internal import Glibc
internal import NBridgePlugin
internal import Synchronization

/// The native half of an open document: where it stands, and which versions of it are the document's own.
///
/// Callable from any thread; one thing happens at a time, so that a save never meets the look of a watcher half way.
final class LivingDocument: Sendable {
  /// What a document's content is on the disk.
  enum Shape: String, Codable, CaseIterable, Sendable {
    case text, bytes, propertyList, package
  }

  /// Where it stands and what was seen there.
  private struct State {
    var path: FilePath
    var directory: Directory
    /// What the last save of this document made.
    var saved: String?
    /// What the script was last told of, or has read; nil for nothing there.
    var seen: String?
    /// The number of the last save: one that was overtaken is not done any more.
    var sequence = 0
    var events: AsyncStream<DocumentEvent>.Continuation?
  }

  let shape: Shape
  private let encoding: String?
  private let files: Files
  private let state: Mutex<State>

  init(_ options: OpenDocumentOptions, _ files: Files) throws {
    shape = options.shape
    encoding = options.encoding
    self.files = files
    state = Mutex(State(path: try FilePath(options.path), directory: options.directory ?? .documents))
  }

  // MARK: - Reading

  /// Whether it can't be written because of where it stands.
  var isReadOnly: Bool { state.withLock { $0.directory.isReadOnly } }

  /// The folder that it stands in, to be watched, and its name there.
  func place() throws -> FilePlace { try state.withLock { try place($0, writes: false) } }

  private func place(_ state: State, writes: Bool) throws -> FilePlace {
    let root =
      writes
      ? try files.directories.writable(state.directory, state.path)
      : try files.directories.root(state.directory)
    return try root.place(of: state.path, to: writes ? "save" : "open")
  }

  /// What is on the disk now.
  func read() throws -> DocumentVersion {
    try state.withLock { state in
      let version = try load(place(state, writes: false))
      state.seen = version.identity
      return version
    }
  }

  /// Reads until nothing changes meanwhile.
  private func load(_ place: FilePlace) throws -> DocumentVersion {
    for _ in 0..<10 {
      let identity = try identity(place)
      guard identity != nil else { return DocumentVersion() }
      do {
        var version = try content(place)
        if try self.identity(place) == identity {
          version.identity = identity
          return version
        }
      } catch let error as BridgeError where error.code == .notFound { continue }
    }
    throw BridgeError(.ioError, "can't read '\(place.path.shown)': it is being changed all the time")
  }

  private func content(_ place: FilePlace) throws -> DocumentVersion {
    if shape == .package {
      return DocumentVersion(members: try PackageFolder.read(place.open(asFolder: true)))
    }
    let bytes = try WholeFile.read(place.open(asFolder: false))
    switch shape {
    case .text: return DocumentVersion(text: try TextCoding.decode(bytes, encoding, place.path))
    case .propertyList: return DocumentVersion(value: try PropertyList.decode(bytes, place.path))
    case .bytes, .package: return DocumentVersion(content: bytes)
    }
  }

  /// What stands in a place, as `stat` tells it; nil for nothing.
  private func identity(_ place: FilePlace) throws -> String? {
    guard let status = try place.folder.facts(of: place.name, place.path) else { return nil }
    switch (FileKind(mode: status.st_mode), shape) {
    case (.folder, .package): return try PackageFolder.identity(place.open(asFolder: true))
    case (.file, .package):
      throw BridgeError(.notDirectory, "can't open '\(place.path.shown)' as a package: it is a file")
    case (.file, _): return FileFacts.identity(status)
    case (.folder, _): throw FileFailure.from(EISDIR, "open", place.path)
    case (.link, _):
      throw BridgeError(
        .invalidParameter, "can't open '\(place.path.shown)': it is a link; open what it leads to")
    case (.other, _): throw FileFailure.from(ENXIO, "open", place.path)
    }
  }

  // MARK: - Saving

  /// Puts a content into the document's place, if that still holds what the content is based on.
  /// Throws ``BridgeError/Code/conflict`` if not.
  func save(_ options: SaveOptions) throws -> SavedDocument {
    try state.withLock { state in
      if options.sequence <= state.sequence { return SavedDocument(identity: state.saved) }
      let own = state.saved
      let place = try place(state, writes: true)
      state.saved = try put(options, in: place, membersFrom: place) {
        $0 == options.base || (own != nil && $0 == own)
      }
      state.sequence = options.sequence
      state.seen = state.saved
      return SavedDocument(identity: state.saved)
    }
  }

  /// Saves under another name, which is the document's from then on.
  func saveAs(_ options: SaveOptions, _ target: SaveTarget) throws -> SavedDocument {
    try state.withLock { state in
      var moved = state
      moved.path = try FilePath(target.path)
      moved.directory = target.directory ?? state.directory
      let place = try place(moved, writes: true)
      if target.overwrite != true, try place.folder.facts(of: place.name, place.path) != nil {
        throw FileFailure.from(EEXIST, "save as", place.path)
      }
      let there = try identity(place)
      moved.saved = try put(options, in: place) { $0 == there }
      moved.sequence = options.sequence
      moved.seen = moved.saved
      state = moved
      return SavedDocument(identity: state.saved)
    }
  }

  /// Writes a content beside the document, under a name that nobody has. Answers that name's path.
  func keepCopy(_ options: SaveOptions) throws -> String {
    try state.withLock { state in
      for attempt in 1...100 {
        let path = try ConflictName.path(for: state.path, attempt)
        var copy = state
        copy.path = path
        do {
          _ = try put(options, in: place(copy, writes: true)) { $0 == nil }
          return path.text
        } catch let error as BridgeError where error.code == .conflict { continue }
      }
      throw BridgeError(.exists, "can't keep a copy of '\(state.path.shown)': every name for it is taken")
    }
  }

  /// The same, or a copy beside when others were first: for a program's end. Answers the copy's path.
  func saveLast(_ options: SaveOptions) throws -> String? {
    if options.inConflict != true {
      do {
        _ = try save(options)
        return nil
      } catch let error as BridgeError where error.code == .conflict {}
    }
    return try keepCopy(options)
  }

  /// Answers the identity of what was put there, not of what may stand there by now.
  ///
  /// - Parameter old: where the unchanged members of a package are; nil when the script brings all of them.
  private func put(
    _ options: SaveOptions, in place: FilePlace, membersFrom old: FilePlace? = nil,
    _ accepts: @escaping (String?) -> Bool
  ) throws -> String {
    if shape == .package {
      return try PackageFolder.save(options.members ?? [], from: old, to: place, files.staging, accepts)
    }
    let replacement = try Replacement(place, WriteRules(accepts: accepts), files.staging)
    try encoded(options, place.path).withUnsafeBytes { try replacement.append($0) }
    try replacement.commit()
    return FileFacts.identity(try replacement.file.facts())
  }

  private func encoded(_ options: SaveOptions, _ path: FilePath) throws -> Bytes {
    switch shape {
    case .text: try TextCoding.encode(options.text ?? "", encoding, path)
    case .propertyList: try PropertyList.encode(options.value ?? .null, binary: options.binary ?? false, path)
    case .bytes, .package: options.content ?? Bytes([])
    }
  }

  // MARK: - Changes by others

  /// What others do with the document from now on.
  func events() -> AsyncStream<DocumentEvent> {
    let (stream, continuation) = AsyncStream.makeStream(
      of: DocumentEvent.self, bufferingPolicy: .bufferingNewest(1))
    state.withLock { $0.events = continuation }
    look()
    return stream
  }

  /// Looks whether the place holds what the script does not know of, and tells it.
  func look() {
    state.withLock { state in
      guard let events = state.events else { return }
      // What is there, but is no document any more, is as good as gone.
      let found = (try? place(state, writes: false)).flatMap { try? identity($0) }
      guard found != state.seen else { return }
      state.seen = found
      events.yield(DocumentEvent(identity: found))
    }
  }

  /// Whether the place is empty, although the script knows of something: it may be on its way back.
  var isGone: Bool {
    state.withLock { state in
      guard state.seen != nil, let place = try? place(state, writes: false) else { return false }
      do { return try place.facts() == nil } catch { return false }
    }
  }

  func close() {
    state.withLock { state in
      state.events?.finish()
      state.events = nil
    }
  }
}

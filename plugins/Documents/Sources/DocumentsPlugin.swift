// SPDX-License-Identifier: MIT

internal import Glibc
public import NBridgePlugin
internal import Synchronization

/// The app's own folders: files that are written whole or not at all, and never outside.
public struct DocumentsPlugin: Plugin {
  /// `nbridge.documents`.
  public static let manifest = PluginManifest(
    service: "documents", version: "1.0.0",
    help: "The app's own folders: files that are written whole or not at all, and never outside.",
    script: PluginScript(
      files: [
        PackageResources.content_js, PackageResources.documents_js, PackageResources.history_js,
        PackageResources.states_js, PackageResources.autosave_js, PackageResources.living_js,
        PackageResources.open_js,
      ],
      members: PackageResources.members_d_ts, types: PackageResources.types_d_ts))

  private let state = DocumentsState()

  /// Makes the plugin.
  public init() {}

  /// Drops what is open.
  public func stop() { state.close() }

  /// The plugin's actions.
  public var body: PluginBody {
    readingBody.blocking()
    writingBody.blocking()
    treeBody.blocking()
    livingBody.blocking()
    watchingBody
  }

  @PluginBuilder private var readingBody: PluginBody {
    Detached("readText", "A file's text.") { (options: ReadOptions, call) in
      let (files, path) = (state.files(call.app), try FilePath(options.path))
      let bytes = try state.progress.run(options.progress) {
        try WholeFile.read(files.open(path, options.directory, O_RDONLY, to: "read"), $0)
      }
      return try TextCoding.decode(bytes, options.encoding, path)
    }
    .hidden().permission("read")
    Detached("readBytes", "A file's bytes.") { (options: ReadOptions, call) in
      try state.progress.run(options.progress) {
        try WholeFile.read(
          state.files(call.app).open(FilePath(options.path), options.directory, O_RDONLY, to: "read"), $0)
      }
    }
    .hidden().permission("read")
    Detached("readPropertyList", "What a property list holds.") { (options: ReadOptions, call) in
      let (files, path) = (state.files(call.app), try FilePath(options.path))
      return try PropertyList.decode(
        WholeFile.read(files.open(path, options.directory, O_RDONLY, to: "read")), path)
    }
    .hidden().permission("read")
    Detached("readRange", "Some of a file's bytes; fewer than asked for only at its end.") {
      (options: RangeOptions, call) in
      let file = try state.files(call.app).open(
        FilePath(options.path), options.directory, O_RDONLY, to: "read")
      return try FileRange.read(file, options)
    }
    .positional("path", "offset", "length").permission("read")
    .errors(.notFound, .notDirectory, .permissionDenied, .tooLarge, .ioError)
    Detached("stat", "What is known of a file or folder; links are followed.") {
      (options: PathOptions, call) in
      let path = try FilePath(options.path)
      return FileMetadata(try state.files(call.app).look(path, options.directory).facts(), path)
    }
    .positional("path").permission("read").errors(.notFound, .notDirectory, .permissionDenied, .ioError)
    Detached("exists", "Whether there is a file or folder.") { (options: PathOptions, call) in
      do {
        _ = try state.files(call.app).look(FilePath(options.path), options.directory)
        return true
      } catch let error as BridgeError where error.code == .notFound || error.code == .notDirectory {
        return false
      }
    }
    .positional("path").permission("read").errors(.permissionDenied, .ioError)
    Detached("hash", "The digest of a file, in hexadecimal.") { (options: HashOptions, call) in
      try state.progress.run(options.progress) { progress -> String in
        let file = try state.files(call.app).open(
          FilePath(options.path), options.directory, O_RDONLY, to: "read")
        return try (options.algorithm ?? .sha256).digest(file, call, progress)
      }
    }
    .positional("path").permission("read").errors(.notFound, .notDirectory, .permissionDenied, .ioError)
    Detached("usage", "How much lies in a folder.") { (options: FolderOptions, call) in
      try FileTree.usage(state.files(call.app).folder(options, to: "count"))
    }
    .positional("path").permission("read").errors(.notFound, .notDirectory, .permissionDenied, .ioError)
    Detached("quota", "How much room the disk has, in bytes.") { (options: FolderOptions, call) in
      try DiskRoom(state.files(call.app).folder(options, to: "look at"))
    }
    .positional("path").permission("read").errors(.notFound, .notDirectory, .permissionDenied, .ioError)
    Watch("listPages", "The names in a folder, page by page.") { (options: ListOptions, call) in
      ListPages { [files = state.files(call.app)] in
        try Listing(files.directories.root(options.directory ?? .documents), options)
      }
    }
    .hidden().permission("read").buffering(.wait(4))
    Watch("chunks", "A file's bytes in pieces.") { (options: ChunkOptions, call) in
      let file = try state.files(call.app).open(
        FilePath(options.path), options.directory, O_RDONLY, to: "read")
      _ = try file.demandRegular("read")
      return FileChunks(file: file, size: try options.checkedSize())
    }
    .positional("path").permission("read").buffering(.wait(4))
    .errors(.notFound, .notDirectory, .permissionDenied, .ioError)
    Watch("lines", "A text file's lines.") { (options: PathOptions, call) in
      let file = try state.files(call.app).open(
        FilePath(options.path), options.directory, O_RDONLY, to: "read")
      _ = try file.demandRegular("read")
      return FileLines(file: file)
    }
    .positional("path").permission("read").buffering(.wait(1024))
    .errors(.notFound, .notDirectory, .permissionDenied, .tooLarge, .ioError)
  }

  @PluginBuilder private var writingBody: PluginBody {
    Detached("writeBytes", "Replaces a file.") { (options: WriteOptions, call) in
      try state.progress.run(options.progress) {
        try state.files(call.app).replace(options, with: options.content ?? Bytes([]), $0)
      }
    }
    .hidden().permission("write")
    Detached("writeText", "Replaces a file.") { (options: WriteOptions, call) in
      let bytes = try TextCoding.encode(options.text ?? "", options.encoding, FilePath(options.path))
      return try state.progress.run(options.progress) {
        try state.files(call.app).replace(options, with: bytes, $0)
      }
    }
    .hidden().permission("write")
    Detached("writePropertyList", "Replaces a file.") { (options: WriteOptions, call) in
      let bytes = try PropertyList.encode(
        options.value ?? .undefined, binary: options.binary ?? false, FilePath(options.path))
      return try state.files(call.app).replace(options, with: bytes)
    }
    .hidden().permission("write")
    Detached("appendBytes", "Writes at a file's end.") { (options: WriteOptions, call) in
      try FileRange.append(options, state.files(call.app), options.content ?? Bytes([]))
    }
    .hidden().permission("write")
    Detached("appendText", "Writes at a file's end.") { (options: WriteOptions, call) in
      let bytes = try TextCoding.encode(options.text ?? "", options.encoding, FilePath(options.path))
      return try FileRange.append(options, state.files(call.app), bytes)
    }
    .hidden().permission("write")
    Detached("writeRange", "Writes bytes in the middle of a file, which must be there.") {
      (options: WriteRangeOptions, call) in
      try FileRange.write(options, state.files(call.app))
    }
    .positional("path", "offset", "content").permission("write")
    .errors(.notFound, .notDirectory, .permissionDenied, .quotaExceeded, .tooLarge, .ioError)
    Detached("truncate", "Makes a file as long as stated; what comes is zero.") {
      (options: TruncateOptions, call) in
      try FileRange.truncate(options, state.files(call.app))
    }
    .positional("path", "size").permission("write")
    .errors(.notFound, .notDirectory, .permissionDenied, .quotaExceeded, .tooLarge, .ioError)
    Detached("openWriter", "Begins a file that is written piece by piece.") { (options: WriteOptions, call) in
      try state.writers.add { try state.files(call.app).replacement(options) }
    }
    .hidden().permission("write")
    Detached("writeTo", "Writes a piece.") { (options: PieceOptions, call) in
      try state.writers.write(options.writer, options.content)
    }
    .hidden().permission("write")
    Detached("closeWriter", "Puts the file in its place.") { (options: PieceEnd, call) in
      try state.writers.close(options.writer)
    }
    .hidden().permission("write")
    Immediate("abortWriter", "Drops the file.") { (options: PieceEnd, call) in
      state.writers.abort(options.writer)
    }
    .hidden().permission("write")
  }

  @PluginBuilder private var livingBody: PluginBody {
    Detached("openDocument", "Opens a living document.") { (options: OpenDocumentOptions, call) in
      let document = try LivingDocument(options, state.files(call.app))
      try state.documents.add(document, as: options.document)
      do {
        let version = try document.read()
        if let problem = version.problem {
          throw BridgeError(BridgeError.Code(problem.code), problem.message)
        }
        return OpenedDocument(isReadOnly: document.isReadOnly, version: version)
      } catch {
        state.documents.close(options.document)
        throw error
      }
    }
    .hidden().permission("read")
    Detached("readDocument", "What an open document's file holds now.") { (options: DocumentOptions, call) in
      try state.documents[options.document].read()
    }
    .hidden().permission("read")
    Detached("saveDocument", "Saves a document in its place.") { (options: SaveOptions, call) in
      let document = try state.documents[options.document]
      guard let target = options.target else { return try document.save(options) }
      let saved = try document.saveAs(options, target)
      try state.documents.moved(document)
      return saved
    }
    .hidden().permission("write")
    Detached("keepDocumentCopy", "Writes a version beside the document.") { (options: SaveOptions, call) in
      try state.documents[options.document].keepCopy(options)
    }
    .hidden().permission("write")
    Detached("saveDocumentLast", "Saves at the program's end, beside the document if others were first.") {
      (options: SaveOptions, call) in
      let document = try state.documents[options.document]
      if let copy = try document.saveLast(options) {
        call.app.note(
          """
          nbridge: '\(try document.place().path.shown)' was changed by others; \
          what this program had is in '\(copy)'
          """
        )
      }
    }
    .hidden().permission("write")
    Detached("closeDocument", "Forgets an open document.") { (options: DocumentOptions, call) in
      state.documents.close(options.document)
    }
    .hidden().permission("read")
    Immediate("cancelDocument", "Forgets a document that may still be being opened.") {
      (options: DocumentOptions, call) in
      state.documents.cancel(options.document)
    }
    .hidden().permission("read")
    Watch("documentEvents", "Tells when others change an open document.") {
      (options: DocumentOptions, call) in
      DocumentEvents(document: try state.documents[options.document])
    }
    .hidden().permission("read").holdsOpen(false)
  }

  @PluginBuilder private var treeBody: PluginBody {
    Detached("makeDirectory", "Makes a folder, with those above it; one that is there is left as it is.") {
      (options: MakeOptions, call) in
      try state.files(call.app).makeFolder(options)
    }
    .positional("path").permission("write").errors(
      .exists, .notDirectory, .permissionDenied, .quotaExceeded, .ioError)
    Detached("copy", "Copies a file, or a folder with all below it; times and permissions are kept.") {
      (options: TransferOptions, call) in
      try state.progress.run(options.progress) { try state.files(call.app).copy(options, $0) }
    }
    .positional("from", "to").permission("write")
    .errors(.notFound, .exists, .notDirectory, .permissionDenied, .quotaExceeded, .ioError)
    Detached("import", "Copies a file or folder from a place outside; the permission names the folder.") {
      (options: OutsideOptions, call) in
      try state.progress.run(options.progress) {
        let place = try OutsidePath.place(options.from, for: "import", call)
        try state.files(call.app).importFrom(place, options.transfer, $0)
      }
    }
    .positional("from", "to")
    .errors(.notFound, .exists, .notDirectory, .permissionDenied, .quotaExceeded, .ioError)
    Detached("export", "Copies a file or folder to a place outside; the permission names the folder.") {
      (options: OutsideOptions, call) in
      try state.progress.run(options.progress) {
        let place = try OutsidePath.place(options.to, for: "export", call)
        try state.files(call.app).exportTo(place, options.transfer, $0)
      }
    }
    .positional("from", "to")
    .errors(.notFound, .exists, .notDirectory, .permissionDenied, .quotaExceeded, .ioError)
    Detached("move", "Moves or renames a file or folder.") { (options: TransferOptions, call) in
      try state.files(call.app).move(options)
    }
    .positional("from", "to").permission("write")
    .errors(.notFound, .exists, .notDirectory, .permissionDenied, .quotaExceeded, .ioError)
    Detached("remove", "Puts a file or folder into the trash, and answers by which id restore has it back.") {
      (options: RemoveOptions, call) in
      try state.files(call.app).remove(options)
    }
    .positional("path").permission("write")
    .parameter("permanently", "Removes it for good; the answer is null then.")
    .errors(.notFound, .notDirectory, .permissionDenied, .quotaExceeded, .ioError)
    Detached("trash", "What the trash holds, the oldest first.") { call in
      try state.files(call.app).trash.items()
    }
    .permission("read").errors(.ioError)
    Detached("restore", "Puts a thing from the trash back where it stood.") { (options: TrashOptions, call) in
      let files = state.files(call.app)
      return try files.trash.restore(options.id, files.directories)
    }
    .positional("id").permission("write").errors(.notFound, .exists, .permissionDenied, .ioError)
    Detached("emptyTrash", "Removes for good what the trash holds, and tells how many things that were.") {
      call in
      try state.files(call.app).trash.empty()
    }
    .permission("write").errors(.ioError)
  }

  private func progressWatch(_ name: String, _ permission: String) -> some PluginMember {
    Watch(name, "How far an operation is that comes next.") { (options: ProgressOptions, call) in
      state.progress.watch(options.operation)
    }
    .hidden().permission(permission).holdsOpen(false)
  }

  @PluginBuilder private var watchingBody: PluginBody {
    // Who may do a thing may know how far it is.
    progressWatch("progressOfRead", "read")
    progressWatch("progressOfWrite", "write")
    progressWatch("progressOfImport", "import")
    progressWatch("progressOfExport", "export")
    Watch("watch", "Tells what changes in a folder, whoever changes it.") { (options: WatchOptions, call) in
      let folder = try state.files(call.app).folder(FolderOptions(options), to: "watch")
      return FileChanges(watch: try FileWatch(folder, recursive: options.recursive ?? false))
    }
    .positional("path").permission("read").buffering(.wait(1024))
    .errors(.notFound, .notDirectory, .permissionDenied, .quotaExceeded, .ioError)
  }
}

/// What the plugin keeps while a program runs.
final class DocumentsState: Sendable {
  private let made = Mutex<Files?>(nil)
  let writers = Writers()
  let documents = LivingDocuments()
  let progress = ProgressTable()

  func files(_ app: AppEnvironment) -> Files {
    made.withLock { made in
      if let made { return made }
      let files = Files(app)
      made = files
      return files
    }
  }

  func close() {
    made.withLock { $0 = nil }
    writers.clear()
    documents.clear()
    progress.clear()
  }
}

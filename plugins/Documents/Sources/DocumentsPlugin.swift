// SPDX-License-Identifier: MIT

internal import Glibc
public import NBridgePlugin

/// The app's own folders: files that are written whole or not at all, and never outside.
public struct DocumentsPlugin: Plugin {
  /// `nbridge.documents`.
  public static let manifest = PluginManifest(
    service: "documents", version: "1.0.0",
    help: "The app's own folders: files that are written whole or not at all, and never outside.",
    script: PluginScript(
      files: [
        PackageResources.content_js, PackageResources.documents_js, PackageResources.lines_js,
        PackageResources.history_js, PackageResources.states_js, PackageResources.autosave_js,
        PackageResources.living_js, PackageResources.open_js,
      ],
      members: PackageResources.members_d_ts, types: PackageResources.types_d_ts))

  let state = DocumentsState()

  /// Makes the plugin.
  public init() {}

  /// Drops what is open.
  public func stop() { state.close() }

  /// The plugin's actions.
  public var body: PluginBody {
    readingBody.blocking()
    fetchingBody.blocking()
    writingBody.blocking()
    treeBody.blocking()
    livingBody.blocking()
    watchingBody
  }

  @PluginBuilder var readingBody: PluginBody {
    Detached("readText", "A file's text.") { (options: ReadOptions, call) in
      let (files, path) = (state.files(call.app), try FilePath(options.path, in: options.directory))
      let bytes = try state.progress.run(options.progress) {
        try WholeFile.read(files.open(path, options.directory, O_RDONLY, to: "read"), $0)
      }
      return try TextCoding.decode(bytes, options.encoding, path)
    }
    .hidden(behind: "read").speaks(of: "path").permission("read")
    Detached("readBytes", "A file's bytes.") { (options: ReadOptions, call) in
      try state.progress.run(options.progress) {
        try WholeFile.read(
          state.files(call.app).open(
            FilePath(options.path, in: options.directory), options.directory, O_RDONLY, to: "read"), $0)
      }
    }
    .hidden(behind: "read").speaks(of: "path").permission("read")
    Detached("readPropertyList", "What a property list holds.") { (options: ReadOptions, call) in
      let (files, path) = (state.files(call.app), try FilePath(options.path, in: options.directory))
      return try PropertyList.decode(
        WholeFile.read(files.open(path, options.directory, O_RDONLY, to: "read")), path)
    }
    .hidden(behind: "read").speaks(of: "path").permission("read")
    Detached("readRange", "Some of a file's bytes; fewer than asked for only at its end.") {
      (options: RangeOptions, call) in
      let file = try state.files(call.app).open(
        FilePath(options.path, in: options.directory), options.directory, O_RDONLY, to: "read")
      return try FileRange.read(file, options)
    }
    .positional("path", "offset", "length").permission("read")
    .errors(.notFound, .notDirectory, .permissionDenied, .tooLarge, .ioError)
    Detached("stat", "What is known of a file or folder; links are followed.") {
      (options: StatOptions, call) in
      let path = try FilePath(options.path, in: options.directory)
      let files = state.files(call.app)
      let facts =
        options.asLink == true
        ? try files.linkFacts(path, options.directory) : try files.look(path, options.directory).facts()
      return FileMetadata(facts, path)
    }
    .positional("path").permission("read").errors(.notFound, .notDirectory, .permissionDenied, .ioError)
    Detached("exists", "Whether there is a file or folder.") { (options: PathOptions, call) in
      do {
        _ = try state.files(call.app).look(FilePath(options.path, in: options.directory), options.directory)
        return true
      } catch let error as BridgeError where error.code == .notFound || error.code == .notDirectory {
        return false
      }
    }
    .positional("path").permission("read").errors(.permissionDenied, .ioError)
    Detached("hash", "The digest of a file, in hexadecimal.") { (options: HashOptions, call) in
      try state.progress.run(options.progress) { progress -> String in
        let file = try state.files(call.app).open(
          FilePath(options.path, in: options.directory), options.directory, O_RDONLY, to: "read")
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
    .hidden(behind: "list").speaks(of: "path").permission("read").buffering(.wait(4))
    Watch("chunks", "A file's bytes in pieces.") { (options: ChunkOptions, call) in
      let file = try state.files(call.app).open(
        FilePath(options.path, in: options.directory), options.directory, O_RDONLY, to: "read")
      _ = try file.demandRegular("read")
      return FileChunks(file: file, size: try options.checkedSize())
    }
    // One is with the script, one comes.
    .positional("path").permission("read").buffering(.wait(2))
    .errors(.notFound, .notDirectory, .permissionDenied, .ioError)
    Watch("lines", "A text file's lines.") { (options: PathOptions, call) in
      FileLines(pieces: FilePieces(file: try text(options, call.app)))
    }
    .positional("path").permission("read").buffering(.wait(1024))
    .errors(.notFound, .notDirectory, .permissionDenied, .tooLarge, .ioError)
    Watch("linePieces", "A text file's lines, many at once, with their ends.") {
      (options: PathOptions, call) in
      FilePieces(file: try text(options, call.app))
    }
    .hidden(behind: "lines").speaks(of: "path").permission("read").buffering(.wait(4))
  }

  private func text(_ options: PathOptions, _ app: AppEnvironment) throws -> OpenFile {
    let file = try state.files(app).open(
      FilePath(options.path, in: options.directory), options.directory, O_RDONLY, to: "read")
    _ = try file.demandRegular("read")
    return file
  }

  private func progressWatch(_ name: String, _ permission: String) -> some PluginMember {
    Watch(name, "How far an operation is that comes next.") { (options: ProgressOptions, call) in
      state.progress.watch(options.operation)
    }
    .hidden().permission(permission).holdsOpen(false)
  }

  @PluginBuilder var watchingBody: PluginBody {
    // A script that may read, write, import or export may watch the progress of it.
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

// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgePlugin

/// The actions that make, move, copy and remove files and folders.
extension DocumentsPlugin {
  @PluginBuilder var treeBody: PluginBody {
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
}

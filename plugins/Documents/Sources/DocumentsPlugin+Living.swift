// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// Documents that are open.
extension DocumentsPlugin {
  @PluginBuilder var livingBody: PluginBody {
    Detached("openDocument", "Opens a living document.") { (options: OpenDocumentOptions, call) in
      let document = try LivingDocument(options, state.files(call.app), in: state.documents)
      do {
        try state.documents.watch(document)
        let version = try document.read()
        if let problem = version.problem {
          throw BridgeError(BridgeError.Code(problem.code), problem.message)
        }
        return OpenedDocument(
          document: call.hold(document), isReadOnly: document.isReadOnly, version: version)
      } catch {
        document.close()
        throw error
      }
    }
    .hidden().speaks(of: "path").permission("read")
    Handles(LivingDocument.self) {
      Detached("read", "What its file holds now.") { (document: LivingDocument, call) in
        try document.read()
      }
      .permission("read")
      Detached("save", "Saves it in its place, or in another.") {
        (document: LivingDocument, options: SaveOptions, call) in
        guard let target = options.target else { return try document.save(options) }
        return try document.saveAs(options, target)
      }
      .permission("write")
      Detached("keepCopy", "Writes a version beside it.") {
        (document: LivingDocument, options: SaveOptions, call) in
        try document.keepCopy(options)
      }
      .permission("write")
      Detached("saveLast", "Saves it at the program's end, beside it if others were first.") {
        (document: LivingDocument, options: SaveOptions, call) in
        if let copy = try document.saveLast(options) {
          call.app.note(
            """
            nbridge: '\(try document.place().path.shown)' was changed by others; \
            what this program had is in '\(copy)'
            """
          )
        }
      }
      .permission("write")
      Watch("events", "Tells when others change it.") { (document: LivingDocument, call) in
        DocumentEvents(document: document)
      }
      .permission("read").holdsOpen(false)
    }
    .hidden()
  }
}

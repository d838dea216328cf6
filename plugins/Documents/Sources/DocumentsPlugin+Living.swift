// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// Documents that are open.
extension DocumentsPlugin {
  @PluginBuilder var livingBody: PluginBody {
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
    .hidden().speaks(of: "path").permission("read")
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
}

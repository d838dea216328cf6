// SPDX-License-Identifier: MIT

internal import NBridgePlugin

struct OpenDocumentOptions: Codable {
  var path: String
  var directory: Directory?
  var shape: DocumentShape
  var encoding: String?
}

/// A content to be saved, in the member that the document's shape wants.
struct SaveOptions: Codable {
  /// Counts the document's saves.
  var sequence: Int
  /// The version that the content is based on; nil for nothing there.
  var base: String?
  var text: String?
  var content: Bytes?
  var value: Value?
  /// Whether a property list is binary.
  var binary: Bool?
  /// All members of a package; one without content is what it was.
  var members: [PackageMember]?
  /// Whether the script knows that another program changed the document first.
  var inConflict: Bool?
  /// The place that "save as" writes to.
  var target: SaveTarget?
}

struct SaveTarget: Codable {
  var path: String
  var directory: Directory?
  var overwrite: Bool?
}

/// What `open` tells of a document.
struct OpenedDocument: Codable, Sendable {
  var document: Handle<LivingDocument>
  var isReadOnly: Bool
  var version: DocumentVersion
}

/// A version of a document as it is on the disk: no identity when there is nothing.
struct DocumentVersion: Codable, Sendable {
  var identity: String?
  var text: String?
  var content: Bytes?
  var value: Value?
  var members: [PackageMember]?
  /// Why there is no content although something is there.
  var problem: DocumentProblem?
}

struct DocumentProblem: Codable, Sendable {
  var code: String
  var message: String
}

struct SavedDocument: Codable, Sendable {
  var identity: String?
}

/// Another program changed the file; without an identity it is gone.
struct DocumentEvent: Codable, Sendable {
  var identity: String?
}

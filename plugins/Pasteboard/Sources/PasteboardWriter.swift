// SPDX-License-Identifier: MIT

internal import FoundationEssentials
internal import NBridgePlugin

/// Takes what a script gives, looks whether it may be on a pasteboard, and puts it there.
struct PasteboardWriter: Sendable {
  let store: PasteboardStore

  init(_ store: PasteboardStore) { self.store = store }

  func write(_ options: WriteOptions, isolation: isolated (any Actor)? = #isolation) async throws -> Written?
  {
    let name = try PasteboardName(options.name)
    let items = try options.items.enumerated().map { try Self.checked($1, $0) }
    let size = items.reduce(0) { $0 + Self.size($1) }
    if let expiry = options.expiresAt, !expiry.timeIntervalSince1970.isFinite {
      throw BridgeError(.invalidParameter, "option.expiresAt must be a time")
    }
    return try await store.perform(isSmall: size <= BlobFolder.inlineLimit) { access -> Written? in
      let stored = try items.map { try $0.map { try Self.stored($0, access.places.blobs) } }
      let files = stored.flatMap { $0.compactMap(\.file) }
      do {
        let written = try access.write(options, name, stored)
        if written == nil { access.places.blobs.remove(files) }
        return written
      } catch {
        access.places.blobs.remove(files)
        throw error
      }
    }
  }

  /// A representation that was looked at.
  struct Checked: Sendable {
    let type: ContentType
    let bytes: Bytes
  }

  private static func size(_ item: [Checked]) -> Int { item.reduce(0) { $0 + $1.bytes.count } }

  private static func checked(_ item: Item, _ index: Int) throws -> [Checked] {
    let limits = PasteboardLimits.standard
    guard 1...limits.representations ~= item.representations.count else {
      throw BridgeError(
        .invalidParameter,
        "item \(index) must have 1 to \(limits.representations) representations, not \(item.representations.count)"
      )
    }
    let checked = try item.representations.map { representation in
      let type = try ContentType(representation.type, "the type of item \(index)")
      return Checked(type: type, bytes: representation.content ?? Bytes((representation.text ?? "").utf8))
    }
    if Set(checked.map(\.type)).count < checked.count {
      throw BridgeError(.invalidParameter, "item \(index) has two representations of one type")
    }
    let size = size(checked)
    guard size <= limits.itemBytes else {
      throw BridgeError(.tooLarge, "an item takes \(limits.itemBytes) bytes; item \(index) has \(size)")
    }
    return checked
  }

  private static func stored(_ checked: Checked, _ blobs: BlobFolder) throws -> StoredRepresentation {
    let isLarge = checked.bytes.count > BlobFolder.inlineLimit
    return StoredRepresentation(
      type: checked.type, bytes: checked.bytes, file: isLarge ? try blobs.write(checked.bytes) : nil)
  }
}

// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// Gives scripts what is on a pasteboard.
struct PasteboardReader: Sendable {
  let store: PasteboardStore
  /// So often a content that was replaced while it was read is read anew.
  private static let attempts = 8

  init(_ store: PasteboardStore) { self.store = store }

  func read(_ options: ReadOptions, isolation: isolated (any Actor)? = #isolation) async throws -> Content? {
    let name = try PasteboardName(options.name)
    let type = try options.type.map { try ContentType($0) }
    var missing: Int64?
    for _ in 0..<Self.attempts {
      guard let (change, list, blobs) = try await found(options, name, type) else { return nil }
      if let content = try await content(change, list, blobs) { return content }
      if missing == change {
        throw BridgeError(
          .ioError,
          "a part of what is on the pasteboard '\(name.text)' is missing: its file was removed or shortened")
      }
      missing = change
    }
    throw BridgeError(.conflict, "the pasteboard '\(name.text)' changed each time it was read")
  }

  private func found(
    _ options: ReadOptions, _ name: PasteboardName, _ type: ContentType?,
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> (Int64, [StoreAccess.Found], BlobFolder)? {
    let look: @Sendable (StoreAccess, Bool) throws -> (Int64, [StoreAccess.Found], BlobFolder)? = {
      access, mayLoad in
      try access.read(options, name, type, mayLoad: mayLoad).map {
        ($0.change, $0.found, access.places.blobs)
      }
    }
    do { return try await store.perform(isSmall: true) { try look($0, false) } } catch is StoreAccess
      .TooMuchForNow
    {
      return try await store.perform(isSmall: false) { try look($0, true) }
    }
  }

  /// Nil when a file has gone meanwhile, because the content was replaced.
  private func content(
    _ change: Int64, _ list: [StoreAccess.Found], _ blobs: BlobFolder,
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> Content? {
    var items: [Item] = []
    var numbers: [Int: Int] = [:]
    for found in list {
      var bytes = found.bytes
      if let file = found.file { bytes = try await Blocking.run { try blobs.read(file, size: found.size) } }
      guard let bytes else { return nil }
      if numbers[found.item] == nil {
        numbers[found.item] = items.count
        items.append(Item(representations: []))
      }
      items[numbers[found.item] ?? 0].representations.append(Self.representation(found.type, bytes))
    }
    return Content(changeCount: Int(change), items: items)
  }

  /// Short texts cross the bridge as texts, everything else as bytes.
  private static func representation(_ type: String, _ bytes: Bytes) -> Representation {
    let isText = (try? ContentType(type).isText) ?? false
    if isText, bytes.count <= textLimit,
      let text = bytes.withUnsafeBytes({ String(validating: $0, as: UTF8.self) })
    {
      return Representation(type: type, text: text, content: nil)
    }
    return Representation(type: type, text: nil, content: bytes)
  }

  private static let textLimit = 16 << 10
}

// SPDX-License-Identifier: MIT

internal import FoundationEssentials
internal import NBridgePlugin

/// Takes what a script gives, looks whether it may be on a pasteboard, and puts it there.
struct PasteboardWriter: Sendable {
  let store: PasteboardStore

  init(_ store: PasteboardStore) { self.store = store }

  func write(_ options: WriteOptions, isolation: isolated (any Actor)? = #isolation) async throws -> Written?
  {
    let name = try PasteboardName(options.unique == true ? "unique-\(RandomName.make())" : options.name)
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

// SPDX-License-Identifier: MIT

internal import FoundationEssentials
internal import NBridgePlugin
internal import NBridgeStore

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
    let isApart = options.concealed == true || options.readOnce == true || options.expiresAt != nil
    let change = PreparedItems(items, isApart: isApart)
    let isSmall = size <= Self.small && change.fileCount <= Self.fewFiles
    let written = try await store.perform(.writing, isSmall: isSmall) {
      try change.writeFiles(in: $0)
    } _: {
      try $0.write(options, name, change.stored())
    }
    if written != nil { change.keep() }
    return written
  }

  /// Up to so many bytes are written on the engine's thread.
  private static let small = 64 << 10
  private static let fewFiles = 8

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
        """
        item \(index) must have 1 to \(limits.representations) representations, \
        not \(item.representations.count)
        """
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
}

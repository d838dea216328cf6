// SPDX-License-Identifier: MIT

internal import FoundationEssentials
internal import NBridgePlugin

/// Which pasteboard.
struct BoardOptions: Codable {
  var name: String?
}

/// The options of a write, as the plugin's script makes them of what scripts give.
struct WriteOptions: Codable {
  var name: String?
  var items: [Item]
  /// Whether the items are added behind the ones that are there.
  var adds: Bool?
  /// Whether a pasteboard that is not there is made. By default it is.
  var create: Bool?
  var persistent: Bool?
  var shared: Bool?
  var expiresAt: Date?
  var readOnce: Bool?
  var concealed: Bool?
}

/// Which pasteboard is to be there.
struct OpenOptions: Codable {
  var name: String?
  var create: Bool?
  var unique: Bool?
  var persistent: Bool?
  var shared: Bool?
}

/// One thing on a pasteboard, in one form or several.
struct Item: Codable {
  var representations: [Representation]
}

/// One form of it.
struct Representation: Codable {
  var type: String
  var text: String?
  var content: Bytes?
}

/// The result of a write.
struct Written: Codable {
  var name: String
  var changeCount: Int
}

/// The options of a read.
struct ReadOptions: Codable {
  var name: String?
  /// Only this type; all without it.
  var type: String?
  /// Only the first item.
  var first: Bool?
  /// An earlier content, from the history.
  var changeCount: Int?
}

/// The result of a read.
struct Content: Codable {
  var changeCount: Int
  var items: [Item]
}

/// Which types.
struct HasOptions: Codable {
  var type: String
  var name: String?
}

/// Which kinds of text.
struct PatternOptions: Codable {
  var patterns: [PatternKind]?
  var name: String?
}

/// The kinds of data that a text can be recognised as.
enum PatternKind: String, Codable, CaseIterable {
  case url, number, email
}

/// The facts about a pasteboard that are known without reading it.
struct BoardInfo: Codable {
  /// The kind of a pasteboard.
  enum Kind: String, Codable, CaseIterable {
    case general, named, unique
  }

  var name: String
  var kind: Kind
  var persistent: Bool
  var shared: Bool
  /// The app that made the pasteboard; null for the general one.
  var owner: Source?
  var changeCount: Int
  /// How many items there are.
  var items: Int
  var types: [String]
  /// The size of its content now, in bytes.
  var bytes: Int
  /// When it was changed; null when it never was.
  var changedAt: Date?
  /// The app that changed it last.
  var source: Source?
  var expiresAt: Date?
  var readOnce: Bool
  var concealed: Bool
}

/// An app, as others see it.
struct Source: Codable, Sendable, Equatable {
  var id: String
  var name: String
}

/// An earlier content of a pasteboard.
struct HistoryEntry: Codable {
  /// The number that `get` takes to read this content.
  var changeCount: Int
  var changedAt: Date
  var source: Source
  var types: [String]
  var items: Int
  var bytes: Int
}

/// A change of a pasteboard.
struct PasteboardChange: Codable, Sendable {
  /// The kind of change.
  enum Kind: String, Codable, CaseIterable, Sendable {
    case set, added, cleared, removed, expired, read
  }

  var name: String
  var changeCount: Int
  var change: Kind
  /// The types of its content now.
  var types: [String]
  /// The app that made the change; null when no app did, as when a content expired.
  var source: Source?
  /// Whether this very process made the change.
  var isOwn: Bool
  var at: Date
  /// How many changes before this one went untold because there were too many.
  var coalesced: Int
}

// SPDX-License-Identifier: MIT

internal import FoundationEssentials
internal import NBridgePlugin
internal import NBridgeStore

/// A pasteboard's row: what it is and what is on it, without the content itself.
struct Board {
  var name: String
  var kind: BoardInfo.Kind
  var persistent = false
  var shared = true
  var owner: Source?
  /// The process that it lives as long as; nil for one that outlives processes.
  var presence: String?
  /// The file in the owner's container that it lives as long as, and what that says.
  var marker: String?
  var mark: String?
  var change: Int64 = 0
  /// The change that made the content; 0 for none.
  var content: Int64 = 0
  var items: Int64 = 0
  var types: [String] = []
  var bytes: Int64 = 0
  var at: Int64?
  var source: Source?
  var expires: Int64?
  var readOnce = false
  var concealed = false
  /// The rows of its representations.
  var rows = StoredRows()

  init(name: String, kind: BoardInfo.Kind) {
    self.name = name
    self.kind = kind
  }

  static let columns =
    """
    name, kind, persistent, shared, owner, owner_name, presence, marker, mark, change, content, items, \
    types, bytes, at, source, source_name, expires, once, concealed, first, count
    """

  static let columnCount = 22

  init(_ row: SQLiteDatabase.Row) {
    name = row.text(0)
    kind = BoardInfo.Kind(rawValue: row.text(1)) ?? .named
    persistent = row.integer(2) != 0
    shared = row.integer(3) != 0
    owner = row.optionalText(4).map { Source(id: $0, name: row.text(5)) }
    presence = row.optionalText(6)
    marker = row.optionalText(7)
    mark = row.optionalText(8)
    change = Self.count(row.integer(9))
    content = Self.count(row.integer(10))
    items = Self.count(row.integer(11))
    types = TypeList.split(row.text(12))
    bytes = Self.count(row.integer(13))
    at = row.isNull(14) ? nil : row.integer(14)
    source = row.optionalText(15).map { Source(id: $0, name: row.text(16)) }
    expires = row.isNull(17) ? nil : row.integer(17)
    readOnce = row.integer(18) != 0
    concealed = row.integer(19) != 0
    rows = StoredRows(first: Self.count(row.integer(20)), count: Self.count(row.integer(21)))
  }

  /// A number that no program counts to is damage, and counts as nothing.
  static func count(_ number: Int64) -> Int64 { 0...1 << 53 ~= number ? number : 0 }

  var parameters: [SQLiteDatabase.Parameter] {
    [
      .text(name), .text(kind.rawValue), .integer(persistent ? 1 : 0), .integer(shared ? 1 : 0),
      .optional(owner?.id), .optional(owner?.name), .optional(presence), .optional(marker), .optional(mark),
      .integer(change), .integer(content), .integer(items), .text(TypeList.join(types)), .integer(bytes),
      at.map { .integer($0) } ?? .null, .optional(source?.id), .optional(source?.name),
      expires.map { .integer($0) } ?? .null, .integer(readOnce ? 1 : 0), .integer(concealed ? 1 : 0),
      .integer(rows.first), .integer(rows.count),
    ]
  }

  /// Whether the board's owner still runs, or its container is still there, whichever the board lives as long
  /// as.
  func isAlive(_ places: PasteboardStore.Places, own: String?) -> Bool {
    if let presence, presence != own, !OwnerLock.isAlive(presence, in: places.presences) { return false }
    guard let marker else { return true }
    // A file that can't be read says nothing; only one that is not there, or says something else, does.
    do { return try SmallFile.read(marker).map { String(decoding: $0, as: UTF8.self) } == mark } catch {
      return true
    }
  }

  /// Whether its content is to leave no trace when it goes.
  var isApart: Bool { concealed || readOnce || expires != nil }

  /// Whether the content is over at that time.
  func isExpired(_ now: Int64) -> Bool { expires.map { $0 <= now } ?? false }

  var info: BoardInfo {
    BoardInfo(
      name: name, kind: kind, persistent: persistent, shared: shared, owner: owner, changeCount: Int(change),
      items: Int(items), types: types, bytes: Int(bytes), changedAt: at.map(Milliseconds.date),
      source: source,
      expiresAt: expires.map(Milliseconds.date), readOnce: readOnce, concealed: concealed)
  }
}

/// A content's rows among the representations.
struct StoredRows: Equatable {
  var first: Int64 = 0
  var count: Int64 = 0

  var last: Int64 { first + count - 1 }
}

/// Types in one text: a line each, which no type has in it.
enum TypeList {
  static func join(_ types: [String]) -> String { types.joined(separator: "\n") }
  static func split(_ text: String) -> [String] { text.split(separator: "\n").map(String.init) }
}

/// Times as the store has them: milliseconds since 1970.
enum Milliseconds {
  static func date(_ milliseconds: Int64) -> Date { Date(timeIntervalSince1970: Double(milliseconds) / 1000) }
  static func of(_ date: Date) -> Int64 { Int64(clamping: date.timeIntervalSince1970 * 1000) }
  static var now: Int64 { of(Date()) }
}

extension Int64 {
  /// The nearest whole number; what is none is far away.
  fileprivate init(clamping number: Double) {
    self = number.isNaN ? 0 : Int64(exactly: number.rounded()) ?? (number < 0 ? .min : .max)
  }
}

import CSQLite
import NBridgePlugin

/// What SQLite stores: null, a number, a BigInt, a text or bytes. A whole number that JavaScript's can tell
/// is a number, a larger one a BigInt.
enum SQLValue: Codable, Sendable, SchemaDescribed {
  case null, integer(Int64), real(Double), text(String), blob(Bytes)

  static var schema: Schema { .optional(.union([.number, .bigint, .string, .bytes])) }

  init(from decoder: any Decoder) throws {
    let (kind, value) = (try Value(from: decoder).kind, try decoder.singleValueContainer())
    switch kind {
    case .null, .undefined: self = .null
    case .number:
      let number = try value.decode(Double.self)
      let whole = number.magnitude <= 0x1p53 ? Int64(exactly: number) : nil
      self = whole.map { .integer($0) } ?? .real(number)
    case .bigint: self = .integer(try value.decode(Int64.self))
    case .string: self = .text(try value.decode(String.self))
    case .bytes: self = .blob(try value.decode(Bytes.self))
    case let other:
      throw DecodingError.typeMismatch(
        Self.self,
        .init(codingPath: [], debugDescription: "no SQL value: \(other.rawValue)"))
    }
  }

  func encode(to encoder: any Encoder) throws {
    var target = encoder.singleValueContainer()
    switch self {
    case .null: try target.encodeNil()
    case .integer(let value): try target.encode(WholeNumber(value: value))
    case .real(let value): try target.encode(value)
    case .text(let value): try target.encode(value)
    case .blob(let value): try target.encode(value)
    }
  }

  /// The value of a column of the row that a statement stands at.
  init(_ row: OpaquePointer, _ column: Int32) {
    switch sqlite3_column_type(row, column) {
    case SQLITE_INTEGER: self = .integer(sqlite3_column_int64(row, column))
    case SQLITE_FLOAT: self = .real(sqlite3_column_double(row, column))
    case SQLITE_TEXT:
      let text = UnsafeRawBufferPointer(
        start: sqlite3_column_text(row, column), count: Int(sqlite3_column_bytes(row, column)))
      self = .text(String(decoding: text, as: UTF8.self))
    case SQLITE_BLOB:
      let memory = UnsafeRawBufferPointer(
        start: sqlite3_column_blob(row, column), count: Int(sqlite3_column_bytes(row, column)))
      self = .blob(
        Bytes(capacity: memory.count) { target in
          target.copyMemory(from: memory)
          return memory.count
        })
    default: self = .null
    }
  }

  /// Puts it in the place of a parameter. Answers SQLite's status.
  func bind(_ statement: OpaquePointer, _ index: Int32) -> Int32 {
    // SQLITE_TRANSIENT, which Swift does not import: SQLite copies.
    let copies = unsafeBitCast(-1, to: sqlite3_destructor_type.self)
    switch self {
    case .null: return sqlite3_bind_null(statement, index)
    case .integer(let value): return sqlite3_bind_int64(statement, index, value)
    case .real(let value): return sqlite3_bind_double(statement, index, value)
    case .text(let value):
      return sqlite3_bind_text64(
        statement, index, value, UInt64(value.utf8.count), copies, UInt8(SQLITE_UTF8))
    case .blob(let bytes):
      if bytes.isEmpty { return sqlite3_bind_zeroblob(statement, index, 0) }
      return bytes.withUnsafeBytes {
        sqlite3_bind_blob64(statement, index, $0.baseAddress, UInt64($0.count), copies)
      }
    }
  }
}

/// A row: an object with the columns in their order.
struct Row: Codable, Sendable, SchemaDescribed {
  var names: [String]
  var values: [SQLValue]

  static var schema: Schema { .dictionary(SQLValue.schema) }

  init(names: [String], values: [SQLValue]) { (self.names, self.values) = (names, values) }

  /// Scripts hand over none; the SDK wants its types both ways.
  init(from decoder: any Decoder) throws {
    let columns = try [String: SQLValue](from: decoder)
    (names, values) = (Array(columns.keys), Array(columns.values))
  }

  func encode(to encoder: any Encoder) throws {
    var target = encoder.container(keyedBy: Column.self)
    for (name, value) in zip(names, values) { try target.encode(value, forKey: Column(stringValue: name)) }
  }

  private struct Column: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }
}

/// A number, or a BigInt where JavaScript's numbers are no longer exact.
struct WholeNumber: Codable, Sendable, SchemaDescribed {
  var value: Int64

  static var schema: Schema { .union([.number, .bigint]) }

  init(value: Int64) { self.value = value }

  init(from decoder: any Decoder) throws { value = try decoder.singleValueContainer().decode(Int64.self) }

  func encode(to encoder: any Encoder) throws {
    var target = encoder.singleValueContainer()
    if value.magnitude <= 1 << 53 { try target.encode(Int(value)) } else { try target.encode(value) }
  }
}

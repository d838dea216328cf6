// SPDX-License-Identifier: MIT

internal import FoundationEssentials
internal import NBridgePlugin

/// Property lists, XML and binary, by Foundation: dictionaries, arrays, strings, numbers, booleans, dates,
/// data.
enum PropertyList {
  static func decode(_ bytes: Bytes, _ path: FilePath) throws -> Value {
    let data = bytes.withUnsafeBytes { Data($0) }
    do {
      try PropertyListGuard.check(data)
      return try Value(encoding: try PropertyListDecoder().decode(PropertyListNode.self, from: data))
    } catch {
      let reason = (error as? PropertyListProblem)?.reason ?? "it is damaged, or holds what can't be read"
      throw BridgeError(
        .invalidData, "'\(path.shown)' is not a property list: \(reason)",
        details: try? Value(encoding: ["path": path.text]))
    }
  }

  static func encode(_ value: Value, binary: Bool, _ path: FilePath) throws -> Bytes {
    let node: PropertyListNode
    do { node = try PropertyListNode(value, at: "content", binary: binary, depth: 0) } catch let problem
      as PropertyListProblem
    {
      throw BridgeError(
        .invalidParameter, "can't write '\(path.shown)' as a property list: \(problem.reason)")
    }
    let encoder = PropertyListEncoder()
    encoder.outputFormat = binary ? .binary : .xml
    if let mark = PropertyListMark.key { encoder.userInfo[mark] = true }
    return Bytes(Array(try encoder.encode(node)))
  }
}

/// Why something is no property list.
struct PropertyListProblem: Error {
  let reason: String
}

/// A value in a property list.
enum PropertyListNode: Codable {
  case bool(Bool)
  case integer(Int64)
  case unsigned(UInt64)
  case real(Double)
  case string(String)
  case date(Date)
  case data([UInt8])
  case list([PropertyListNode])
  case dictionary([String: PropertyListNode])

  /// How deep values may stand in each other: as on the bridge.
  static let deepest = 512

  // MARK: - From and to the bridge

  init(_ value: Value, at place: String, binary: Bool, depth: Int) throws {
    guard depth < Self.deepest else {
      throw PropertyListProblem(reason: "\(place) is \(depth) levels deep, and \(Self.deepest) is the limit")
    }
    switch value.kind {
    case .boolean: self = .bool(try value.decode())
    case .string: self = .string(try value.decode())
    case .date: self = .date(try Self.date(value, place, binary))
    case .bytes: self = .data(try value.decode(Bytes.self).withUnsafeBytes { Array($0) })
    case .number: self = try Self.number(value)
    case .bigint:
      if let number = try? value.decode(Int64.self) {
        self = .integer(number)
      } else if let number = try? value.decode(UInt64.self) {
        self = .unsigned(number)
      } else {
        throw PropertyListProblem(reason: "\(place) is a number that is no 64-bit integer")
      }
    case .array:
      self = .list(
        try value.decode([Value].self).enumerated().map {
          try PropertyListNode($1, at: "\(place)[\($0)]", binary: binary, depth: depth + 1)
        })
    case .object:
      var members: [String: PropertyListNode] = [:]
      for (name, member) in try value.decode([String: Value].self) where member.kind != .undefined {
        members[name] = try PropertyListNode(
          member, at: "\(place).\(name)", binary: binary, depth: depth + 1)
      }
      self = .dictionary(members)
    case .undefined, .null, .map, .set:
      throw PropertyListProblem(reason: "\(place) is \(value.kind.rawValue), which property lists don't know")
    }
  }

  /// In XML a date's year has no sign: Foundation writes one and reads another year.
  private static func date(_ value: Value, _ place: String, _ binary: Bool) throws -> Date {
    guard let date: Date = try? value.decode() else {
      throw PropertyListProblem(reason: "\(place) is a date without a time")
    }
    guard binary || date >= firstInXML else {
      throw PropertyListProblem(
        reason: "\(place) is a date before the year 1, which only binary property lists can hold")
    }
    return date
  }

  /// 0001-01-01T00:00:00Z.
  private static let firstInXML = Date(timeIntervalSince1970: -62_135_596_800)
  /// The last date of JavaScript, in seconds before and after 1970 (ECMA-262, 21.4.1.1).
  private static let maxSeconds = 8.64e12

  /// A whole number is an integer.
  private static func number(_ value: Value) throws -> PropertyListNode {
    let number = try value.decode(Double.self)
    return Int64(exactly: number).map(Self.integer) ?? .real(number)
  }

  // MARK: - From and to the file

  private struct Key: CodingKey {
    let stringValue: String
    var intValue: Int? { nil }
    init(stringValue: String) { self.stringValue = stringValue }
    init?(intValue: Int) { nil }
  }

  init(from decoder: any Decoder) throws {
    if let members = try? decoder.container(keyedBy: Key.self) {
      var made: [String: PropertyListNode] = [:]
      for key in members.allKeys {
        made[key.stringValue] = try members.decode(PropertyListNode.self, forKey: key)
      }
      self = .dictionary(made)
    } else if var items = try? decoder.unkeyedContainer() {
      var made: [PropertyListNode] = []
      while !items.isAtEnd { made.append(try items.decode(PropertyListNode.self)) }
      self = .list(made)
    } else {
      self = try Self.scalar(decoder.singleValueContainer())
    }
  }

  private static func scalar(_ value: any SingleValueDecodingContainer) throws -> PropertyListNode {
    if let text = try? value.decode(String.self) { return .string(text) }
    if let bool = try? value.decode(Bool.self) { return .bool(bool) }
    if let date = try? value.decode(Date.self) {
      guard date.timeIntervalSince1970.magnitude <= maxSeconds else {
        throw PropertyListProblem(
          reason: "content\(shown(value.codingPath)) is a date that JavaScript does not know")
      }
      return .date(date)
    }
    if let data = try? value.decode(Data.self) { return .data(Array(data)) }
    // A real is no integer, even when it is whole.
    if let number = try? value.decode(Int64.self) { return .integer(number) }
    if let number = try? value.decode(UInt64.self) { return .unsigned(number) }
    return .real(try value.decode(Double.self))
  }

  private static func shown(_ path: [any CodingKey]) -> String {
    path.map { key in key.intValue.map { "[\($0)]" } ?? ".\(key.stringValue)" }.joined()
  }

  func encode(to encoder: any Encoder) throws {
    if case .dictionary(let members) = self {
      // In the same order each time.
      var keyed = encoder.container(keyedBy: Key.self)
      for (name, member) in members.sorted(by: { $0.key < $1.key }) {
        try keyed.encode(member, forKey: Key(stringValue: name))
      }
      return
    }
    var value = encoder.singleValueContainer()
    switch self {
    case .bool(let bool): try value.encode(bool)
    // As JavaScript's numbers as long as they are exact.
    case .integer(let number) where number.magnitude <= 1 << 53 && encoder.isBridge:
      try value.encode(Double(number))
    case .integer(let number): try value.encode(number)
    case .unsigned(let number): try value.encode(number)
    case .real(let number): try value.encode(number)
    case .string(let text): try value.encode(text)
    case .date(let date): try value.encode(date)
    case .data(let bytes):
      if encoder.isBridge { try value.encode(Bytes(bytes)) } else { try value.encode(Data(bytes)) }
    case .list(let items): try value.encode(items)
    case .dictionary: break  // above
    }
  }
}

extension Encoder {
  /// Whether this writes for the bridge.
  fileprivate var isBridge: Bool { PropertyListMark.key.flatMap { userInfo[$0] } == nil }
}

/// What the property list's encoder carries, to be told from the bridge's.
private enum PropertyListMark {
  static let key = CodingUserInfoKey(rawValue: "nbridge.property-list")
}

// SPDX-License-Identifier: MIT

/// A value of esbuild's stdio protocol, which its own JavaScript and Go halves speak: a tag byte, then 32-bit
/// little-endian lengths.
package enum EsbuildValue: Equatable {
  case null
  case bool(Bool)
  case int(Int32)
  case string(String)
  case bytes([UInt8])
  case array([EsbuildValue])
  case object([String: EsbuildValue])

  subscript(key: String) -> EsbuildValue {
    if case .object(let members) = self { return members[key] ?? .null }
    return .null
  }
  var string: String? { if case .string(let text) = self { text } else { nil } }
  var int: Int? { if case .int(let number) = self { Int(number) } else { nil } }
  var bytes: [UInt8]? { if case .bytes(let bytes) = self { bytes } else { nil } }
  var array: [EsbuildValue] { if case .array(let list) = self { list } else { [] } }
}

/// One message: a request of either side, or the answer to one.
struct EsbuildPacket: Equatable {
  var id: UInt32
  var isRequest: Bool
  var value: EsbuildValue

  /// The packet with its length in front.
  var encoded: [UInt8] {
    var body: [UInt8] = []
    Self.put(id << 1 | (isRequest ? 0 : 1), &body)
    Self.put(value, &body)
    var packet: [UInt8] = []
    Self.put(UInt32(body.count), &packet)
    return packet + body
  }

  private static func put(_ number: UInt32, _ bytes: inout [UInt8]) {
    withUnsafeBytes(of: number.littleEndian) { bytes.append(contentsOf: $0) }
  }

  private static func put(_ data: some Collection<UInt8>, _ bytes: inout [UInt8]) {
    put(UInt32(data.count), &bytes)
    bytes.append(contentsOf: data)
  }

  private static func put(_ value: EsbuildValue, _ bytes: inout [UInt8]) {
    switch value {
    case .null: bytes.append(0)
    case .bool(let flag): bytes += [1, flag ? 1 : 0]
    case .int(let number):
      bytes.append(2)
      put(UInt32(bitPattern: number), &bytes)
    case .string(let text):
      bytes.append(3)
      put(text.utf8, &bytes)
    case .bytes(let data):
      bytes.append(4)
      put(data, &bytes)
    case .array(let list):
      bytes.append(5)
      put(UInt32(list.count), &bytes)
      for item in list { put(item, &bytes) }
    case .object(let members):
      bytes.append(6)
      put(UInt32(members.count), &bytes)
      for (key, value) in members {
        put(key.utf8, &bytes)
        put(value, &bytes)
      }
    }
  }

  /// Reads a packet's body, what follows its length; nil for one that is cut short or has an unknown tag.
  init?(body: [UInt8]) {
    var reader = Reader(bytes: body)
    guard let head = reader.number(), let value = reader.value(depth: 64), reader.isAtEnd else { return nil }
    self.init(id: head >> 1, isRequest: head & 1 == 0, value: value)
  }

  init(id: UInt32, isRequest: Bool, value: EsbuildValue) {
    self.id = id
    self.isRequest = isRequest
    self.value = value
  }

  private struct Reader {
    let bytes: [UInt8]
    var at = 0

    var isAtEnd: Bool { at == bytes.count }

    mutating func number() -> UInt32? {
      guard at + 4 <= bytes.count else { return nil }
      defer { at += 4 }
      return (0..<4).reduce(0) { $0 | UInt32(bytes[at + $1]) << (8 * UInt32($1)) }
    }

    mutating func data() -> ArraySlice<UInt8>? {
      guard let count = number().map(Int.init), count <= bytes.count - at else { return nil }
      defer { at += count }
      return bytes[at..<at + count]
    }

    mutating func value(depth: Int) -> EsbuildValue? {
      guard depth > 0, at < bytes.count else { return nil }
      at += 1
      switch bytes[at - 1] {
      case 0: return .null
      case 1:
        guard at < bytes.count else { return nil }
        at += 1
        return .bool(bytes[at - 1] != 0)
      case 2: return number().map { .int(Int32(bitPattern: $0)) }
      case 3: return data().map { .string(String(decoding: $0, as: UTF8.self)) }
      case 4: return data().map { .bytes(Array($0)) }
      case 5: return array(depth: depth)
      case 6: return object(depth: depth)
      default: return nil
      }
    }

    private mutating func array(depth: Int) -> EsbuildValue? {
      guard let count = number(), count <= bytes.count - at else { return nil }
      var list: [EsbuildValue] = []
      for _ in 0..<count {
        guard let item = value(depth: depth - 1) else { return nil }
        list.append(item)
      }
      return .array(list)
    }

    private mutating func object(depth: Int) -> EsbuildValue? {
      guard let count = number(), count <= bytes.count - at else { return nil }
      var members: [String: EsbuildValue] = [:]
      for _ in 0..<count {
        guard let key = data(), let item = value(depth: depth - 1) else { return nil }
        members[String(decoding: key, as: UTF8.self)] = item
      }
      return .object(members)
    }
  }
}

// SPDX-License-Identifier: MIT

import TestSupport

@testable import NBridgePlugin

/// A value of wire text.
func wire(_ text: String, _ attachments: [Bytes] = []) -> Value {
  Value(text: Array(text.utf8), attachments: attachments)
}

/// The wire text of a Swift value.
func written(_ value: some Encodable) throws -> String {
  String(decoding: try Value(encoding: value).text, as: UTF8.self)
}

/// The message of the error that reading a text as a type ends with; nil when it can be read.
func complaint<T: Decodable>(_ text: String, _ type: T.Type, _ attachments: [Bytes] = []) -> String? {
  do {
    _ = try wire(text, attachments).decode(type)
    return nil
  } catch let error as BridgeError {
    return error.code == .invalidParameter ? error.message : "another code: \(error)"
  } catch { return "another error: \(error)" }
}

/// Calls `body` with the tape of a text.
func onTape<R>(_ text: String, _ body: (borrowing WireTape) throws -> R) throws -> R {
  try Array(text.utf8).withUnsafeBufferPointer { try body(try WireTape($0)) }
}

/// The place where parsing a text stops, and why; nil for JSON.
func syntaxFault(_ text: [UInt8]) -> (reason: String, offset: Int?)? {
  text.withUnsafeBufferPointer { text in
    do throws(WireError) {
      _ = try WireTape(text)
      return nil
    } catch { return (error.reason, error.offset) }
  }
}

/// A value that is anything, made at random and compared as a whole.
indirect enum AnyTree: Codable, Equatable {
  case nothing
  case flag(Bool)
  case whole(Int)
  case large(Int64)
  case ratio(Double)
  case text(String)
  case bytes(Bytes)
  case list([AnyTree])
  case named([String: AnyTree])

  static func make(_ random: inout SeededGenerator, depth: Int = 4) -> AnyTree {
    switch random.number(0..<(depth > 0 ? 10 : 7)) {
    case 0: return .nothing
    case 1: return .flag(.random(using: &random))
    case 2: return .whole(random.number(-(1 << 53)...(1 << 53)))
    case 3: return .large(Int64(bitPattern: random.next()))
    case 4: return .ratio(ratio(&random))
    case 5: return .text(text(&random))
    case 6: return .bytes(Bytes((0..<random.number(0..<20)).map { _ in random.next() }))
    case 7, 8:
      let count = random.number(0..<5)
      return .list((0..<count).map { _ in make(&random, depth: depth - 1) })
    default:
      var members: [String: AnyTree] = [:]
      for _ in 0..<random.number(0..<5) {
        members[text(&random)] = make(&random, depth: depth - 1)
      }
      return .named(members)
    }
  }

  /// Any bit pattern but NaN, which is not equal to itself.
  private static func ratio(_ random: inout SeededGenerator) -> Double {
    let value = Double(bitPattern: random.next())
    return value.isNaN ? -0.0 : value
  }

  static func text(_ random: inout SeededGenerator) -> String {
    let parts = [
      "a", "$nb", "$", "\"", "\\", "\n", "\u{0}", "\u{1F}", "é", "漢", "🎉", "\u{2028}", "/", "zz", "\u{7F}",
    ]
    return (0..<random.number(0..<6))
      .map { _ in random.pick(parts) }.joined()
  }
}

// SPDX-License-Identifier: MIT

internal import FoundationEssentials

/// Looks at a property list before Foundation does: its parser follows lists that hold themselves, and lists
/// in lists, until the stack is over.
enum PropertyListGuard {
  /// How many values one property list may have; a value that stands in two places counts twice.
  static let maximum = 1 << 20

  static func check(_ data: Data) throws {
    let bytes = [UInt8](data)
    if bytes.starts(with: "bplist".utf8) {
      var check = try BinaryCheck(bytes)
      try check.run()
    } else if String(validating: bytes, as: UTF8.self) == nil {
      // Foundation's parser takes half of a character for a number's text, and traps.
      throw PropertyListProblem(reason: "it is not text in UTF-8")
    } else {
      try checkXML(bytes)
    }
  }

  // MARK: - XML

  private static func checkXML(_ bytes: [UInt8]) throws {
    var depth = 0
    var at = 0
    while let tag = bytes[at...].firstIndex(of: UInt8(ascii: "<")) {
      at = tag + 1
      let rest = bytes[at...]
      if rest.starts(with: "date".utf8) {
        try checkDate(rest)
      } else if rest.starts(with: "!--".utf8) {
        at = end(of: "-->", in: bytes, from: at + 3)
      } else if rest.starts(with: "![CDATA[".utf8) {
        at = end(of: "]]>", in: bytes, from: at)
      } else if rest.starts(with: "/array".utf8) || rest.starts(with: "/dict".utf8) {
        depth -= 1
      } else if rest.starts(with: "array".utf8) || rest.starts(with: "dict".utf8) {
        let close = rest.firstIndex(of: UInt8(ascii: ">")) ?? bytes.endIndex
        if close > at, bytes[close - 1] == UInt8(ascii: "/") { continue }
        depth += 1
      }
      if depth > PropertyListNode.deepest { throw tooDeep }
    }
  }

  /// Foundation passes over the sign of a year and reads another one.
  private static func checkDate(_ rest: ArraySlice<UInt8>) throws {
    guard let end = rest.firstIndex(of: UInt8(ascii: ">")) else { return }
    let text = rest[(end + 1)...].prefix { $0 != UInt8(ascii: "<") }
    if text.first(where: { $0 > 0x20 }) == UInt8(ascii: "-") {
      throw PropertyListProblem(reason: "it holds a date before the year 1, which XML can't hold")
    }
  }

  private static func end(of mark: String, in bytes: [UInt8], from start: Int) -> Int {
    let mark = Array(mark.utf8)
    var at = start
    while at + mark.count <= bytes.count {
      if bytes[at..<(at + mark.count)].elementsEqual(mark) { return at + mark.count }
      at += 1
    }
    return bytes.count
  }

  fileprivate static let tooDeep = PropertyListProblem(
    reason:
      "its values stand more than \(PropertyListNode.deepest) levels deep in each other, or in themselves")
}

/// A walk through a binary property list (CFBinaryPList.c tells the form): every object counted with what it
/// holds.
private struct BinaryCheck {
  private let bytes: [UInt8]
  private let offsetSize: Int
  private let referenceSize: Int
  private let count: Int
  private let table: Int
  private let top: Int
  /// How many values each object stands for; nil for one that was not looked at.
  private var sizes: [Int: Int] = [:]

  private static let damaged = PropertyListProblem(reason: "it is damaged")

  init(_ bytes: [UInt8]) throws {
    guard bytes.count >= 40 else { throw Self.damaged }
    self.bytes = bytes
    let trailer = bytes.count - 32
    offsetSize = Int(bytes[trailer + 6])
    referenceSize = Int(bytes[trailer + 7])
    count = try Self.number(bytes, trailer + 8, 8)
    top = try Self.number(bytes, trailer + 16, 8)
    table = try Self.number(bytes, trailer + 24, 8)
    guard 1...8 ~= offsetSize, 1...8 ~= referenceSize, count > 0, count <= trailer, table <= trailer,
      count <= (trailer - table) / offsetSize
    else { throw Self.damaged }
  }

  mutating func run() throws { _ = try visit(top, depth: 0) }

  /// A big-endian number.
  private static func number(_ bytes: [UInt8], _ at: Int, _ size: Int) throws -> Int {
    guard at >= 0, size > 0, at <= bytes.count - size else { throw damaged }
    let value = bytes[at..<(at + size)].reduce(UInt64(0)) { $0 << 8 | UInt64($1) }
    guard let number = Int(exactly: value) else { throw damaged }
    return number
  }

  private mutating func visit(_ object: Int, depth: Int) throws -> Int {
    guard depth <= PropertyListNode.deepest else { throw PropertyListGuard.tooDeep }
    if let known = sizes[object] { return known }
    guard object < count else { throw Self.damaged }
    let at = try Self.number(bytes, table + object * offsetSize, offsetSize)
    guard at < table else { throw Self.damaged }
    let marker = bytes[at]
    guard [0xA0, 0xC0, 0xD0].contains(marker & 0xF0) else {
      if marker & 0xF0 == 0x80 {
        throw PropertyListProblem(reason: "it holds a UID, as archives of objects do")
      }
      sizes[object] = 1
      return 1
    }
    let (members, first) = try length(at)
    let references = members * (marker & 0xF0 == 0xD0 ? 2 : 1)
    guard references <= bytes.count / referenceSize else { throw Self.damaged }
    var size = 1
    for index in 0..<references {
      size += try visit(Self.number(bytes, first + index * referenceSize, referenceSize), depth: depth + 1)
      guard size <= PropertyListGuard.maximum else {
        throw PropertyListProblem(reason: "it stands for more than \(PropertyListGuard.maximum) values")
      }
    }
    sizes[object] = size
    return size
  }

  /// How many members a list has, and where the first stands.
  private func length(_ at: Int) throws -> (Int, Int) {
    let short = Int(bytes[at] & 0x0F)
    guard short == 0x0F else { return (short, at + 1) }
    guard at + 1 < bytes.count else { throw Self.damaged }
    let size = 1 << Int(bytes[at + 1] & 0x0F)
    guard size <= 8 else { throw Self.damaged }
    let count = try Self.number(bytes, at + 2, size)
    guard count <= bytes.count else { throw Self.damaged }
    return (count, at + 2 + size)
  }
}

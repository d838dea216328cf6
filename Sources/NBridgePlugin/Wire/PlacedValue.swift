// SPDX-License-Identifier: MIT

/// A JSON value that knows its line: for files that people write, whose errors have to say where.
package struct PlacedValue: Sendable {
  /// What a value can be (RFC 8259).
  package enum Content: Sendable {
    case null
    case bool(Bool)
    case number(Double)
    case string(String)
    case array([PlacedValue])
    case object([Member])
  }

  /// One member of an object.
  package struct Member: Sendable {
    package let key: String
    package let value: PlacedValue
  }

  package let content: Content
  /// Where it begins; the first line is 1.
  package let line: Int

  /// Parses a text, which holds one value.
  package init(_ text: [UInt8]) throws(PlacedError) {
    do {
      self = try text.withUnsafeBufferPointer { text in
        let source = try WireSource(text)
        var reader = PlacedReader(text)
        return try reader.value(source, 0).value
      }
    } catch let error as WireError {
      let before = text.prefix(error.offset ?? text.count)
      throw PlacedError(line: before.count { $0 == 0x0A } + 1, reason: "is not JSON: \(error.reason)")
    } catch let error as PlacedError {
      throw error
    } catch { throw PlacedError(line: 1, reason: "\(error)") }
  }

  fileprivate init(_ content: Content, _ line: Int) { (self.content, self.line) = (content, line) }
}

/// What is wrong with a file, and on which line.
package struct PlacedError: Error {
  package let line: Int
  package let reason: String

  package init(line: Int, reason: String) { (self.line, self.reason) = (line, reason) }
}

/// Walks a tape in document order, so that lines are counted once.
private struct PlacedReader {
  private let text: UnsafeBufferPointer<UInt8>
  private var offset = 0
  private var line = 1

  init(_ text: UnsafeBufferPointer<UInt8>) { self.text = text }

  private mutating func line(at place: Int) -> Int {
    while offset < place {
      if text[offset] == 0x0A { line += 1 }
      offset += 1
    }
    return line
  }

  /// The value at a node, and the node behind it.
  mutating func value(_ source: borrowing WireSource, _ node: Int) throws -> (value: PlacedValue, next: Int) {
    let token = source.tape[node]
    let line = line(at: Int(token.start))
    let next = Int(token.next)
    switch token.kind {
    case .null, .end, .replaced: return (PlacedValue(.null, line), next)
    case .true, .false: return (PlacedValue(.bool(token.kind == .true), line), next)
    case .integer, .number:
      let digits = String(decoding: text[Int(token.start)..<Int(token.stop)], as: UTF8.self)
      return (PlacedValue(.number(Double(digits) ?? .nan), line), next)
    case .string, .escapedString: return (PlacedValue(.string(try string(source, node)), line), next)
    case .array:
      var (items, child): ([PlacedValue], Int) = ([], node + 1)
      while source.tape[child].kind != .end {
        let item = try value(source, child)
        items.append(item.value)
        child = item.next
      }
      return (PlacedValue(.array(items), line), next)
    case .object:
      var (members, child): ([PlacedValue.Member], Int) = ([], node + 1)
      while source.tape[child].kind != .end {
        let key = try string(source, child)
        let member = try value(source, child + 1)
        members.append(.init(key: key, value: member.value))
        child = member.next
      }
      return (PlacedValue(.object(members), line), next)
    }
  }

  private mutating func string(_ source: borrowing WireSource, _ node: Int) throws -> String {
    do { return try source.tape.string(node) } catch {
      throw PlacedError(line: line(at: Int(source.tape[node].start)), reason: error.reason)
    }
  }
}

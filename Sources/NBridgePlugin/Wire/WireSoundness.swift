// SPDX-License-Identifier: MIT

extension Value {
  /// Whether the value is one that the bridge itself could have written. What comes from another process is
  /// looked at before it goes to a script: a tag that stands for nothing would fail there, with all that
  /// travels beside it.
  package var isSound: Bool {
    text.withUnsafeBufferPointer { text -> Bool in
      guard let source = try? WireSource(text, attachments: attachments) else { return false }
      // A key may hide behind an escape.
      guard WireTag.mayStand(in: text) || text.contains(UInt8(ascii: "\\")) else { return true }
      return (0..<source.tape.count).allSatisfy { source.isSound($0) }
    }
  }
}

extension WireSource {
  /// Whether the object at a node is plain, or tagged as the bridge tags.
  fileprivate func isSound(_ node: Int) -> Bool {
    guard tape[node].kind == .object else { return true }
    if isWrapped(node) { return true }
    guard let (tag, payload) = tag(at: node) else { return !hasTagKey(node) }
    switch tag {
    case .undefined: return true
    case .number:
      return (try? tape.string(payload)).map { ["NaN", "Infinity", "-Infinity", "-0"].contains($0) } ?? false
    case .bigInt: return (try? tape.string(payload)).map(Self.isInteger) ?? false
    case .date: return [.integer, .number, .null].contains(tape[payload].kind)
    case .set: return tape[payload].kind == .array
    case .map: return tape[payload].kind == .array && pairs(payload)
    case .object: return tape[payload].kind == .object
    case .bytes: return isView(payload)
    case .handle, .channel: return false  // what another process wrote has no object here
    }
  }

  private static func isInteger(_ text: String) -> Bool {
    let digits = text.hasPrefix("-") ? text.utf8.dropFirst() : text.utf8[...]
    return !digits.isEmpty && digits.count <= 4096 && digits.allSatisfy { (0x30...0x39).contains($0) }
  }

  /// Whether an object is one inside of a tag that says so: then a key `$nb` in it is its own, whatever
  /// stands there.
  private func isWrapped(_ node: Int) -> Bool {
    guard node >= 4, let (tag, payload) = tag(at: node - 4), tag == .object, payload == node else {
      return false
    }
    return !isWrapped(node - 4)
  }

  /// A key `$nb` of an object's own is written inside a tag only.
  private func hasTagKey(_ node: Int) -> Bool {
    find(in: node) { child in WireTag.key.withUTF8Buffer { tape.matches(child, $0) } }
  }

  private func find(in object: Int, _ matches: (Int) -> Bool) -> Bool {
    var child = object + 1
    while tape[child].kind != .end {
      if matches(child) { return true }
      child = Int(tape[child + 1].next)
    }
    return false
  }

  private func pairs(_ array: Int) -> Bool {
    var child = array + 1
    while tape[child].kind != .end {
      guard tape[child].kind == .array else { return false }
      let first = child + 1
      guard tape[first].kind != .end else { return false }
      let second = Int(tape[first].next)
      guard tape[second].kind != .end, tape[Int(tape[second].next)].kind == .end else { return false }
      child = Int(tape[child].next)
    }
    return true
  }

  private static let elementSizes: [String: Int] = [
    "ArrayBuffer": 1, "Uint8Array": 1, "Int8Array": 1, "Uint8ClampedArray": 1, "DataView": 1, "Int16Array": 2,
    "Uint16Array": 2, "Int32Array": 4, "Uint32Array": 4, "Float32Array": 4, "Float64Array": 8,
    "BigInt64Array": 8, "BigUint64Array": 8,
  ]

  private func isView(_ payload: Int) -> Bool {
    guard tape[payload].kind == .integer, let index = tape.integer(payload, as: Int.self),
      attachments.indices.contains(index)
    else { return false }
    guard tape[payload + 1].kind == .string else { return tape[payload + 1].kind == .end }
    guard let view = try? tape.string(payload + 1), let size = Self.elementSizes[view] else { return false }
    return attachments[index].count % size == 0
  }
}

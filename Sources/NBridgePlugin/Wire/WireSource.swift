// SPDX-License-Identifier: MIT

/// Looks at the members of what was decoded.
package protocol MemberCheck: AnyObject, Sendable {
  /// Throws for the first member, of the root or of what is in it, that should not be there.
  func check(_ source: borrowing WireSource) throws
  /// What a member of an object is when it is absent; nil when it must be there.
  func value(of member: String, in object: Int, _ source: borrowing WireSource) -> Value?
  /// The same for a member at `node` that says nothing.
  func value(at node: Int, _ source: borrowing WireSource) -> Value?
}

/// A parsed text with the bytes beside it: what a decoder reads.
package struct WireSource: ~Copyable {
  package let tape: WireTape
  package let attachments: [Bytes]
  /// Who knows the members; whoever decodes keeps it alive.
  unowned(unsafe) var names: (any MemberCheck)?

  /// Where the next key of an object probably is: most objects are decoded in the order they were written.
  var hint = (object: -1, node: -1)

  /// Parses `text`, which must outlive the source.
  package init(
    _ text: UnsafeBufferPointer<UInt8>, attachments: [Bytes] = [],
    scratch: UnsafeMutablePointer<WireTape.Node>? = nil
  ) throws(WireError) {
    tape = try WireTape(text, scratch: scratch)
    self.attachments = attachments
  }

  /// Parses `text` into memory of its own, with the nodes of a short text behind it: one allocation for both.
  /// Throws ``BridgeError`` naming `root`.
  static func make(_ text: UnsafeBufferPointer<UInt8>, _ attachments: [Bytes], _ root: String) throws
    -> UnsafeMutablePointer<WireSource>
  {
    let nodes = text.count <= WireTape.shortText ? WireTape.shortText : 0
    let block = UnsafeMutableRawPointer.allocate(
      byteCount: MemoryLayout<WireSource>.stride + nodes * MemoryLayout<WireTape.Node>.stride, alignment: 16)
    let scratch = (block + MemoryLayout<WireSource>.stride).bindMemory(
      to: WireTape.Node.self, capacity: nodes)
    let storage = block.bindMemory(to: WireSource.self, capacity: 1)
    do {
      storage.initialize(to: try WireSource(text, attachments: attachments, scratch: scratch))
      return storage
    } catch {
      block.deallocate()
      throw BridgeError(.invalidParameter, "\(root) is not valid: \(error)")
    }
  }

  /// Gives back what ``make(_:_:_:)`` made.
  static func destroy(_ storage: UnsafeMutablePointer<WireSource>) {
    storage.deinitialize(count: 1)
    UnsafeMutableRawPointer(storage).deallocate()
  }

  /// The tag and its payload node when the object at `node` is a tagged value.
  package func tag(at node: Int) -> (tag: WireTag, payload: Int)? {
    guard tape[node].kind == .object, tape[node + 1].kind == .string,
      tape[node + 1].stop - tape[node + 1].start == 3,
      WireTag.key.withUTF8Buffer({ tape.matches(node + 1, $0) }), tape[node + 2].kind == .array
    else { return nil }
    let name = tape[node + 3]
    guard name.kind == .string, name.stop - name.start == 1,
      let tag = WireTag(rawValue: tape.text[Int(name.start)])
    else { return nil }
    return (tag, node + 4)
  }

  /// The bytes that a tag points to, with the view's name that stands beside the index.
  func attachment(_ index: Int, tag payload: Int) -> Bytes {
    var bytes = attachments[index]
    if tape[payload + 1].kind == .string, let view = try? tape.string(payload + 1) { bytes.view = view }
    return bytes
  }

  /// The object that decoding should look into: the tagged one when an object has a key `$nb` of its own.
  package func object(at node: Int) -> Int? {
    guard tape[node].kind == .object else { return nil }
    guard let (tag, payload) = tag(at: node) else { return node }
    return tag == .object ? payload : nil
  }

  /// The node of the value of `key`, nil when the object has none.
  package func find(_ key: String, in object: Int) -> Int? {
    var key = key
    return key.withUTF8 { name in
      if hint.object == object {
        var node = hint.node
        while tape[node].kind == .replaced { node = Int(tape[node + 1].next) }
        if tape[node].kind != .end, tape.matches(node, name) { return node + 1 }
      }
      tape.settleKeys(of: object)
      var node = object + 1
      while tape[node].kind != .end {
        if tape.matches(node, name) { return node + 1 }
        node = Int(tape[node + 1].next)
      }
      return nil
    }
  }

  /// Notes that the member with this value was asked for, and where the next one probably is.
  @inline(__always)
  mutating func found(_ node: Int, in object: Int) {
    hint = (object, Int(tape[node].next))
    tape.note(.asked, at: node)
  }

  /// Whether the value at `node`, an object or a list, has a member somewhere that the decoder did not ask
  /// for. What was taken as it stands has none.
  func hasLeftOver(at node: Int) -> Bool {
    if let object = object(at: node) {
      var member = object + 1
      while tape[member].kind != .end {
        let value = member + 1
        if tape[member].kind != .replaced,
          tape[value].use == .none || mayHaveLeftOver(value) && hasLeftOver(at: value)
        {
          return true
        }
        member = Int(tape[value].next)
      }
    } else if tape[node].kind == .array {
      var element = node + 1
      while tape[element].kind != .end {
        if mayHaveLeftOver(element), hasLeftOver(at: element) { return true }
        element = Int(tape[element].next)
      }
    }
    return false
  }

  @inline(__always)
  private func mayHaveLeftOver(_ node: Int) -> Bool {
    (tape[node].kind == .object || tape[node].kind == .array) && tape[node].use != .whole
  }

  /// The text of the subtree at `node`, as it was written.
  package func text(of node: Int) -> UnsafeBufferPointer<UInt8> {
    let quote = tape[node].kind == .string || tape[node].kind == .escapedString ? 1 : 0
    return UnsafeBufferPointer(
      rebasing: tape.text[Int(tape[node].start) - quote..<Int(tape[node].stop) + quote])
  }

  /// Where a node stands, as `.items[3].name`: found by walking down from the root, so that only errors pay.
  func path(to target: Int) -> String {
    var path = ""
    var node = 0
    while node != target {
      if let (_, payload) = tag(at: node), target >= payload {
        // To a script a Set has members, and not a payload.
        node = payload
        continue
      }
      guard let (step, child) = step(from: node, towards: target) else { break }
      path += step
      // The target is the key of this member.
      if target < child { break }
      node = child
    }
    return path
  }

  /// The member or element of a value that a node is in: `.name` or `[3]`, and where it is.
  func step(from node: Int, towards target: Int) -> (String, Int)? {
    var child = node + 1
    var index = 0
    let isObject = tape[node].kind == .object
    guard isObject || tape[node].kind == .array else { return nil }
    while tape[child].kind != .end {
      let value = isObject ? child + 1 : child
      if target < Int(tape[value].next) {
        let key = isObject ? (try? tape.string(child)) ?? "?" : ""
        return (isObject ? ".\(key)" : "[\(index)]", value)
      }
      child = Int(tape[value].next)
      index += 1
    }
    return nil
  }
}

// SPDX-License-Identifier: MIT

/// Parts of other texts.
extension WireSink {
  /// A subtree of another text, its bytes brought along.
  package func writeSubtree(of source: borrowing WireSource, at node: Int) throws {
    if source.attachments.isEmpty {
      put(raw: source.text(of: node))
    } else {
      try copy(source, node)
    }
    // Looking for tags costs a pass; saying "maybe" costs JavaScript one.
    if source.tape[node].kind == .object || source.tape[node].kind == .array { noteTagged() }
  }

  private func copy(_ source: borrowing WireSource, _ node: Int) throws {
    if let (tag, payload) = source.tag(at: node), tag == .bytes {
      guard let index = source.tape.integer(payload, as: Int.self), source.attachments.indices.contains(index)
      else { throw BridgeError(.invalidParameter, "a value points to bytes that are not there") }
      return try writeBytes(source.attachment(index, tag: payload))
    }
    let kind = source.tape[node].kind
    guard kind == .object || kind == .array else { return put(raw: source.text(of: node)) }
    put(kind == .object ? 0x7B : 0x5B)
    var child = node + 1
    while source.tape[child].kind != .end {
      if child != node + 1 { put(0x2C) }
      if kind == .object {
        put(raw: source.text(of: child))
        put(0x3A)
        child += 1
      }
      try copy(source, child)
      child = Int(source.tape[child].next)
    }
    put(kind == .object ? 0x7D : 0x5D)
  }
}

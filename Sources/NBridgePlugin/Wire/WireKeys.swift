// SPDX-License-Identifier: MIT

/// Members of which one replaces another: of two with one key the last one counts, as in JSON.parse
/// (ECMA-262, 25.5.1).
extension WireTape {
  /// Sees to it that no key of an object is there twice: all but the last one become ``Kind/replaced`` and
  /// match no name. Done once for an object, when a decoder first asks for one of its members.
  @inline(__always)
  func settleKeys(of object: Int) {
    if !self[object].hasSettledKeys { settle(object) }
  }

  /// A key that an object has twice, the whole or, with `depths`, one in it; nil for none. Of a tape that
  /// nobody has decoded from.
  func doubledKey(inDepths depths: Bool) -> String? {
    for object in 0..<(depths ? count : 1) where self[object].kind == .object {
      var seen: Set<String> = []
      var key = object + 1
      while self[key].kind != .end {
        if let name = try? string(key), !seen.insert(name).inserted { return name }
        key = Int(self[key + 1].next)
      }
    }
    return nil
  }

  /// So many keys are compared with each other where they may be the same; more are looked up.
  private static let fewKeys = 32

  /// One bit of 64 stands for what a key looks like at a glance: only where that was seen before, keys are
  /// compared.
  @inline(never)
  private func settle(_ object: Int) {
    noteSettled(object)
    var seen: UInt64 = 0
    var count = 0
    var key = object + 1
    while self[key].kind != .end {
      let look = look(at: key)
      count += 1
      if seen & look != 0 {
        if count > Self.fewKeys { return settleMany(object) }
        replaceEarlier(than: key, in: object)
      }
      seen |= look
      key = Int(self[key + 1].next)
    }
  }

  /// One with an escape looks like all others.
  @inline(__always)
  private func look(at key: Int) -> UInt64 {
    let node = self[key]
    guard node.kind == .string else { return .max }
    guard node.start < node.stop else { return 1 }
    let (first, last) = (UInt32(text[Int(node.start)]), UInt32(text[Int(node.stop) - 1]))
    return 1 << UInt64((first &* 7 &+ last &* 31 &+ (node.stop &- node.start)) & 63)
  }

  private func replaceEarlier(than key: Int, in object: Int) {
    var earlier = object + 1
    while earlier < key {
      if isSame(earlier, key) { noteReplaced(earlier) }
      earlier = Int(self[earlier + 1].next)
    }
  }

  private func isSame(_ one: Int, _ other: Int) -> Bool {
    let (left, right) = (self[one], self[other])
    if left.kind == .string, right.kind == .string, left.stop - left.start != right.stop - right.start {
      return false
    }
    return withName(one) { one in withName(other) { one.elementsEqual($0) } ?? false } ?? false
  }

  /// Calls `body` with the bytes of a key, escapes resolved; not for what is no text, or replaced.
  private func withName<R>(_ key: Int, _ body: (UnsafeBufferPointer<UInt8>) -> R) -> R? {
    let node = self[key]
    if node.kind == .string {
      return body(UnsafeBufferPointer(rebasing: text[Int(node.start)..<Int(node.stop)]))
    }
    guard node.kind == .escapedString, var name = try? string(key) else { return nil }
    return name.withUTF8(body)
  }

  /// The same in a table, which no sender can fill so that it gets slow: where a key stands in it is not
  /// known outside.
  private func settleMany(_ object: Int) {
    var count = 0
    var key = object + 1
    while self[key].kind != .end {
      count += 1
      key = Int(self[key + 1].next)
    }
    let size = 1 << (Int.bitWidth - (2 * count).leadingZeroBitCount)
    withUnsafeTemporaryAllocation(of: UInt32.self, capacity: size) { table in
      table.initialize(repeating: 0)  // of no key: the object stands before its keys
      var key = object + 1
      while self[key].kind != .end {
        if let place = place(of: key, in: table) {
          if table[place] != 0 { noteReplaced(Int(table[place])) }
          table[place] = UInt32(truncatingIfNeeded: key)
        }
        key = Int(self[key + 1].next)
      }
    }
  }

  /// Where a key, or an equal one, stands in the table, or is to stand; nil for what is no text, or replaced.
  private func place(of key: Int, in table: UnsafeMutableBufferPointer<UInt32>) -> Int? {
    guard var place = withName(key, { Int(truncatingIfNeeded: Self.hash($0)) & (table.count - 1) }) else {
      return nil
    }
    while table[place] != 0, !isSame(Int(table[place]), key) { place = (place + 1) & (table.count - 1) }
    return place
  }

  private static let seed = UInt64.random(in: 1 ... .max)

  /// Eight bytes at a time, each mixed in by the two halves of a product.
  private static func hash(_ name: UnsafeBufferPointer<UInt8>) -> UInt64 {
    let raw = UnsafeRawBufferPointer(name)
    var hash = seed ^ UInt64(truncatingIfNeeded: raw.count)
    var at = 0
    while at < raw.count {
      var word: UInt64 = 0
      if at + 8 <= raw.count {
        word = raw.loadUnaligned(fromByteOffset: at, as: UInt64.self)
      } else {
        for byte in raw[at...] { word = word << 8 | UInt64(byte) }
      }
      let (high, low) = (hash ^ word).multipliedFullWidth(by: 0x9E37_79B9_7F4A_7C15)
      hash = high ^ low
      at += 8
    }
    return hash
  }
}

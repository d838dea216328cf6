// SPDX-License-Identifier: MIT

internal import Glibc

/// The text under construction, with the bytes beside it. Used by one thread at a time, reusable.
package final class WireSink {
  // One thread at a time, no reentrance: the run-time checks would cost more than the work between them.
  @exclusivity(unchecked) private var buffer: UnsafeMutablePointer<UInt8>
  @exclusivity(unchecked) private var capacity: Int
  @exclusivity(unchecked) package private(set) var count = 0
  /// The bytes that the text points to, by index.
  @exclusivity(unchecked) package private(set) var attachments: [Bytes] = []
  /// Whether this sink holds the only references to the bytes beside the text.
  package var ownsAttachments: Bool {
    for index in attachments.indices where !attachments[index].isOnlyReference() { return false }
    return true
  }

  /// Whether the text holds a value that plain JSON.parse would not give back.
  @exclusivity(unchecked) package private(set) var isTagged = false

  /// An object or a list that is being written.
  private struct Container {
    /// Where it begins in the text.
    let start: Int
    let close: UInt8
    var hasMember = false
    /// Whether a value may be missing in it.
    var mayLackValue = false
    /// Whether it stands in a tag, because of a key of its own that is the tag's.
    var isWrapped = false
  }

  @exclusivity(unchecked) private var open: [Container] = []

  package init(capacity: Int = 512) {
    self.capacity = capacity
    buffer = .allocate(capacity: capacity)
  }

  deinit { buffer.deallocate() }

  /// Empties it for the next text. A large buffer is given back.
  package func reset() {
    count = 0
    isTagged = false
    if !attachments.isEmpty { attachments = [] }
    open.removeAll(keepingCapacity: true)
    guard capacity > 1 << 22 else { return }
    buffer.deallocate()
    capacity = 512
    buffer = .allocate(capacity: capacity)
  }

  /// The text so far; valid until the next write.
  package var text: UnsafeBufferPointer<UInt8> { UnsafeBufferPointer(start: buffer, count: count) }

  /// The text so far with a zero behind it, as C wants it: JSON text has none inside. Valid until the next
  /// write.
  package var terminated: UnsafePointer<CChar> {
    reserve(1)
    buffer[count] = 0
    return UnsafeRawPointer(buffer).assumingMemoryBound(to: CChar.self)
  }

  // MARK: - Bytes of text

  @inline(__always)
  private func reserve(_ more: Int) {
    if count + more > capacity { grow(more) }
  }

  @inline(never)
  private func grow(_ more: Int) {
    let larger = max(capacity * 2, count + more)
    let moved = UnsafeMutablePointer<UInt8>.allocate(capacity: larger)
    moved.moveInitialize(from: buffer, count: count)
    buffer.deallocate()
    buffer = moved
    capacity = larger
  }

  @inline(__always)
  package func put(_ byte: UInt8) {
    reserve(1)
    buffer[count] = byte
    count += 1
  }

  @inline(__always)
  package func put(_ text: StaticString) {
    put(raw: UnsafeBufferPointer(start: text.utf8Start, count: text.utf8CodeUnitCount))
  }

  /// Appends text as it is.
  @inline(__always)
  package func put(raw text: UnsafeBufferPointer<UInt8>) {
    guard let base = text.baseAddress else { return }
    reserve(text.count)
    (buffer + count).update(from: base, count: text.count)
    count += text.count
  }

  /// Takes back what was written after the first `length` bytes.
  package func truncate(to length: Int) { count = min(count, length) }

  // MARK: - Scalars

  package func writeNull() { put("null") }

  package func write(_ value: Bool) { if value { put("true") } else { put("false") } }

  /// An integer that a JavaScript number holds exactly, else a BigInt.
  package func write<T: FixedWidthInteger>(_ value: T) throws {
    guard let small = Int64(exactly: value), small.magnitude <= 1 << 53 else {
      throw BridgeError(
        .unknownError,
        "an integer past ±2^53 does not fit a JavaScript number; declare it Int64 or UInt64 (a BigInt)")
    }
    writeDigits(small)
  }

  package func writeBigInt<T: FixedWidthInteger>(_ value: T) {
    isTagged = true
    put(#"{"$nb":["i",""#)
    put(ascii: String(value))
    put(#""]}"#)
  }

  private func writeDigits(_ value: Int64) {
    reserve(20)
    var magnitude = value.magnitude
    if value < 0 { put(0x2D) }
    var width = 1
    var probe = magnitude
    while probe >= 10 {
      probe /= 10
      width += 1
    }
    var at = count + width
    count = at
    repeat {
      at -= 1
      let (quotient, digit) = magnitude.quotientAndRemainder(dividingBy: 10)
      buffer[at] = 0x30 | UInt8(truncatingIfNeeded: digit)
      magnitude = quotient
    } while magnitude != 0
  }

  package func write(_ value: Double) {
    if let integer = Int64(exactly: value), integer.magnitude < 1 << 53,
      integer != 0 || value.sign == .plus
    {
      return writeDigits(integer)
    }
    if value.isFinite, value != 0 {
      if writeShortDecimal(value) { return }
      return put(ascii: value.description)
    }
    isTagged = true
    put(#"{"$nb":["n",""#)
    if value.isNaN {
      put("NaN")
    } else if value == 0 {
      put("-0")
    } else if value > 0 {
      put("Infinity")
    } else {
      put("-Infinity")
    }
    put(#""]}"#)
  }

  /// Writes a number that is a whole number of thousandths. With at most 15 digits, the decimal that gives a
  /// double is the shortest one that does: two of that length never meet in the same double.
  private func writeShortDecimal(_ value: Double) -> Bool {
    let scaled = value * 1000
    guard scaled.magnitude < 1e15, let thousandths = Int64(exactly: scaled),
      Double(thousandths) / 1000 == value
    else { return false }
    if value < 0 { put(0x2D) }
    let (whole, rest) = thousandths.magnitude.quotientAndRemainder(dividingBy: 1000)
    writeDigits(Int64(whole))
    put(0x2E)
    var fraction = rest
    var unit: UInt64 = 100
    while fraction > 0 {
      put(0x30 | UInt8(truncatingIfNeeded: fraction / unit))
      fraction %= unit
      unit /= 10
    }
    return true
  }

  private func put(ascii text: String) {
    var text = text
    text.withUTF8 { put(raw: $0) }
  }

  package func write(_ value: String) {
    var value = value
    value.withUTF8 { writeString($0) }
  }

  /// A JSON string of UTF-8 bytes.
  package func writeString(_ text: UnsafeBufferPointer<UInt8>) {
    if text.count <= 32, writePlain(text) { return }
    put(0x22)
    guard let base = text.baseAddress else { return put(0x22) }
    var done = 0
    while done < text.count {
      let plain = ByteScan.special(in: base, from: done, to: text.count)
      put(raw: UnsafeBufferPointer(start: base + done, count: plain - done))
      done = plain
      if done < text.count {
        escape(base[done])
        done += 1
      }
    }
    put(0x22)
  }

  /// Keys and most values are short and need no escape: one pass, byte by byte. Answers false, with nothing
  /// written, for a text that needs one.
  @inline(__always)
  private func writePlain(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    reserve(text.count + 2)
    let target = buffer + count
    target[0] = 0x22
    var at = 1
    for byte in text {
      if byte < 0x20 || byte == 0x22 || byte == 0x5C { return false }
      target[at] = byte
      at &+= 1
    }
    target[at] = 0x22
    count &+= at &+ 1
    return true
  }

  private func escape(_ byte: UInt8) {
    put(0x5C)
    switch byte {
    case 0x22, 0x5C: put(byte)
    case 0x0A: put(0x6E)
    case 0x0D: put(0x72)
    case 0x09: put(0x74)
    default:
      put("u00")
      put(byte >> 4 | 0x30)
      put(byte & 15 < 10 ? byte & 15 | 0x30 : (byte & 15) + 0x57)
    }
  }

  // MARK: - Tagged values

  package func writeUndefined() {
    isTagged = true
    put(#"{"$nb":["u"]}"#)
  }

  package func writeDate(milliseconds: Double) {
    isTagged = true
    put(#"{"$nb":["d","#)
    // The negative zero, which would be tagged by itself, is plus zero the same moment.
    if milliseconds.isFinite { write(milliseconds.rounded() + 0) } else { writeNull() }
    put("]}")
  }

  /// An object that the plugin keeps under a number.
  func writeHandle(_ number: UInt64, _ type: String, of service: String) {
    isTagged = true
    put(#"{"$nb":["h","#)
    writeDigits(Int64(number))
    put(",")
    write(service)
    put(",")
    write(type)
    put("]}")
  }

  package func writeBytes(_ bytes: Bytes) throws {
    isTagged = true
    put(#"{"$nb":["b","#)
    try write(attachments.count)
    put(",")
    write(bytes.view)
    put("]}")
    attachments.append(bytes)
  }

  /// A value's text as it came. JavaScript is spared a pass over it when it holds nothing tagged.
  package func writeValue(_ text: UnsafeBufferPointer<UInt8>) {
    put(raw: text)
    if !isTagged { isTagged = WireTag.mayStand(in: text) }
  }

  /// The bytes that a text which was put here whole points to.
  package func put(attachments bytes: [Bytes]) { attachments = bytes }

  /// A whole text that was made elsewhere, with the bytes that it points to.
  package func put(foreign text: UnsafeBufferPointer<UInt8>, _ bytes: [Bytes], isTagged: Bool) {
    put(raw: text)
    attachments = bytes
    self.isTagged = isTagged
  }

  /// The text may hold a value that is tagged.
  func noteTagged() { isTagged = true }

  // MARK: - Containers

  /// How many containers are open.
  var depth: Int { open.count }

  /// Opens an object or an array and answers its depth.
  func openContainer(_ start: UInt8, _ close: UInt8) throws -> Int {
    if open.count >= WireLimit.depth {
      throw BridgeError(.unknownError, "a result is nested deeper than \(WireLimit.depth)")
    }
    open.append(Container(start: count, close: close))
    put(start)
    return open.count
  }

  /// Goes on in the container that is open at a depth, for a type that asks for it again.
  func reopenContainer(at depth: Int, _ close: UInt8) -> Int {
    precondition(open[depth - 1].close == close, "a Codable type is an object and a list at once")
    return depth
  }

  /// Closes the containers opened after `depth`.
  @inline(__always)
  func closeContainers(to depth: Int) {
    while open.count > depth {
      let last = open.removeLast()
      if last.mayLackValue { fillGap() }
      put(last.close)
      if last.isWrapped { put("]}") }
    }
  }

  /// Makes ready for the next member of the container at `depth`. Codable tells no end of a container, so a
  /// write to an outer one is what ends the inner.
  @inline(__always)
  func nextMember(at depth: Int) {
    closeContainers(to: depth)
    precondition(open.count == depth, "a Codable type writes to a container that it had left")
    if open[depth - 1].hasMember {
      if open[depth - 1].mayLackValue { fillGap() }
      put(0x2C)
    } else {
      open[depth - 1].hasMember = true
    }
  }

  /// The key of a member of the object at `depth`.
  @inline(__always)
  func writeKey(_ key: String, at depth: Int) {
    var key = key
    key.withUTF8 { name in
      if name.count == 3, name[0] == 0x24 { wrap(name, at: depth) }
      writeString(name)
    }
    put(0x3A)
  }

  /// Puts an object that itself has the key of tags into one, so that it is not taken for a tagged value.
  @inline(never)
  private func wrap(_ key: UnsafeBufferPointer<UInt8>, at depth: Int) {
    guard WireTag.key.withUTF8Buffer({ $0.elementsEqual(key) }), !open[depth - 1].isWrapped else { return }
    open[depth - 1].isWrapped = true
    isTagged = true
    let tag: StaticString = #"{"$nb":["o","#
    let size = tag.utf8CodeUnitCount
    reserve(size)
    let start = buffer + open[depth - 1].start
    (start + size).update(from: start, count: count - open[depth - 1].start)  // which may overlap
    start.update(from: tag.utf8Start, count: size)
    count += size
  }

  /// The next value of the container at `depth` is written by another encoder, or not at all.
  func mayLackValue(at depth: Int) { open[depth - 1].mayLackValue = true }

  /// What was not written is an empty object.
  @inline(never)
  private func fillGap() {
    switch buffer[count - 1] {
    case 0x3A, 0x2C, 0x5B: put("{}")
    default: break
    }
  }
}

// SPDX-License-Identifier: MIT

/// A quick look whether a text may have newer syntax: by bytes, so that large texts which only speak of it in
/// comments are not taken apart.
struct NewerWords {
  private let bytes: UnsafeBufferPointer<UInt8>

  /// Whether `using`, `accessor` or a decorator may stand somewhere.
  static func mayBe(in text: String, takesDecorators: Bool) -> Bool {
    var text = text
    return text.withUTF8 { Self(bytes: $0).isFound(takesDecorators) }
  }

  private func isFound(_ takesDecorators: Bool) -> Bool {
    for at in bytes.indices {
      switch bytes[at] {
      case 0x40 where takesDecorators && isDecorator(at): return true
      case 0x75 where isWord("using", at) && declares(behind: at + 5): return true
      case 0x61 where isWord("accessor", at) && isField(behind: at + 8): return true
      default: break
      }
    }
    return false
  }

  private func byte(_ at: Int) -> UInt8 { bytes.indices.contains(at) ? bytes[at] : 0 }

  private func isWord(_ word: StaticString, _ at: Int) -> Bool {
    let count = word.utf8CodeUnitCount
    guard at + count < bytes.count, at == 0 || !isNamed(bytes[at - 1]) else { return false }
    for offset in 0..<count where bytes[at + offset] != word.utf8Start[offset] { return false }
    return !isNamed(bytes[at + count])
  }

  /// A byte of a name.
  private func isNamed(_ byte: UInt8) -> Bool {
    byte | 0x20 &- 0x61 < 26 || byte &- 0x30 < 10 || [0x5F, 0x24, 0x5C, 0x23].contains(byte) || byte >= 0x80
  }

  private func behindSpace(_ start: Int) -> Int {
    var at = start
    while [0x20, 0x09].contains(byte(at)) { at += 1 }
    return at
  }

  /// `name =`, `name: T`, `name of`; a comment may be anything.
  private func declares(behind start: Int) -> Bool {
    var at = behindSpace(start)
    guard at > start || byte(at) == 0x2F else { return false }
    while isNamed(byte(at)) { at += 1 }
    at = behindSpace(at)
    let next = byte(at)
    return [0x3D, 0x3A, 0x21, 0x2F, 0x0A, 0x0D].contains(next) || next == 0x6F && byte(at + 1) == 0x66
  }

  /// A name, a string or a bracket, and what ends a field.
  private func isField(behind start: Int) -> Bool {
    var at = behindSpace(start)
    if [0x5B, 0x22, 0x27, 0x2F].contains(byte(at)) { return true }
    guard at > start, isNamed(byte(at)) else { return false }
    while isNamed(byte(at)) { at += 1 }
    at = behindSpace(at)
    return [0x3D, 0x3B, 0x3A, 0x21, 0x3F, 0x7D, 0x2F, 0x0A, 0x0D, 0].contains(byte(at))
  }

  /// `@name` and `@(`, not as in an address, nor as behind the star of a comment.
  private func isDecorator(_ at: Int) -> Bool {
    let next = byte(behindSpace(at + 1))
    guard isNamed(next) || next == 0x28 else { return false }
    var before = at - 1
    guard before < 0 || !isNamed(bytes[before]) else { return false }
    while before >= 0, [0x20, 0x09].contains(bytes[before]) { before -= 1 }
    return before < 0 || bytes[before] != 0x2A || isCode(before)
  }

  /// Whether a star belongs to no line of a comment, as JSDoc has them: something else stands before it.
  private func isCode(_ star: Int) -> Bool {
    var at = star - 1
    while at >= 0, [0x20, 0x09, 0x2A].contains(bytes[at]) { at -= 1 }
    return at >= 0 && ![0x0A, 0x0D, 0x2F].contains(bytes[at])
  }
}

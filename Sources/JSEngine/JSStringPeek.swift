// SPDX-License-Identifier: MIT

internal import CNBridgeJavaScriptCore

/// Looks at the units of an engine string where they lie.
///
/// Most strings hold one byte a unit (Latin-1); the C API shows only two bytes a unit and makes a wide copy
/// for that, which costs more than everything else that is done with a text. So we read the library's own
/// `StringImpl`, whose layout has been the same for a decade. It is proven on strings of known content before
/// the first use, and not used at all when the proof fails.
enum JSStringPeek {
  /// `OpaqueJSString`: a count of references, the `StringImpl`, the wide copy when one was made.
  private static let implOffset = 8
  /// `StringImpl`: a count of references, the length, a pointer to the units, flags.
  private static let lengthOffset = 4
  private static let unitsOffset = 8
  private static let flagsOffset = 16
  private static let isLatin1: UInt32 = 4

  private static let isTrusted = prove()

  /// The units of a string that has one byte for each; nil for others. Valid as long as the string is.
  @inline(__always)
  static func latin1(_ string: OpaquePointer) -> UnsafeBufferPointer<UInt8>? {
    isTrusted ? look(string) : nil
  }

  @inline(__always)
  private static func look(_ string: OpaquePointer) -> UnsafeBufferPointer<UInt8>? {
    guard let impl = UnsafeRawPointer(string).load(fromByteOffset: implOffset, as: UnsafeRawPointer?.self),
      impl.load(fromByteOffset: flagsOffset, as: UInt32.self) & isLatin1 != 0
    else { return nil }
    return UnsafeBufferPointer(
      start: impl.load(fromByteOffset: unitsOffset, as: UnsafePointer<UInt8>?.self),
      count: Int(impl.load(fromByteOffset: lengthOffset, as: UInt32.self)))
  }

  private static func prove() -> Bool {
    guard MemoryLayout<Int>.size == 8 else { return false }
    let text = "nbridge looks at this"
    let units = Array(text.utf16)
    guard let narrow = JSStringCreateWithUTF8CString(text),
      let wide = JSStringCreateWithCharacters(units, units.count)
    else { return false }
    defer {
      JSStringRelease(narrow)
      JSStringRelease(wide)
    }
    for string in [narrow, wide] {
      // An address, before we follow it.
      let impl = UnsafeRawPointer(string).load(fromByteOffset: implOffset, as: UInt.self)
      guard impl > 0xFFFF, impl % 8 == 0 else { return false }
    }
    guard let found = look(narrow), look(wide) == nil, found.count == text.utf8.count,
      UInt(bitPattern: found.baseAddress) > 0xFFFF
    else { return false }
    return found.elementsEqual(text.utf8)
  }
}

// SPDX-License-Identifier: MIT

internal import CNBridgeJavaScriptCore
internal import Glibc

/// Text across the engine's edge: UTF-8 on our side, Latin-1 or UTF-16 on the engine's.
///
/// The library's own conversions work a character at a time; from ``wideThreshold`` on, ours work sixteen.
enum JSString {
  static let wideThreshold = 64

  /// Makes an engine string of UTF-8 bytes. The caller releases it.
  static func make(utf8 bytes: UnsafeBufferPointer<UInt8>) -> OpaquePointer {
    if bytes.count < wideThreshold, let made = makeShort(bytes) { return made }
    return JSNarrowString.make(ifASCII: bytes) ?? makeWide(bytes)
  }

  /// Makes an engine string of a Swift string. The caller releases it.
  static func make(_ text: String) -> OpaquePointer {
    var text = text
    return text.withUTF8 { make(utf8: $0) }
  }

  /// Calls `body` with the UTF-8 bytes of an engine string. Answers false, without a call, when the text has
  /// a lone surrogate, which UTF-8 cannot carry. Not generic: looking up a type's metadata costs more than a
  /// short text.
  static func readUTF8(_ string: OpaquePointer, _ body: (UnsafeBufferPointer<UInt8>) throws -> Void) rethrows
    -> Bool
  {
    if let latin1 = JSStringPeek.latin1(string) {
      try readLatin1(latin1, body)
      return true
    }
    let count = JSStringGetLength(string)
    guard let characters = JSStringGetCharactersPtr(string) else { return false }
    return try withUnsafeTemporaryAllocation(of: UInt8.self, capacity: max(1, 3 * count)) { buffer in
      let units = UnsafeBufferPointer(start: characters, count: count)
      guard let written = Transcoding.narrow(units, into: buffer) else { return false }
      try body(UnsafeBufferPointer(rebasing: UnsafeBufferPointer(buffer)[..<written]))
      return true
    }
  }

  /// ASCII is UTF-8 where it lies; what is not is written anew.
  @inline(__always)
  private static func readLatin1(
    _ text: UnsafeBufferPointer<UInt8>, _ body: (UnsafeBufferPointer<UInt8>) throws -> Void
  ) rethrows {
    if Transcoding.isASCII(text) { return try body(text) }
    let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: 2 * text.count)
    defer { buffer.deallocate() }
    let count = Transcoding.expand(text, into: buffer)
    try body(UnsafeBufferPointer(rebasing: UnsafeBufferPointer(buffer)[..<count]))
  }

  /// The Swift string of an engine string; a lone surrogate becomes U+FFFD.
  static func text(_ string: OpaquePointer) -> String {
    var text = ""
    if readUTF8(string, { text = String(decoding: $0, as: UTF8.self) }) { return text }
    let count = JSStringGetLength(string)
    guard let characters = JSStringGetCharactersPtr(string) else { return "" }
    return String(decoding: UnsafeBufferPointer(start: characters, count: count), as: UTF16.self)
  }

  /// The engine's own conversion wants a terminator, so text with a NUL goes the wide way.
  private static func makeShort(_ bytes: UnsafeBufferPointer<UInt8>) -> OpaquePointer? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: wideThreshold + 1) { buffer in
      for index in 0..<bytes.count {
        if bytes[index] == 0 { return nil }
        buffer[index] = CChar(bitPattern: bytes[index])
      }
      buffer[bytes.count] = 0
      let made = JSStringCreateWithUTF8CString(buffer.baseAddress)
      // The library makes an empty string of what is not UTF-8; the wide way mends it.
      guard let made, JSStringGetLength(made) == 0, !bytes.isEmpty else { return made }
      JSStringRelease(made)
      return nil
    }
  }

  private static func makeWide(_ bytes: UnsafeBufferPointer<UInt8>) -> OpaquePointer {
    let units = UnsafeMutableBufferPointer<UInt16>.allocate(capacity: max(1, bytes.count))
    defer { units.deallocate() }
    let count = Transcoding.widen(bytes, into: units) ?? 0  // nil only where it may stop at an error
    return JSStringCreateWithCharacters(units.baseAddress, count)
  }
}

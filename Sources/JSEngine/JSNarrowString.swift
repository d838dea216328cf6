// SPDX-License-Identifier: MIT

internal import CNBridgeJavaScriptCore

/// Engine strings of one byte a unit, made at the speed of a copy.
///
/// The C API makes them of UTF-8 only, a character at a time (3 ms a megabyte); strings of two bytes a unit
/// are made faster, but take twice the memory and all that is done with them twice the time. So we call the
/// library's own `StringImpl::create`, which it exports. It is proven before the first use, and not used at
/// all when the proof fails.
enum JSNarrowString {
  /// The string of bytes that are ASCII; nil for others, for none, and where the library does not make it.
  /// The caller releases it.
  static func make(ifASCII bytes: UnsafeBufferPointer<UInt8>) -> OpaquePointer? {
    !bytes.isEmpty && Transcoding.isASCII(bytes) && isTrusted ? create(bytes) : nil
  }

  private static let isTrusted = prove()

  private static func create(_ bytes: UnsafeBufferPointer<UInt8>) -> OpaquePointer? {
    guard let makeImpl = PrivateAPI.makeStringImpl, let wrap = PrivateAPI.wrapString else { return nil }
    var impl: UnsafeMutableRawPointer?
    _ = makeImpl(&impl, bytes.baseAddress, bytes.count)
    var made: OpaquePointer?
    _ = wrap(&made, &impl)  // takes the reference out of `impl`
    return made
  }

  private static func prove() -> Bool {
    let text = Array("nbridge makes this, and looks at it".utf8)
    let made = text.withUnsafeBufferPointer { create($0) }
    guard let made else { return false }
    defer { JSStringRelease(made) }
    return JSStringGetLength(made) == text.count && JSStringPeek.latin1(made)?.elementsEqual(text) == true
  }
}

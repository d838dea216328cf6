// SPDX-License-Identifier: MIT

internal import CNBridgeJavaScriptCore

/// Text and bytes as scripts encode and decode them.
extension JSContext {
  /// A string of UTF-16 units, lone surrogates included.
  public func make(utf16 units: UnsafeBufferPointer<UInt16>) -> JSValue {
    let string = JSStringCreateWithCharacters(units.baseAddress, units.count)
    defer { JSStringRelease(string) }
    return JSValue(JSValueMakeString(ref, string), ref)
  }

  /// The text of UTF-8 bytes; nil for malformed ones with `isFatal`, which otherwise become U+FFFD.
  ///
  /// - Throws: for more than the engine has in a string: it would end the process.
  public func decodeUTF8(_ bytes: UnsafeBufferPointer<UInt8>, isFatal: Bool) throws(JSException) -> JSValue? {
    if bytes.count > Self.longestText {
      throw JSException(
        message: "\(bytes.count) bytes are more text than a string holds (\(Self.longestText)): read them in "
          + "pieces")
    }
    if let string = JSNarrowString.make(ifASCII: bytes) {
      defer { JSStringRelease(string) }
      return JSValue(JSValueMakeString(ref, string), ref)
    }
    return withUnsafeTemporaryAllocation(of: UInt16.self, capacity: max(1, bytes.count)) { units in
      Transcoding.widen(bytes, into: units, isFatal: isFatal).map { count in
        make(utf16: UnsafeBufferPointer(rebasing: UnsafeBufferPointer(units)[..<count]))
      }
    }
  }

  /// WTF::String::MaxLength (Source/WTF/wtf/text/StringImpl.h).
  private static let longestText = Int(Int32.max)
  /// What the engine has in one buffer.
  private static let longestBuffer = Int(UInt32.max)

  /// A `Uint8Array` of a string's UTF-8, lone surrogates as U+FFFD.
  ///
  /// - Throws: for more than the engine has in a buffer.
  public func encodeUTF8(_ value: JSValue) throws(JSException) -> JSValue {
    guard let string = JSValueToStringCopy(ref, value.ref, nil) else { return undefined }
    defer { JSStringRelease(string) }
    if let latin1 = JSStringPeek.latin1(string) {
      let isASCII = Transcoding.isASCII(latin1)
      let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(
        capacity: max(1, (isASCII ? 1 : 2) * latin1.count))
      let written = isASCII ? buffer.update(fromContentsOf: latin1) : Transcoding.expand(latin1, into: buffer)
      return try makeBytes(buffer, written)
    }
    let count = JSStringGetLength(string)
    guard let characters = JSStringGetCharactersPtr(string) else { return undefined }
    let buffer = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: max(1, 3 * count))
    let written = Transcoding.narrowLossily(
      UnsafeBufferPointer(start: characters, count: count), into: buffer)
    return try makeBytes(buffer, written)
  }

  /// A `Uint8Array` on memory that it owns from now on.
  private func makeBytes(_ buffer: UnsafeMutableBufferPointer<UInt8>, _ written: Int) throws(JSException)
    -> JSValue
  {
    if written > Self.longestBuffer {
      buffer.deallocate()
      throw JSException(
        message: "\(written) bytes are more than a buffer holds (\(Self.longestBuffer))")
    }
    return JSValue(
      JSObjectMakeTypedArrayWithBytesNoCopy(
        ref, kJSTypedArrayTypeUint8Array, buffer.baseAddress, written, { bytes, _ in bytes?.deallocate() },
        nil, nil), ref)
  }
}

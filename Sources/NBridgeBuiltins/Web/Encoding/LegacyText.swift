// SPDX-License-Identifier: MIT

internal import Glibc

/// The legacy encodings of the Encoding standard (https://encoding.spec.whatwg.org), for decoding only.
///
/// The C library knows the characters, so no table of them ships here; where its opinion differs from the
/// standard's indexes the few differences are written out. The error rules are the standard's own.
enum LegacyText {
  /// What one chunk came to.
  enum Outcome {
    /// Well-formed UTF-16.
    case text([UInt16])
    /// A fatal decoder met malformed bytes. The state is back at the start.
    case malformed
    /// Not a legacy multi-byte encoding, or one that this C library has no converter for.
    case unavailable
  }

  /// How many bytes a decoder's state takes between two chunks. All zero is the start of a stream.
  static let stateSize = 8

  /// The UTF-16 units of bytes 0x80 to 0xFF in a single-byte encoding, U+FFFD for what is unmapped.
  ///
  /// `name` is the standard's, in lower case. nil for any other encoding, or when the C library lacks it.
  static func singleByteTable(_ name: String) -> [UInt16]? {
    LegacySingleByte(rawValue: name)?.table()
  }

  /// Decodes the next chunk of a stream in a multi-byte encoding, named as the standard does in lower case.
  ///
  /// `state` (at least `stateSize` bytes) carries what a chunk leaves unfinished to the next one.
  static func decode(
    _ name: String, _ bytes: UnsafeRawBufferPointer, state: UnsafeMutableRawBufferPointer, isLast: Bool,
    isFatal: Bool
  ) -> Outcome {
    guard state.count >= stateSize, let encoding = LegacyEncoding(rawValue: name),
      var decoder = LegacyMultiByte(encoding)
    else { return .unavailable }
    decoder.state = LegacyState(bits: state.loadUnaligned(as: UInt64.self))
    let units = decoder.decode(bytes, isLast: isLast, isFatal: isFatal)
    state.storeBytes(of: decoder.state.bits, as: UInt64.self)
    return units.map(Outcome.text) ?? .malformed
  }
}

/// Asks the C library for one character at a time. Not for use from two threads at once.
struct CharacterReader: ~Copyable {
  private let descriptor: iconv_t

  /// nil when the C library has no converter of that name.
  init?(_ charset: String) {
    guard let opened = iconv_open("UTF-32LE", charset), opened != iconv_t(bitPattern: -1) else { return nil }
    descriptor = opened
  }

  deinit { iconv_close(descriptor) }

  /// The code point that the `count` (1 to 4) low bytes of `code` stand for, 0 unless it is exactly one.
  func codePoint(_ code: UInt32, bytes count: Int) -> UInt32 {
    _ = iconv(descriptor, nil, nil, nil, nil)
    var input = (code << UInt32(32 - 8 * count)).bigEndian
    var output = SIMD4<UInt32>()
    let written = withUnsafeMutableBytes(of: &input) { source in
      withUnsafeMutableBytes(of: &output) { target in convert(source, count: count, into: target) }
    }
    return written == MemoryLayout<UInt32>.size ? UInt32(littleEndian: output.x) : 0
  }

  /// Answers how many bytes were written, 0 for a sequence that is malformed or incomplete.
  private func convert(
    _ source: UnsafeMutableRawBufferPointer, count: Int, into target: UnsafeMutableRawBufferPointer
  ) -> Int {
    var input = source.baseAddress?.assumingMemoryBound(to: CChar.self)
    var output = target.baseAddress?.assumingMemoryBound(to: CChar.self)
    var unread = count
    var room = target.count
    guard iconv(descriptor, &input, &unread, &output, &room) != -1, unread == 0 else { return 0 }
    // BIG5-HKSCS holds a letter back until it knows that no accent follows.
    guard iconv(descriptor, nil, nil, &output, &room) != -1 else { return 0 }
    return target.count - room
  }
}

// SPDX-License-Identifier: MIT

/// What libFuzzer calls: streams to be decompressed may hold anything, and come in any pieces; what is
/// compressed comes back.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCompression(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  guard size > 1 else { return 0 }
  let formats = CompressionFormat.allCases
  let format = formats[Int(data[0]) % formats.count]
  let piece = max(1, Int(data[1]))
  let bytes = Array(UnsafeBufferPointer(start: data + 2, count: size - 2))
  guard let decoder = try? ByteCodec(decompressing: format),
    let encoder = try? ByteCodec(compressing: format),
    let again = try? ByteCodec(decompressing: format)
  else { preconditionFailure("a library is missing") }
  // A bomb is left where it is.
  _ = unfold(decoder, bytes, piece, most: 1 << 20)
  guard let small = unfold(encoder, bytes, piece), let back = unfold(again, small, piece) else {
    preconditionFailure("what was compressed can't be read")
  }
  precondition(back == bytes, "what was compressed comes back as something else")
  return 0
}

/// What comes of bytes in pieces; nil when they are wrong.
private func unfold(_ codec: ByteCodec, _ bytes: [UInt8], _ piece: Int, most: Int = .max) -> [UInt8]? {
  var made: [UInt8] = []
  do throws(CompressionFault) {
    var at = 0
    while at <= bytes.count {
      let end = min(bytes.count, at + piece)
      if at < end { bytes[at..<end].withUnsafeBytes { codec.feed($0) } } else { codec.end() }
      while let next = try codec.next() {
        precondition(!next.isEmpty && next.count <= ByteCodec.piece, "a piece of no size or too large")
        made += next
        if made.count > most { return nil }
      }
      if at == bytes.count { break }
      at = end
    }
    return made
  } catch { return nil }
}

// SPDX-License-Identifier: MIT

/// What libFuzzer calls: what comes from the process of an isolated plugin may be anything, and come in any
/// pieces. The same messages are found, however the bytes are cut.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzFrames(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  guard size > 1 else { return 0 }
  let bytes = UnsafeRawBufferPointer(start: data + 1, count: size - 1)
  let whole = messages(bytes, step: bytes.count)
  precondition(whole == messages(bytes, step: Int(data[0]) % 97 + 1), "cut otherwise, they are others")
  return 0
}

/// What is found, as texts, and how it ends.
private func messages(_ bytes: UnsafeRawBufferPointer, step: Int) -> [String] {
  let reader = FrameReader()
  var found: [String] = []
  var at = 0
  do throws(FrameError) {
    while at < bytes.count {
      let end = min(bytes.count, at + step)
      reader.take(UnsafeRawBufferPointer(rebasing: bytes[at..<end]))
      at = end
      while let frame = try reader.next() {
        let sum = frame.parts.reduce(0) { sum, part in part.room.reduce(sum) { $0 &* 31 &+ Int($1) } }
        let texts = [frame.text, frame.words.0, frame.words.1].map { $0.reduce(0) { $0 &* 31 &+ Int($1) } }
        frame.withValue(isOwned: false) { value in
          precondition(Int(value.pointee.text_size) == frame.text.count)
          precondition(Int(value.pointee.bytes_count) == frame.parts.count)
        }
        found.append("\(frame.head.kind) \(frame.head.id) \(texts) \(sum)")
      }
    }
  } catch { found.append("\(error)") }
  return found
}

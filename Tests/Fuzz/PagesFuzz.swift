// SPDX-License-Identifier: MIT

/// What libFuzzer calls: what comes by a page's socket may be anything. All that is found of a message lies
/// in it, in order and once.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPages(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  // Memory of its own: what is read behind it is seen.
  let copy = UnsafeMutableRawBufferPointer.allocate(byteCount: max(1, size), alignment: 1)
  defer { copy.deallocate() }
  copy.copyMemory(from: UnsafeRawBufferPointer(start: data, count: size))
  let bytes = UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(copy)[..<size])
  let files = size % 3
  guard var message = PageMessage(bytes, files: files) else { return 0 }
  var found = PageFrame.start
  var named = 0
  while let frame = message.next() {
    found += PageFrame.head + 4 * frame.parts.count + frame.text.count
    var sum = frame.text.reduce(0) { $0 &* 31 &+ Int($1) }
    for part in frame.parts {
      switch part {
      case .bytes(let part):
        found += part.count
        sum = part.reduce(sum) { $0 &* 31 &+ Int($1) }
      case .file(let number):
        precondition(number == named && named < files, "a file is none, or is named twice")
        named += 1
      case .stream, .progress: break
      }
    }
    precondition(found <= size && sum != .min, "a frame is longer than its message")
  }
  precondition(!message.isAtEnd || (found == size && named == files), "a message has more than its frames")
  return 0
}

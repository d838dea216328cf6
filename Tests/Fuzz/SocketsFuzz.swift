// SPDX-License-Identifier: MIT

internal import NBridgeCompression

/// What libFuzzer calls: what comes by a WebSocket may be anything, and come in any pieces. The same messages
/// are found, however the bytes are cut, and what one end writes the other reads.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzSockets(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  guard size > 2 else { return 0 }
  let (isServer, isCompressed, isText) = (data[0] & 1 == 0, data[0] & 2 == 0, data[0] & 4 == 0)
  let bytes = Array(UnsafeBufferPointer(start: data + 2, count: size - 2))
  let whole = events(bytes, bytes.count, isServer, isCompressed)
  let cut = events(bytes, Int(data[1]) % 97 + 1, isServer, isCompressed)
  precondition(whole == cut, "cut otherwise, they are others")

  let window = 9 + Int(data[1]) % 7
  let deflater = isCompressed ? try? MessageDeflater(window: window, keepsWindow: data[0] & 8 == 0) : nil
  let writer = FrameWriter(isClient: isServer, deflater: deflater)
  // Twice: the second may refer to the first.
  let longer = Array(repeating: bytes, count: 1 + 300 / bytes.count).flatMap { $0 }
  let sent = (0..<2).flatMap { _ in longer.withUnsafeBytes { writer.message($0, isText: false) } }
  let read = events(sent, Int(data[1]) + 1, isServer, isCompressed)
  let message = "\(FrameReader.Event.bytes(longer))"
  precondition(read == [message, message], "written, it is another")

  let text = String(decoding: bytes, as: UTF8.self)
  if isText, let found = SocketCompression.accepting(text) {
    precondition((9...15).contains(found.agreed.window), "a window that there is not")
    _ = try? SocketCompression.agreed(found.answer)
  }
  _ = try? SocketCompression.agreed(text)
  readChannels(bytes)
  readChunks(bytes, Int(data[1]) % 97 + 1)
  readRequests(bytes, Int(data[1]) % 97 + 1)
  hearAnswer(bytes, Int(data[1]))
  return 0
}

/// What the beginning of an answer says, the rest does not take back.
private func hearAnswer(_ bytes: [UInt8], _ count: Int) {
  for head in ["", "HTTP/1.1 100 Continue\r\n"] {
    let all = Array(head.utf8) + bytes
    let early = EarlyStatus(all.prefix(count))
    precondition(early == .unknown || early == EarlyStatus(all), "more of it says something else")
  }
}

/// A body that comes in chunks has the same bytes and the same end, however it is cut; and what is put into
/// chunks comes out of them.
private func readChunks(_ bytes: [UInt8], _ step: Int) {
  precondition(stripped(bytes, bytes.count) == stripped(bytes, step), "cut otherwise, it is another")
  var chunks: [UInt8] = []
  for at in stride(from: 0, to: bytes.count, by: step) {
    let piece = bytes[at..<min(bytes.count, at + step)]
    chunks += "\(String(piece.count, radix: 16))\r\n".utf8 + piece + "\r\n".utf8
  }
  let read = stripped(chunks + "0\r\n\r\n".utf8, step)
  precondition(read.bytes == bytes && read.isOver && !read.isWrong, "put into chunks, it is another")
}

/// What a client sends has the same requests, however it is cut; and what libsoup reads of it has as many,
/// with the same bodies.
private func readRequests(_ bytes: [UInt8], _ step: Int) {
  // Also so far that a field is read.
  for head in ["", "PUT / HTTP/1.1\r\nHost: a\r\n"] {
    let sent = Array(head.utf8) + bytes
    let whole = requests(sent, sent.count), cut = requests(sent, step)
    precondition(whole.heads == cut.heads && whole.fault == cut.fault, "cut otherwise, they are others")
    precondition(whole.body == cut.body, "cut otherwise, they have other bodies")
    let again = requests(whole.output, step)
    precondition(again.fault == nil, "what is given on is none")
    let given = whole.heads.map { $0.hasBody(above: 1000) ? .length(0) : $0.body }
    precondition(again.heads.map(\.body) == given, "what is given on has other bodies")
  }
}

private func requests(_ bytes: [UInt8], _ step: Int) -> (
  heads: [RequestHead], output: [UInt8], body: [UInt8], fault: RequestFault?
) {
  var framing = RequestFraming(longestBody: 1000)
  var heads: [RequestHead] = []
  var (whole, output, body, part): ([UInt8], [UInt8], [UInt8], [UInt8]) = ([], [], [], [])
  for at in stride(from: 0, to: bytes.count, by: step) {
    var piece = bytes[at..<min(bytes.count, at + step)]
    while !piece.isEmpty {
      do throws(RequestFault) {
        let taken = try piece.withUnsafeBufferPointer { bytes throws(RequestFault) in
          framing.isGiven
            ? try framing.takeBody(UnsafeRawBufferPointer(bytes), &part)
            : try framing.take(UnsafeRawBufferPointer(bytes), &output)
        }
        piece = piece.dropFirst(taken)
      } catch { return (heads, whole, body, error) }
      guard framing.isOver, let head = framing.head else { continue }
      heads.append(head)
      whole += output
      body += part
      (output, part) = ([], [])
      framing.begin()
    }
  }
  return (heads, whole, body, nil)
}

private struct Stripped: Equatable {
  var bytes: [UInt8] = []
  var isOver = false
  var isWrong = false
}

private func stripped(_ bytes: [UInt8], _ step: Int) -> Stripped {
  var framing = ChunkFraming()
  var found = Stripped()
  for at in stride(from: 0, to: bytes.count, by: step) where !found.isWrong && !found.isOver {
    var piece = Array(bytes[at..<min(bytes.count, at + step)])
    do {
      let count = try piece.withUnsafeMutableBytes { try framing.strip($0) }
      found.bytes += piece[..<count]
    } catch { found.isWrong = true }
    found.isOver = framing.isOver
  }
  // What stood before a fault in the same piece is not handed on.
  if found.isWrong { found.bytes = [] }
  return found
}

/// What another program of the app says: what is read of it is written the same.
private func readChannels(_ bytes: [UInt8]) {
  var left = bytes[...]
  while case .frame(let frame, let size) = ChannelFrame.first(in: left) {
    precondition(frame.bytes == Array(left.prefix(size)), "written, it is another")
    left = left.dropFirst(size)
  }
}

/// What is found, and how it ends; short enough that a bomb fills nothing.
private func events(_ bytes: [UInt8], _ step: Int, _ isServer: Bool, _ isCompressed: Bool) -> [String] {
  let inflater = isCompressed ? try? SocketInflater() : nil
  var reader = FrameReader(isServer: isServer, limit: 1 << 20, inflater: inflater)
  var found: [String] = []
  var at = 0
  do {
    while at < bytes.count {
      let end = min(bytes.count, at + step)
      bytes[at..<end].withUnsafeBytes { reader.feed($0) }
      at = end
      while let event = try reader.next() { found.append("\(event)") }
    }
  } catch { found.append("\(error)") }
  return found
}

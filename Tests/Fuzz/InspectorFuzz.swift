// SPDX-License-Identifier: MIT

/// What libFuzzer calls: what comes over the inspector's sockets may be anything, and come in any pieces.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzInspector(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  guard size > 0 else { return 0 }
  let bytes = Array(UnsafeBufferPointer(start: data + 1, count: size - 1))
  switch data[0] & 3 {
  case 0: json(bytes)
  case 1: engine(bytes)
  case 2: webSocket(bytes)
  default: http(bytes)
  }
  return 0
}

/// What is read is written so that it reads back the same.
private func json(_ bytes: [UInt8]) {
  guard let value = JSONReader.read(bytes) else { return }
  precondition(JSONReader.read(value.text) == value, "it does not come back")
  _ = value["a"]?.int
}

/// Frames are found in their order, each takes bytes, and a cut one is waited for.
private func engine(_ bytes: [UInt8]) {
  var rest = bytes[...]
  while case .frame(let frame, let count) = EngineFrame.find(in: rest) {
    precondition(count > 0 && count <= rest.count, "it takes \(count) of \(rest.count) bytes")
    precondition(EngineFrame.find(in: rest.prefix(count - 1)) == .incomplete, "a piece is a whole")
    _ = (frame.target, frame.text)
    rest = rest.dropFirst(count)
  }
}

private func webSocket(_ bytes: [UInt8]) {
  var rest = bytes[...]
  while case .frame(let frame, let count) = WebSocketFrame.find(in: rest) {
    precondition(count >= 6 && count <= rest.count && frame.payload.count < count)
    precondition(WebSocketFrame.find(in: rest.prefix(count - 1)) == .incomplete, "a piece is a whole")
    precondition(frame.bytes.count >= frame.payload.count + 2)
    rest = rest.dropFirst(count)
  }
}

private func http(_ bytes: [UInt8]) {
  guard case .request(let request, let count) = HTTPRequest.find(in: bytes[...]) else { return }
  precondition(count <= bytes.count && request.path.hasPrefix("/") && !request.method.isEmpty)
  _ = (request.isUpgrade, request.namesThisMachine, request.isOfPage)
}

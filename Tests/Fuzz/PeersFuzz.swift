// SPDX-License-Identifier: MIT

/// Frames of a stranger, or of a member that does not keep to the protocol: whatever comes, the node stands. The first byte
/// says which of the two; then each frame has its length in two bytes before it.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPeers(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  guard size > 1 else { return 0 }
  var bytes = Array(UnsafeBufferPointer(start: data, count: size))
  var now = 1_000_000
  var node = Node(NodeSettings(name: "a", serviceType: "t"), seed: 1, now: now) { $0.description }
  let isMember = bytes[0] & 1 == 1, isReliable = bytes[0] & 2 == 2
  bytes.removeFirst()
  node.linkUp(1, attempt: nil, isReliable: isReliable, now)
  if isMember {
    let hello = Hello(
      id: PeerID(high: 1, low: 2), name: "b", serviceType: "t", purpose: .overlay, token: node.token)
    hello.frame.withUnsafeBytes { node.received($0, over: 1, now) }
    precondition(node.isMember(PeerID(high: 1, low: 2)), "a member with the token is let in")
    _ = try? node.send([1, 2, 3], to: node.members, isReliable: true, now)
  }
  var at = 0
  while at + 2 <= bytes.count {
    let length = min(Int(bytes[at]) | Int(bytes[at + 1]) << 8, bytes.count - at - 2)
    bytes[(at + 2)..<(at + 2 + length)].withUnsafeBytes { node.received($0, over: 1, now) }
    at += 2 + length
    now += 50_000
    node.tick(now)
    node.effects.removeAll()
    if node.links.isEmpty { node.linkUp(1, attempt: nil, isReliable: isReliable, now) }
  }
  for _ in 0..<5 {
    now += 1_000_000
    node.tick(now)
  }
  node.leave(now)
  return 0
}

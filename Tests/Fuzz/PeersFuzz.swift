// SPDX-License-Identifier: MIT

/// Frames of a stranger, or of a member that does not keep to the protocol: whatever comes, the node stands.
/// The first byte says which of the two; then each frame has its length in two bytes before it.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPeers(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  guard size > 1 else { return 0 }
  var bytes = Array(UnsafeBufferPointer(start: data, count: size))
  var now = 1_000_000
  var node = Node(
    NodeSettings(name: "a", serviceType: "t"), seed: 1, keys: SimulatedKeys(seed: 1), now: now
  ) { $0.description }
  let isMember = bytes[0] & 1 == 1, isReliable = bytes[0] & 2 == 2
  bytes.removeFirst()
  node.linkUp(1, attempt: nil, isReliable: isReliable, now)
  if isMember {
    comeAsMember(&node, now)
    _ = try? node.send([1, 2, 3], to: node.members, isReliable: true, now)
  }
  var at = 0
  while at + 2 <= bytes.count {
    let length = min(Int(bytes[at]) | Int(bytes[at + 1]) << 8, bytes.count - at - 2)
    let frame = signed(Array(bytes[(at + 2)..<(at + 2 + length)]), node)
    frame.withUnsafeBytes { node.received($0, over: 1, now) }
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

/// The keys of the other side: any peer can have them, as they are a simulation's.
private let other = SimulatedKeys(seed: 2)

/// The other side proves its identity, and that it knows the token.
private func comeAsMember(_ node: inout Node, _ now: Microseconds) {
  let hello = Hello(
    key: other.publicKey, challenge: Octets32(), name: "b", serviceType: "t", purpose: .overlay)
  hello.frame.withUnsafeBytes { node.received($0, over: 1, now) }
  var handshake = Handshake(.connector, LinkBinding(), token: node.token)
  handshake.ownHello = hello.frame
  for case .send(_, let frame) in node.effects where frame.head.first == FrameKind.hello.rawValue {
    handshake.theirHello = frame.head
  }
  let proof = handshake.prove(other).frame
  proof.withUnsafeBytes { node.received($0, over: 1, now) }
  precondition(node.isMember(other.id(of: other.publicKey)), "a member with the token is let in")
}

/// A proof or a record that would be refused for its signature alone gets a good one, so that the code behind
/// that check is reached.
private func signed(_ frame: [UInt8], _ node: Node) -> [UInt8] {
  guard frame.first == FrameKind.gossip.rawValue, frame.count > 5 + 88 else { return frame }
  var body = Array(frame[5...])
  let key = other.publicKey, id = other.id(of: key)
  withUnsafeBytes(of: id.high.littleEndian) { body.replaceSubrange(0..<8, with: $0) }
  withUnsafeBytes(of: id.low.littleEndian) { body.replaceSubrange(8..<16, with: $0) }
  body.replaceSubrange(24..<56, with: key.bytes)
  var signable = LabelledBytes(.record)
  signable.end(with: body)
  body += other.sign(signable.bytes)
  return [FrameKind.gossip.rawValue]
    + withUnsafeBytes(
      of: UInt32(body.count)
        .littleEndian
    ) { Array($0) } + body
}

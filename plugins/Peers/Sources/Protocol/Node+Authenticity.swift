// SPDX-License-Identifier: MIT

/// The key of this peer and another for what others carry between them.
struct PairKey: Sendable {
  /// The other side's key that it was made with: a new key there makes a new one here.
  let theirs: PublicKey
  let secret: Secret
}

extension Node {
  /// The key that this peer and a member have; nil while its record is not here, or when it gave a key that
  /// is none.
  mutating func pairKey(_ peer: PeerID) -> Secret? {
    guard let theirs = table.entry(peer)?.record?.agreementKey else { return nil }
    if let known = pairKeys[peer], known.theirs == theirs { return known.secret }
    guard let shared = agreement.secret(with: theirs) else { return nil }
    var bytes = LabelledBytes(.pair)
    bytes.put(shared)
    let sides = [(id, agreement.publicKey), (peer, theirs)].sorted { $0.0 < $1.0 }
    for (id, key) in sides {
      bytes.put(id)
      bytes.put(key)
    }
    let secret = keys.hash(bytes.bytes)
    pairKeys[peer] = PairKey(theirs: theirs, secret: secret)
    return secret
  }

  /// Takes a new key for what other members carry. A peer that forgets what another one sent must not take a
  /// recording of it for new: what was made with the old key is worth nothing from now on, and what was on
  /// its way is sent again.
  mutating func renewAgreement(_ now: Microseconds) {
    agreement = keys.makeAgreement()
    pairKeys = [:]
    guard var own = table.own?.next else { return }
    own.agreementKey = agreement.publicKey
    tell(own, now)
  }

  // MARK: - Data

  /// Gives each receiver its code; the peer at the link's other end needs none.
  mutating func seal(
    _ targets: inout [DataFrame.Target], _ flags: DataFrame.Flags, _ channel: UInt32, _ body: [UInt8],
    over link: LinkID
  ) {
    let payload = keys.hash(body)
    for index in targets.indices where targets[index].id != links[link]?.remote {
      guard let key = pairKey(targets[index].id) else { continue }
      let coded = DataFrame.coded(
        flags, channel: channel, sender: id, target: targets[index], payload: payload)
      targets[index].code = keys.code(key, coded)
    }
  }

  /// Whether a frame that others carried is from the sender that it names.
  mutating func isAuthentic(_ frame: DataFrame, _ target: DataFrame.Target, from sender: PeerID) -> Bool {
    guard let key = pairKey(sender) else { return false }
    let coded = DataFrame.coded(
      frame.flags, channel: frame.channel, sender: sender, target: target, payload: keys.hash(frame.payload))
    return keys.code(key, coded).matches(target.code)
  }

  // MARK: - Acknowledgements

  mutating func seal(_ ack: inout AckFrame) {
    guard ack.sender != nil, let key = pairKey(ack.receiver) else { return }
    ack.code = keys.code(key, ack.coded)
  }

  mutating func isAuthentic(_ ack: AckFrame, from sender: PeerID) -> Bool {
    guard let key = pairKey(sender) else { return false }
    return keys.code(key, ack.coded).matches(ack.code)
  }
}

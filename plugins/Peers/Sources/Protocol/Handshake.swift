// SPDX-License-Identifier: MIT

/// What both sides of a link said before they believe each other: their first frames, which hold their keys
/// and a challenge each, and then a signature of each over both. Versions, names, purpose and type of service
/// stand in those frames, so a relay on the way can change nothing of them.
struct Handshake: Sendable {
  /// Which side of the link a peer is. It is signed too: what one side proved can't be sent back to it.
  enum Role: UInt8 {
    case connector = 1
    case listener

    var other: Role { self == .connector ? .listener : .connector }
  }

  let role: Role
  let binding: LinkBinding
  /// The listener's, when this side connects to it as a member.
  let token: Secret?
  var ownHello: [UInt8] = []
  var theirHello: [UInt8] = []
  /// The identity that the other side claims: believed when the side has proven it, and not before.
  var claim: Claim?
  /// What this side proved, where it may have to be said again.
  var ownProof: [UInt8] = []

  /// What a peer says of itself.
  struct Claim: Sendable {
    let id: PeerID
    let hello: Hello
  }

  init(_ role: Role, _ binding: LinkBinding, token: Secret? = nil) {
    (self.role, self.binding, self.token) = (role, binding, token)
  }

  /// What one side signs, with what it sees of its end of the link.
  func transcript(of prover: Role, binding: [UInt8]) -> [UInt8] {
    var bytes = LabelledBytes(.proof, capacity: 512)
    bytes.put(prover.rawValue)
    bytes.put(role == .connector ? ownHello : theirHello)
    bytes.put(role == .connector ? theirHello : ownHello)
    bytes.put(binding)
    return bytes.bytes
  }

  /// Shows the listener that the peer that connects knows its token; only the listener sees that, which knows
  /// the token anyhow.
  static func membership(_ token: Secret, _ transcript: [UInt8], _ keys: any PeerKeys) -> AuthenticationCode {
    var bytes = LabelledBytes(.membership, capacity: 512)
    bytes.put(transcript)
    return keys.code(token, bytes.bytes)
  }

  /// This side's proof.
  func prove(_ keys: any PeerKeys) -> ProofFrame {
    let transcript = transcript(of: role, binding: binding.own)
    return ProofFrame(
      signature: keys.sign(transcript),
      membership: token.map { Self.membership($0, transcript, keys) } ?? AuthenticationCode(),
      binding: binding.own)
  }

  /// Checks that the other side is the peer that it claims to be, and is at the other end of this very link.
  func check(_ proof: ProofFrame, _ claim: Claim, _ keys: any PeerKeys) throws(FrameProblem) {
    let transcript = transcript(of: role.other, binding: proof.binding)
    guard keys.isSigned(transcript, by: claim.hello.key, proof.signature) else {
      throw FrameProblem("it says to be '\(claim.id)' and can't prove it")
    }
    if let problem = binding.problem(proof.binding) {
      throw FrameProblem("somebody stands between this side and '\(claim.id)': \(problem)")
    }
  }

  /// Whether a proof, which was checked, shows the token of this side.
  func showsMembership(_ proof: ProofFrame, _ token: Secret, _ keys: any PeerKeys) -> Bool {
    let transcript = transcript(of: role.other, binding: proof.binding)
    return Self.membership(token, transcript, keys).matches(proof.membership)
  }
}

/// Proves the identity of a peer, and, of a peer that connects as a member, that it is one.
struct ProofFrame: Sendable {
  var signature: [UInt8]
  /// Zero where no membership is to be shown.
  var membership: AuthenticationCode
  var binding: [UInt8]

  var frame: [UInt8] {
    var writer = FrameWriter(.proof, capacity: 160)
    writer.bytes += signature
    writer.put(membership)
    writer.put(blob: binding)
    return writer.bytes
  }

  init(signature: [UInt8], membership: AuthenticationCode, binding: [UInt8]) {
    (self.signature, self.membership, self.binding) = (signature, membership, binding)
  }

  init(_ reader: inout FrameReader) throws(FrameProblem) {
    signature = try reader.signature()
    membership = try reader.code()
    binding = try reader.blob(atMost: LinkBinding.longest)
  }
}

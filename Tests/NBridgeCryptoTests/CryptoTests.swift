// SPDX-License-Identifier: MIT

import NBridgePlugin
import NBridgeSystem
import Testing

@testable import NBridgeCrypto

/// OpenSSL, called as its manual says: the standards' own examples come out.
@Suite struct CryptoTests {
  let crypto: Crypto

  init() throws { crypto = try Crypto() }

  static func bytes(_ text: String) -> [UInt8] {
    let digits = Array(text.utf8.filter { $0 != 0x20 })
    return stride(from: 0, to: digits.count, by: 2).map {
      UInt8(String(decoding: digits[$0..<($0 + 2)], as: UTF8.self), radix: 16) ?? 0
    }
  }

  func hash(_ bytes: [UInt8]) -> [UInt8] { bytes.withUnsafeBytes { crypto.sha256($0) } }

  @Test func hashesAreThoseOfFIPS180() {
    #expect(
      hash(Array("abc".utf8))
        == Self.bytes("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"))
    #expect(hash([]) == Self.bytes("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855"))
  }

  /// RFC 4231, 4.2 and 4.3.
  @Test func codesAreThoseOfRFC4231() {
    let code = { (key: [UInt8], text: String) in
      key.withUnsafeBytes { key in Array(text.utf8).withUnsafeBytes { crypto.hmac(key: key, $0) } }
    }
    #expect(
      code([UInt8](repeating: 0x0b, count: 20), "Hi There")
        == Self.bytes("b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7"))
    #expect(
      code(Array("Jefe".utf8), "what do ya want for nothing?")
        == Self.bytes("5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843"))
  }

  /// RFC 8032, 7.1, tests 1 and 3.
  @Test(arguments: [
    (
      "9d61b19deffd5a60ba844af492ec2cc44449c5697b326919703bac031cae7f60",
      "d75a980182b10ab7d54bfed3c964073a0ee172f3daa62325af021a68f707511a", "",
      "e5564300c360ac729086e2cc806e828a84877f1eb8e5d974d873e065224901555fb8821590a33bacc61e39701cf9b46bd2"
        + "5bf5f0595bbe24655141438e7a100b"
    ),
    (
      "c5aa8df43f9f837bedb7442f31dcb7b166d38535076f094b85ce3a2e0b4458f7",
      "fc51cd8e6218a1a38da47ed00230f0580816ed13ba3303ac5deb911548908025", "af82",
      "6291d657deec24024827e69c3abe01a30ce548a284743a445e3680d7db5ac3ac18ff9b538d16f290ae67f760984dc6594a"
        + "7c15e9716ed28dc027beceea1ec40a"
    ),
  ])
  func signaturesAreThoseOfRFC8032(_ secret: String, _ key: String, _ message: String, _ signature: String)
    throws
  {
    let pair = try SigningKey(crypto, secret: Self.bytes(secret))
    let (message, signature) = (Self.bytes(message), Self.bytes(signature))
    #expect(pair.publicKey == Self.bytes(key))
    #expect(pair.sign(message) == signature)
    #expect(crypto.isSigned(message, by: pair.publicKey, signature))
    var other = signature
    other[7] ^= 1
    #expect(!crypto.isSigned(message, by: pair.publicKey, other))
    #expect(!crypto.isSigned(message + [0], by: pair.publicKey, signature))
    #expect(!crypto.isSigned(message, by: [1, 2, 3], signature))
    #expect(!crypto.isSigned(message, by: pair.publicKey, []))
  }

  /// RFC 7748, 6.1.
  @Test func secretsAreThoseOfRFC7748() throws {
    let alice = try AgreementKey(
      crypto, secret: Self.bytes("77076d0a7318a57d3c16c17251b26645df4c2f87ebc0992ab177fba51db92c2a"))
    let bob = try AgreementKey(
      crypto, secret: Self.bytes("5dab087e624a8a4b79e17f8b83800ee66f3bb1292618b6fd1c2f8b27ff88e0eb"))
    #expect(
      alice.publicKey == Self.bytes("8520f0098930a754748b7ddcb43ef75a0dbf3a0d26381af4eba4a98eaa9b4e6a"))
    #expect(bob.publicKey == Self.bytes("de9edb7d7b7dc1b4d35b61c2ece435373f8343c85b78674dadfc7e146f882b4f"))
    let secret = Self.bytes("4a5d9d5ba4ce2de1728e3bf480350f25e07e21c947d19e3376f09b3c1e161742")
    #expect(alice.secret(with: bob.publicKey) == secret)
    #expect(bob.secret(with: alice.publicKey) == secret)
    // A point of low order gives the same secret with every key.
    #expect(alice.secret(with: [UInt8](repeating: 0, count: 32)) == nil)
    #expect(alice.secret(with: [1]) == nil)
  }

  @Test func keysDiffer() throws {
    let keys = try (0..<20).map { _ in try SigningKey(crypto).publicKey }
    #expect(Set(keys).count == 20)
  }

  @Test func whatIsMissingIsSaidWithWhatToInstall() {
    let error = #expect(throws: MissingLibrary.self) { try LibCrypto(named: "libcrypto.so.nowhere") }
    #expect(error.map { BridgeError($0).code } == .unavailable)
    #expect(error?.description.contains("sudo apt-get install libssl3") ?? false)
  }
}

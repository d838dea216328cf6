// SPDX-License-Identifier: MIT

import NBridgePlugin
import Testing

@testable import NBridgeCrypto

/// Signatures, and what is none.
@Suite struct SigningTests {
  let crypto: Crypto
  init() throws { crypto = try Crypto() }

  /// RFC 8032, 7.1, test 2 and "SHA(abc)".
  @Test(arguments: [
    (
      "4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb",
      "3d4017c3e843895a92b70aa74d1b7ebc9c982ccf2ec4968cc0cd55f12af4660c", "72",
      "92a009a9f0d4cab8720e820b5f642540a2b27b5416503f8fb3762223ebdb69da085ac1e43e15996e458f3613d0f11d8c38"
        + "7b2eaeb4302aeeb00d291612bb0c00"
    ),
    (
      "833fe62409237b9d62ec77587520911e9a759cec1d19755b7da901b96dca3d42",
      "ec172b93ad5e563bf4932c70e1245034c35467ef2efd4d64ebf819683467e2bf",
      "ddaf35a193617abacc417349ae20413112e6fa4e89a97ea20a9eeee64b55d39a2192992a274fc1a836ba3c23a3feebbd45"
        + "4d4423643ce80e2a9ac94fa54ca49f",
      "dc2a4459e7369633a52b1bf277839a00201009a3efbf3ecb69bea2186c26b58909351fc9ac90b3ecfdfbc7c66431e0303d"
        + "ca179c138ac17ad9bef1177331a704"
    ),
  ])
  func signaturesAreThoseOfRFC8032(_ secret: String, _ key: String, _ message: String, _ signature: String)
    throws
  {
    let pair = try SigningKey(crypto, secret: CryptoTests.bytes(secret))
    #expect(hex(pair.publicKey) == key)
    #expect(hex(pair.sign(CryptoTests.bytes(message))) == signature)
    #expect(
      crypto.isSigned(CryptoTests.bytes(message), by: CryptoTests.bytes(key), CryptoTests.bytes(signature)))
  }

  @Test func everyDamagedBitIsSeen() throws {
    let pair = try SigningKey(crypto)
    let message = Array("what was signed".utf8)
    let signature = pair.sign(message)
    #expect(signature.count == SigningKey.signatureSize)
    #expect(crypto.isSigned(message, by: pair.publicKey, signature))
    for at in signature.indices {
      for bit in [0, 3, 7] {
        var damaged = signature
        damaged[at] ^= 1 << bit
        #expect(!crypto.isSigned(message, by: pair.publicKey, damaged))
      }
    }
    for at in message.indices {
      var other = message
      other[at] ^= 1
      #expect(!crypto.isSigned(other, by: pair.publicKey, signature))
    }
    for at in pair.publicKey.indices {
      var key = pair.publicKey
      key[at] ^= 1
      #expect(!crypto.isSigned(message, by: key, signature))
    }
  }

  @Test(arguments: [0, 1, 31, 33, 63, 64, 65, 1000])
  func whatHasAnotherLengthIsNone(_ count: Int) throws {
    let pair = try SigningKey(crypto)
    let message: [UInt8] = [1, 2, 3]
    let signature = pair.sign(message)
    if count != 64 {
      #expect(
        !crypto.isSigned(
          message, by: pair.publicKey,
          Array((signature + signature + [UInt8](repeating: 0, count: 1000)).prefix(count))))
    }
    #expect(
      !crypto.isSigned(
        message, by: Array((pair.publicKey + [UInt8](repeating: 0, count: 1000)).prefix(count)), signature))
    #expect(crypto.isSigned(message, by: pair.publicKey, signature))
  }

  @Test func anotherKeysSignatureIsNone() throws {
    let (one, other) = (try SigningKey(crypto), try SigningKey(crypto))
    let message = Array("text".utf8)
    #expect(!crypto.isSigned(message, by: one.publicKey, other.sign(message)))
    #expect(!crypto.isSigned(message, by: other.publicKey, one.sign(message)))
    #expect(one.sign(message) == one.sign(message))
    #expect(one.sign(message) != one.sign(message + [0]))
  }

  /// A signature and the same with the group's order added: the second one is refused (RFC 8032, 5.1.7).
  @Test func signaturesCannotBeAltered() throws {
    let pair = try SigningKey(crypto)
    var signature = pair.sign([1])
    let order: [UInt8] = CryptoTests.bytes("edd3f55c1a631258d69cf7a2def9de1400000000000000000000000000000010")
    var carry = 0
    for at in 0..<32 {
      let sum = Int(signature[32 + at]) + Int(order[at]) + carry
      signature[32 + at] = UInt8(sum & 0xFF)
      carry = sum >> 8
    }
    #expect(!crypto.isSigned([1], by: pair.publicKey, signature))
  }

  @Test(arguments: [0, 1, 100, 100_000])
  func messagesOfAnyLengthAreSigned(_ count: Int) throws {
    let pair = try SigningKey(crypto)
    let message = [UInt8](repeating: 5, count: count)
    #expect(crypto.isSigned(message, by: pair.publicKey, pair.sign(message)))
  }

  @Test(arguments: [0, 31, 33, 64])
  func aSecretOfAnotherLengthIsNone(_ count: Int) {
    let error = #expect(throws: BridgeError.self) {
      try SigningKey(crypto, secret: [UInt8](repeating: 1, count: count))
    }
    #expect(error?.code == .unavailable)
    #expect(throws: BridgeError.self) {
      try AgreementKey(crypto, secret: [UInt8](repeating: 1, count: count))
    }
  }

  @Test func keysAreUsedByManyThreads() async throws {
    let (pair, crypto) = (try SigningKey(crypto), crypto)
    await withTaskGroup(of: Bool.self) { group in
      for index in 0..<200 {
        group.addTask {
          let message = Array("\(index)".utf8)
          return crypto.isSigned(message, by: pair.publicKey, pair.sign(message))
            && !crypto.isSigned(message + [0], by: pair.publicKey, pair.sign(message))
        }
      }
      for await isRight in group { #expect(isRight) }
    }
  }
}

/// Secrets in common.
@Suite struct AgreementTests {
  let crypto: Crypto
  init() throws { crypto = try Crypto() }

  /// RFC 7748, 5.2: the first two vectors, whose second numbers are public keys.
  @Test(arguments: [
    (
      "a546e36bf0527c9d3b16154b82465edd62144c0ac1fc5a18506a2244ba449ac4",
      "e6db6867583030db3594c1a424b15f7c726624ec26b3353b10a903a6d0ab1c4c",
      "c3da55379de9c6908e94ea4df28d084f32eccf03491c71f754b4075577a28552"
    ),
    (
      "4b66e9d4d1b4673c5ad22691957d6af5c11b6421e0ea01d42ca4169e7918ba0d",
      "e5210f12786811d3f4b7959d0538ae2c31dbe7106fc03c3efc4cd549c715a493",
      "95cbde9476e8907d7aade45cb4b873f88b595a68799fa152e6f8f7647aac7957"
    ),
  ])
  func secretsAreThoseOfRFC7748(_ secret: String, _ other: String, _ expected: String) throws {
    let key = try AgreementKey(crypto, secret: CryptoTests.bytes(secret))
    #expect(key.secret(with: CryptoTests.bytes(other)).map(hex) == expected)
  }

  /// RFC 7748, 5.2: the key and what comes of it, a thousand times.
  @Test func aThousandRoundsAgree() throws {
    let base = [9] + [UInt8](repeating: 0, count: 31)
    var (key, point) = (base, base)
    for round in 1...1000 {
      let made = try #require(try AgreementKey(crypto, secret: key).secret(with: point))
      (key, point) = (made, key)
      if round == 1 {
        #expect(hex(key) == "422c8e7a6227d7bca1350b3e2bb7279f7897b87bb6854b783c60e80311ae3079")
      }
    }
    #expect(hex(key) == "684cf59ba83309552800ef566f2f4d3c1c3887c49360e3875f2eb94d99532c51")
  }

  @Test func bothHaveTheSame() throws {
    for _ in 0..<20 {
      let (one, other, third) = (try AgreementKey(crypto), try AgreementKey(crypto), try AgreementKey(crypto))
      let secret = try #require(one.secret(with: other.publicKey))
      #expect(secret.count == 32)
      #expect(secret == other.secret(with: one.publicKey))
      #expect(secret != third.secret(with: one.publicKey))
      #expect(secret != one.secret(with: third.publicKey))
    }
  }

  /// Points of a low order, with which every key has the same secret: 0, 1, and the others of the curve's
  /// list.
  @Test(arguments: [
    "0000000000000000000000000000000000000000000000000000000000000000",
    "0100000000000000000000000000000000000000000000000000000000000000",
    "e0eb7a7c3b41b8ae1656e3faf19fc46ada098deb9c32b1fd866205165f49b800",
    "5f9c95bca3508c24b1d0b1559c83ef5b04445cc4581c8e86d8224eddd09f1157",
    "ecffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "edffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
    "eeffffffffffffffffffffffffffffffffffffffffffffffffffffffffffff7f",
  ])
  func pointsThatGiveEverybodyTheSameAreRefused(_ point: String) throws {
    #expect(try AgreementKey(crypto).secret(with: CryptoTests.bytes(point)) == nil)
  }

  @Test(arguments: [0, 1, 31, 33, 64])
  func whatHasAnotherLengthIsNoKey(_ count: Int) throws {
    let key = try AgreementKey(crypto)
    #expect(key.secret(with: [UInt8](repeating: 9, count: count)) == nil)
    // And a good one still works afterwards.
    #expect(try key.secret(with: AgreementKey(crypto).publicKey) != nil)
  }
}

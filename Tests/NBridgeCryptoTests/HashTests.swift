// SPDX-License-Identifier: MIT

import NBridgePlugin
import Testing

@testable import NBridgeCrypto

/// Hashes and codes beyond the first examples: lengths around a block, keys of any length.
@Suite struct HashTests {
  let crypto: Crypto
  init() throws { crypto = try Crypto() }

  private func hash(_ bytes: [UInt8]) -> String { hex(bytes.withUnsafeBytes { crypto.sha256($0) }) }
  private func code(_ key: [UInt8], _ bytes: [UInt8]) -> String {
    hex(key.withUnsafeBytes { key in bytes.withUnsafeBytes { crypto.hmac(key: key, $0) } })
  }

  /// Its writer has gone.
  @Test func aMessageThatNeverComesWholeIsNoMessage() throws {
    let level = FillLevel()
    level.rise(to: 3)
    level.end()
    #expect(try level.wait(past: 2) == 3)
    #expect(throws: CryptoFault.self) { try level.wait(past: 3) }
  }

  /// FIPS 180-4's own examples (NIST, "SHA256.pdf").
  @Test func hashesOfOneTwoAndManyBlocks() {
    #expect(
      hash(Array("abcdbcdecdefdefgefghfghighijhijkijkljklmklmnlmnomnopnopq".utf8))
        == "248d6a61d20638b8e5c026930c3e6039a33ce45964ff2167f6ecedd419db06c1")
    #expect(
      hash(
        Array(
          ("abcdefghbcdefghicdefghijdefghijkefghijklfghijklmghijklmnhijklmnoijklmnopjklmnopqklmnopqrlmnopq"
            + "rsmnopqrstnopqrstu").utf8))
        == "cf5b16a778af8380036ce59e7b0492370b249b11e8f07a51afac45037afee9d1")
    #expect(
      hash([UInt8](repeating: UInt8(ascii: "a"), count: 1_000_000))
        == "cdc76e5c9914fb9281a1c7e284d73e67f1809a48a497200e046d39ccc7112cd0")
    #expect(hash([0xBD]) == "68325720aabd7c82f30f554b313d0570c95accbb7dc4b5aae11204c08ffe732b")
    #expect(
      hash([UInt8](repeating: 0, count: 55))
        == "02779466cdec163811d078815c633f21901413081449002f24aa3e80f0b88ef7")
    #expect(
      hash([UInt8](repeating: 0, count: 56))
        == "d4817aa5497628e7c77e6b606107042bbba3130888c5f47a375e6179be789fbb")
    #expect(
      hash([UInt8](repeating: 0, count: 57))
        == "65a16cb7861335d5ace3c60718b5052e44660726da4cd13bb745381b235a1785")
    #expect(
      hash([UInt8](repeating: 0, count: 64))
        == "f5a5fd42d16a20302798ef6ed309979b43003d2320d9f0e8ea9831a92759fb4b")
  }

  /// RFC 4231, 4.4 to 4.8.
  @Test func codesOfEveryCaseOfRFC4231() {
    #expect(
      code([UInt8](repeating: 0xAA, count: 20), [UInt8](repeating: 0xDD, count: 50))
        == "773ea91e36800e46854db8ebd09181a72959098b3ef8c122d9635514ced565fe")
    #expect(
      code(Array(1...25), [UInt8](repeating: 0xCD, count: 50))
        == "82558a389a443c0ea4cc819899f2083a85f0faa3e578f8077a2e3ff46729665b")
    #expect(
      code([UInt8](repeating: 0x0C, count: 20), Array("Test With Truncation".utf8)).hasPrefix(
        "a3b6167473100ee06e0c796c2955552b"))
    #expect(
      code(
        [UInt8](repeating: 0xAA, count: 131),
        Array("Test Using Larger Than Block-Size Key - Hash Key First".utf8))
        == "60e431591ee0b67f0d8a26aacbf5b77f8e0bc6213728c5140546040f0ee37f54")
    let long =
      "This is a test using a larger than block-size key and a larger than block-size data. "
      + "The key needs to be hashed before being used by the HMAC algorithm."
    #expect(
      code([UInt8](repeating: 0xAA, count: 131), Array(long.utf8))
        == "9b09ffa71b942fcb27635fbcd5b0e944bfdc63644f0713938a7f51535c3a35e2")
  }

  /// No key and no text are a key and a text: what HMAC is of them, by its definition.
  @Test(arguments: [0, 1, 63, 64, 65, 200])
  func codesAreWhatTheirDefinitionSays(_ count: Int) {
    let key = (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 7 &+ 1) }
    for length in [0, 1, 64, 1000] {
      let text = (0..<length).map { UInt8(truncatingIfNeeded: $0) }
      let short = key.count > 64 ? key.withUnsafeBytes { crypto.sha256($0) } : key
      let padded = short + [UInt8](repeating: 0, count: 64 - short.count)
      let inner = (padded.map { $0 ^ 0x36 } + text).withUnsafeBytes { crypto.sha256($0) }
      #expect(code(key, text) == hash(padded.map { $0 ^ 0x5C } + inner))
    }
  }

  @Test func emptyBuffersAreNothing() {
    let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
    #expect(hex(crypto.sha256(nothing)) == "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855")
    #expect(
      hex(crypto.hmac(key: nothing, nothing))
        == "b613679a0814d9ec772f95d778c35fc5ff1697c493715653c6c712144292c5ad")
  }

  @Test func comparingIsOfAllBytes() {
    let bytes = Array(UInt8(0)..<32)
    #expect(crypto.isEqual(bytes, bytes))
    #expect(crypto.isEqual([], []))
    #expect(!crypto.isEqual(bytes, []))
    #expect(!crypto.isEqual(bytes, bytes + [0]))
    for at in bytes.indices {
      for bit in 0..<8 {
        var other = bytes
        other[at] ^= 1 << bit
        #expect(!crypto.isEqual(bytes, other))
      }
    }
  }

  @Test func randomBytesAreNotRepeated() {
    #expect(Crypto.random(0).isEmpty)
    #expect(Crypto.random(32).count == 32)
    #expect(Set((0..<100).map { _ in Crypto.random(16) }).count == 100)
    let many = Crypto.random(100_000)
    #expect(Set(many).count == 256)
  }

  @Test func manyThreadsHashAtOnce() async throws {
    let crypto = crypto
    let expected = hash(Array("abc".utf8))
    await withTaskGroup(of: String.self) { group in
      for _ in 0..<200 { group.addTask { hex(Array("abc".utf8).withUnsafeBytes { crypto.sha256($0) }) } }
      for await found in group { #expect(found == expected) }
    }
  }
}

/// Bytes as hexadecimal digits.
func hex(_ bytes: [UInt8]) -> String {
  bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
}

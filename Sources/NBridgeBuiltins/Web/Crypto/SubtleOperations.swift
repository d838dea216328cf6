// SPDX-License-Identifier: MIT

internal import JSEngine
internal import NBridgeCrypto

/// The operations, by the names that subtle's scripts call them. Argument 0 is the function for the end.
enum SubtleOperations {
  static let all: [(String, SubtleOperation)] = hashing + ciphers + derivations + making + reading + using

  private static let hashing: [(String, SubtleOperation)] = [
    (
      "digest",
      SubtleOperation(small: 2) { frame in
        guard let hash = frame.hash(1), let data = frame.bytes(2) else { return nil }
        guard let level = frame.level(2) else {
          return SubtleJob { () throws(CryptoFault) in .bytes(try hash.digest(data)) }
        }
        return SubtleJob { () throws(CryptoFault) in .bytes(try hash.digest(data, asTheyCome: level)) }
      }
    ),
    (
      "hmac",
      SubtleOperation(small: 3) { frame in
        guard let hash = frame.hash(1), let key = frame.bytes(2), let data = frame.bytes(3) else {
          return nil
        }
        return SubtleJob { () throws(CryptoFault) in .bytes(try hash.code(key: key, data)) }
      }
    ),
    (
      "isHMAC",
      SubtleOperation(small: 3) { frame in
        guard let hash = frame.hash(1), let key = frame.bytes(2), let data = frame.bytes(3),
          let code = frame.bytes(4)
        else { return nil }
        return SubtleJob { () throws(CryptoFault) in .isGood(try hash.isCode(code, key: key, data)) }
      }
    ),
  ]

  private static let ciphers: [(String, SubtleOperation)] = [
    (
      "cbc",
      SubtleOperation { frame in
        let way = frame.direction(1)
        guard let key = frame.bytes(2), let initial = frame.bytes(3), let data = frame.bytes(4) else {
          return nil
        }
        return SubtleJob { () throws(CryptoFault) in
          .bytes(try AES.cbc(way, key: key, initial: initial, data))
        }
      }
    ),
    (
      "ctr",
      SubtleOperation { frame in
        guard let key = frame.bytes(1), let counter = frame.bytes(2), let data = frame.bytes(4) else {
          return nil
        }
        let bits = frame[3].integer
        return SubtleJob { () throws(CryptoFault) in
          .bytes(try AES.ctr(key: key, counter: counter, bits: bits, data))
        }
      }
    ),
    (
      "gcm",
      SubtleOperation { frame in
        let (way, tag) = (frame.direction(1), frame[5].integer)
        guard let key = frame.bytes(2), let initial = frame.bytes(3), let data = frame.bytes(6) else {
          return nil
        }
        let additional = frame.bytes(4)
        return SubtleJob { () throws(CryptoFault) in
          .bytes(try AES.gcm(way, key: key, initial: initial, additional: additional, tag: tag, data))
        }
      }
    ),
    (
      "keyWrap",
      SubtleOperation { frame in
        let way = frame.direction(1)
        guard let key = frame.bytes(2), let data = frame.bytes(3) else { return nil }
        return SubtleJob { () throws(CryptoFault) in .bytes(try AES.keyWrap(way, key: key, data)) }
      }
    ),
  ]

  private static let derivations: [(String, SubtleOperation)] = [
    (
      "hkdf",
      SubtleOperation { frame in
        guard let hash = frame.hash(1), let key = frame.bytes(2), let salt = frame.bytes(3),
          let info = frame.bytes(4)
        else { return nil }
        let count = frame[5].integer
        return SubtleJob { () throws(CryptoFault) in
          .bytes(try KeyDerivation.hkdf(hash, key: key, salt: salt, info: info, count: count))
        }
      }
    ),
    (
      "pbkdf2",
      SubtleOperation { frame in
        guard let hash = frame.hash(1), let key = frame.bytes(2), let salt = frame.bytes(3) else {
          return nil
        }
        let (times, count) = (frame[4].integer, frame[5].integer)
        return SubtleJob { () throws(CryptoFault) in
          .bytes(
            try KeyDerivation.pbkdf2(hash, password: key, salt: salt, iterations: times, count: count))
        }
      }
    ),
    (
      "agree",
      SubtleOperation { frame in
        guard let key = frame.key(1), let other = frame.key(2) else { return nil }
        return SubtleJob { () throws(CryptoFault) in .bytes(try key.secret(with: other)) }
      }
    ),
  ]

  private static let making: [(String, SubtleOperation)] = [
    (
      // Of the kernel, in a recorded and a seeded program, too: neither may know a key.
      "fillRandom",
      SubtleOperation(small: 1) { frame in
        guard let key = frame.bytes(1) else { return nil }
        return SubtleJob { () throws(CryptoFault) in
          do throws(JSException) { try KernelRandom.fill(key.memory) } catch {
            throw .operation(error.message)
          }
          return .parts([])
        }
      }
    ),
    (
      "generateRSA",
      SubtleOperation { frame in
        guard let exponent = frame.bytes(2) else { return nil }
        let bits = frame[1].integer
        return SubtleJob { () throws(CryptoFault) in
          .key(try AsymmetricKey.generateRSA(bits: bits, exponent: exponent))
        }
      }
    ),
    (
      "generateCurve",
      SubtleOperation { frame in
        guard let curve = frame.family(1) else { return nil }
        return SubtleJob { () throws(CryptoFault) in .key(try AsymmetricKey.generate(curve)) }
      }
    ),
  ]

  private static let using: [(String, SubtleOperation)] = [
    (
      "sign",
      SubtleOperation { frame in
        guard let scheme = frame.scheme(1), let key = frame.key(4), let data = frame.bytes(5) else {
          return nil
        }
        return SubtleJob { () throws(CryptoFault) in .bytes(try key.sign(scheme, data)) }
      }
    ),
    (
      "verify",
      SubtleOperation { frame in
        guard let scheme = frame.scheme(1), let key = frame.key(4), let data = frame.bytes(5),
          let signature = frame.bytes(6)
        else { return nil }
        return SubtleJob { () throws(CryptoFault) in .isGood(try key.isSigned(scheme, data, signature)) }
      }
    ),
    (
      "oaep",
      SubtleOperation { frame in
        let encrypts = frame[1].bool
        guard let hash = frame.hash(2), let key = frame.key(3), let data = frame.bytes(5) else { return nil }
        let label = frame.bytes(4)
        return SubtleJob { () throws(CryptoFault) in
          .bytes(try key.oaep(isEncrypting: encrypts, hash, label: label, data))
        }
      }
    ),
  ]
}

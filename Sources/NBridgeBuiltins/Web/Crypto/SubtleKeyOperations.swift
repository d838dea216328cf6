// SPDX-License-Identifier: MIT

internal import JSEngine
internal import NBridgeCrypto

extension SubtleOperations {
  /// Keys that come in, each with its public numbers, and keys that go out.
  static let reading: [(String, SubtleOperation)] = [
    (
      "importSPKI",
      SubtleOperation { frame in
        guard let family = frame.family(1), let data = frame.bytes(2) else { return nil }
        return withParts { () throws(CryptoFault) in try AsymmetricKey.read(spki: data, family) }
      }
    ),
    (
      "importPKCS8",
      SubtleOperation { frame in
        guard let family = frame.family(1), let data = frame.bytes(2) else { return nil }
        return withParts { () throws(CryptoFault) in try AsymmetricKey.read(pkcs8: data, family) }
      }
    ),
    (
      "importPoint",
      SubtleOperation { frame in
        guard let family = frame.family(1), let data = frame.bytes(2) else { return nil }
        return withParts { () throws(CryptoFault) in
          family.hasPoints
            ? try AsymmetricKey.makePoint(family, point: data)
            : try AsymmetricKey.makeRaw(family, data, isPrivate: false)
        }
      }
    ),
    // Numbers in the order of `parts`; of curves with one coordinate x, and d for a private key.
    (
      "importParts",
      SubtleOperation { frame in
        guard let family = frame.family(1), let parts = frame.allBytes(from: 2), !parts.isEmpty else {
          return nil
        }
        return withParts { () throws(CryptoFault) in
          if family == .rsa { return try AsymmetricKey.makeRSA(parts) }
          if family.hasPoints { return try AsymmetricKey.makePoint(family, parts) }
          return parts.count == 1
            ? try AsymmetricKey.makeRaw(family, parts[0], isPrivate: false)
            : try AsymmetricKey.makeRaw(family, parts[1], isPrivate: true, expected: parts[0])
        }
      }
    ),
    (
      "exportSPKI",
      SubtleOperation { frame in
        guard let key = frame.key(1) else { return nil }
        return SubtleJob { () throws(CryptoFault) in .bytes(try key.spki()) }
      }
    ),
    (
      "exportPKCS8",
      SubtleOperation { frame in
        guard let key = frame.key(1) else { return nil }
        return SubtleJob { () throws(CryptoFault) in .bytes(try key.pkcs8()) }
      }
    ),
    (
      "exportPoint",
      SubtleOperation { frame in
        guard let key = frame.key(1) else { return nil }
        return SubtleJob { () throws(CryptoFault) in .bytes(try key.publicBytes()) }
      }
    ),
    (
      "exportParts",
      SubtleOperation { frame in
        guard let key = frame.key(1) else { return nil }
        let withPrivate = frame[2].bool
        return SubtleJob { () throws(CryptoFault) in .parts(try key.parts(withPrivate: withPrivate)) }
      }
    ),
  ]

  private static func withParts(_ make: @escaping @Sendable () throws(CryptoFault) -> AsymmetricKey)
    -> SubtleJob
  {
    SubtleJob { () throws(CryptoFault) in
      let key = try make()
      return .keyAndParts(key, try key.parts(withPrivate: false))
    }
  }
}

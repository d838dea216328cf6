// SPDX-License-Identifier: MIT

/// What libFuzzer calls: bytes that may be a key, in every format that one comes in. What is taken for a key
/// is written and read again as the same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzCrypto(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  guard size > 1 else { return 0 }
  let families: [KeyFamily] = [.rsa, .p256, .p384, .p521, .ed25519, .x25519]
  let family = families[Int(data[0]) % families.count]
  let bytes = CryptoBytes(UnsafeBufferPointer(start: data + 2, count: size - 2))
  guard let key = key(family, format: Int(data[1]) % 4, bytes) else { return 0 }
  do {
    let parts = try key.parts(withPrivate: true)
    let copy = try again(key)
    let copied = try copy.parts(withPrivate: true)
    precondition(copied.elementsEqual(parts) { $0.bytes.elementsEqual($1.bytes) }, "another key comes back")
    let open = try AsymmetricKey.read(spki: key.spki(), family)
    precondition(!open.isPrivate, "a public key is private")
  } catch { preconditionFailure("what was taken for a key can't be written: \(error)") }
  return 0
}

private func key(_ family: KeyFamily, format: Int, _ bytes: CryptoBytes) -> AsymmetricKey? {
  switch format {
  case 0: try? AsymmetricKey.read(spki: bytes, family)
  case 1: try? AsymmetricKey.read(pkcs8: bytes, family)
  case 2 where family.hasPoints: try? AsymmetricKey.makePoint(family, point: bytes)
  case 2: try? AsymmetricKey.makeRaw(family, bytes, isPrivate: false)
  default: keyOfParts(family, parts(bytes))
  }
}

/// Numbers as a JWK has them: each behind two bytes that say how long it is.
private func parts(_ bytes: CryptoBytes) -> [CryptoBytes] {
  var (rest, list) = (Array(bytes.bytes)[...], [CryptoBytes]())
  while rest.count >= 2, list.count < 8, let high = rest.popFirst(), let low = rest.popFirst() {
    let count = min(rest.count, Int(high) << 8 | Int(low))
    list.append(CryptoBytes(rest.prefix(count)))
    rest = rest.dropFirst(count)
  }
  return list
}

private func keyOfParts(_ family: KeyFamily, _ parts: [CryptoBytes]) -> AsymmetricKey? {
  if family == .rsa { return try? AsymmetricKey.makeRSA(parts) }
  if family.hasPoints { return try? AsymmetricKey.makePoint(family, parts) }
  guard let first = parts.first else { return nil }
  if parts.count == 1 { return try? AsymmetricKey.makeRaw(family, first, isPrivate: false) }
  return try? AsymmetricKey.makeRaw(family, parts[1], isPrivate: true, expected: first)
}

private func again(_ key: AsymmetricKey) throws -> AsymmetricKey {
  key.isPrivate
    ? try AsymmetricKey.read(pkcs8: key.pkcs8(), key.family)
    : try AsymmetricKey.read(spki: key.spki(), key.family)
}

// SPDX-License-Identifier: MIT

extension Advertisement {
  /// Made and signed by the holder of the keys.
  init(
    _ keys: any PeerKeys, serviceType: String, name: String, info: [String: String], address: String
  ) {
    self.init(
      id: keys.id(of: keys.publicKey).description, name: name, info: info, address: address,
      key: Hexadecimal.text(keys.publicKey.bytes), signature: "")
    signature = Hexadecimal.text(keys.sign(signable(serviceType)))
  }

  /// Whether the peer that its id stands for made it, for this type of service.
  func isGenuine(_ serviceType: String, _ keys: any PeerKeys) -> Bool {
    guard let key = Hexadecimal.bytes(key).flatMap({ Octets32($0) }),
      let signature = Hexadecimal.bytes(signature), keys.id(of: key).description == id
    else { return false }
    return keys.isSigned(signable(serviceType), by: key, signature)
  }

  private func signable(_ serviceType: String) -> [UInt8] {
    var bytes = LabelledBytes(.advertisement)
    for text in [serviceType, id, name, address] { bytes.put(text) }
    for (key, value) in info.inOrder {
      bytes.put(key)
      bytes.put(value)
    }
    return bytes.bytes
  }
}

/// Bytes as text, two digits each.
enum Hexadecimal {
  static func text(_ bytes: [UInt8]) -> String {
    String(decoding: bytes.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }, as: UTF8.self)
  }

  /// Nil for what is none.
  static func bytes(_ text: String) -> [UInt8]? {
    let values = text.utf8.map { digits.firstIndex(of: $0) }
    guard values.count % 2 == 0, !values.contains(nil) else { return nil }
    return stride(from: 0, to: values.count, by: 2).map {
      UInt8((values[$0] ?? 0) << 4 | (values[$0 + 1] ?? 0))
    }
  }

  private static let digits = Array("0123456789abcdef".utf8)
}

// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import NBridgeSystem

/// The key that vouches for the audit log and the lockout state: a secret that becomes its own hash with
/// every record. So an attacker that reads it now can't make what an earlier key vouched for (forward
/// integrity: Bellare and Yee, 1997).
package struct AuditKey: Sendable, Equatable {
  /// How many records it has vouched for until now: the first one's number is 1.
  let generation: Int
  private let secret: String

  /// The size of its file: one line.
  static let fileSize = 128
  private static let start = "nbridge-auth-key 1 "

  private init(_ generation: Int, _ secret: String) { (self.generation, self.secret) = (generation, secret) }

  /// A new one of the kernel's randomness.
  static func make(_ generation: Int = 0) -> AuditKey {
    AuditKey(generation, RandomName.make() + RandomName.make())
  }

  /// The key that vouches for the next record.
  var next: AuditKey {
    AuditKey(generation + 1, SHA256.hex(Array("nbridge auth key \(secret)".utf8)))
  }

  /// The key of a later record; nil for an earlier record's, or for one that would take too long to compute.
  func later(_ generation: Int) -> AuditKey? {
    guard self.generation...(self.generation + Self.furthest) ~= generation else { return nil }
    var key = self
    while key.generation < generation { key = key.next }
    return key
  }

  private static let furthest = 1 << 28

  /// Its code for a text, sixty-four digits. `purpose` keeps texts of one kind from counting as another's.
  func code(_ purpose: StaticString, _ parts: [UInt8]...) -> String {
    var text = Array("\(purpose)\n".utf8)
    for part in parts { text += part }
    return SHA256.code(Array(secret.utf8), text)
  }

  // MARK: - As a file

  /// Its file's bytes.
  package var bytes: [UInt8] {
    let text = Array("\(Self.start)\(generation) \(secret)".utf8)
    return text + [UInt8](repeating: 0x20, count: Self.fileSize - 1 - text.count) + [0x0A]
  }

  /// Reads them; nil when they are not what ``bytes`` makes.
  package init?(_ bytes: [UInt8]) {
    let words = bytes.split(separator: 0x20).map { String(decoding: $0, as: UTF8.self) }
    guard bytes.count == Self.fileSize, words.count > 3, let generation = Int(words[2]),
      0...AuditLine.maxLines ~= generation, words[3].utf8.count == 64
    else { return nil }
    self.init(generation, words[3])
    guard self.bytes == bytes else { return nil }
  }
}

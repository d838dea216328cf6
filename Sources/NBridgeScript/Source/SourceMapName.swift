// SPDX-License-Identifier: MIT

internal import CNBridgeGLib

/// The source map that a generated text names in one of its last lines.
enum SourceMapName {
  static func find(in text: String) -> String? {
    let key = "//# sourceMappingURL="
    let lines = text.utf8.split { $0 == 0x0A || $0 == 0x0D }.suffix(4)
    guard let line = lines.map(Substring.init).last(where: { $0.hasPrefix(key) }) else { return nil }
    return line.dropFirst(key.count).split(separator: " ").first.map(String.init)
  }

  /// The map in a data URL, as base 64; nil for any other.
  static func decode(_ name: String) -> String? {
    guard let comma = name.firstIndex(of: ","), name[..<comma].hasSuffix(";base64") else { return nil }
    var count: gsize = 0
    guard let bytes = g_base64_decode(String(name[name.index(after: comma)...]), &count) else { return nil }
    defer { g_free(bytes) }
    return String(decoding: UnsafeBufferPointer(start: bytes, count: Int(count)), as: UTF8.self)
  }
}

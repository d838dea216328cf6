// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// The `compilerOptions` of a `tsconfig.json` that say what becomes of a text.
enum CompilerOptions {
  /// What esbuild 0.17 heeds of them, paths aside.
  private static let names = [
    "alwaysStrict", "experimentalDecorators", "importsNotUsedAsValues", "jsx", "jsxFactory",
    "jsxFragmentFactory", "jsxImportSource", "preserveValueImports", "strict", "target",
    "useDefineForClassFields",
  ]

  /// Settings with what those give that they extend, as one text. Nil where they can't be read.
  static func merged(_ file: String, _ text: String, read: (String) -> String?) -> String? {
    var options: [String: Value] = [:]
    for name in names {
      options[name] = ProjectSettings.first(from: file, text, read: read) { all(in: $0)[name] }
    }
    guard let value = try? Value(encoding: ["compilerOptions": options]) else { return nil }
    return String(decoding: value.text, as: UTF8.self)
  }

  private static func all(in text: String) -> [String: Value] {
    let value = Value(text: Array(JSONComments.without(text).utf8))
    guard let members = try? value.decode([String: Value].self) else { return [:] }
    return (try? members["compilerOptions"]?.decode([String: Value].self)) ?? [:]
  }
}

/// JSON as TypeScript's settings are written: with comments, and commas behind the last.
enum JSONComments {
  /// The text as JSON has it.
  static func without(_ text: String) -> String {
    let bytes = Array(text.utf8)
    var kept: [UInt8] = []
    // Behind the mark of UTF-8 that some editors put there.
    var at = bytes.starts(with: [0xEF, 0xBB, 0xBF]) ? 3 : 0
    while at < bytes.count {
      let end = end(of: bytes, from: at)
      if !isComment(bytes, at) { kept += bytes[at..<end] }
      at = end
    }
    return String(decoding: withoutLastCommas(kept), as: UTF8.self)
  }

  private static func isComment(_ bytes: [UInt8], _ at: Int) -> Bool {
    bytes[at] == slash && at + 1 < bytes.count && (bytes[at + 1] == slash || bytes[at + 1] == star)
  }

  /// Where the string, the comment or the byte ends that begins at a place.
  private static func end(of bytes: [UInt8], from start: Int) -> Int {
    if isComment(bytes, start) {
      if bytes[start + 1] == slash { return bytes[start...].firstIndex(of: 0x0A) ?? bytes.count }
      var at = start + 2
      while at + 1 < bytes.count, bytes[at] != star || bytes[at + 1] != slash { at += 1 }
      return min(bytes.count, at + 2)
    }
    guard bytes[start] == quote else { return start + 1 }
    var at = start + 1
    while at < bytes.count, bytes[at] != quote { at += bytes[at] == backslash ? 2 : 1 }
    return min(bytes.count, at + 1)
  }

  private static func withoutLastCommas(_ bytes: [UInt8]) -> [UInt8] {
    var kept: [UInt8] = []
    var at = 0
    while at < bytes.count {
      let end = end(of: bytes, from: at)
      if bytes[at] == comma, let next = bytes[end...].first(where: { !spaces.contains($0) }),
        closers.contains(next)
      {
        at = end
        continue
      }
      kept += bytes[at..<end]
      at = end
    }
    return kept
  }

  private static let (slash, star, quote, backslash, comma) = (
    UInt8(ascii: "/"), UInt8(ascii: "*"), UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: ",")
  )
  private static let spaces = Array(" \t\r\n".utf8)
  private static let closers = Array("}]".utf8)
}

// SPDX-License-Identifier: MIT

/// What esbuild gets to see of a module: what it asks for, where it does, and else space. So what esbuild
/// can't read matters to nobody, and its reports have the author's lines and columns.
enum ModuleSkeleton {
  static func text(_ text: String, _ syntax: ModuleSyntax, withCalls: Bool) -> [UInt8] {
    let bytes = Array(text.utf8)
    var skeleton = bytes.map { $0 == 0x0A || $0 == 0x0D ? $0 : 0x20 }
    for request in syntax.requests where request.kind != .importCall {
      let isCall = request.kind == .requireCall
      put(isCall ? "require(" : "import", at: request.keyword.lowerBound, &skeleton)
      let specifier = marked(request, bytes) + (isCall ? ")" : "")
      put(specifier, at: request.literal.lowerBound, &skeleton)
      let end = request.literal.lowerBound + specifier.utf8.count
      if end < skeleton.count, skeleton[end] == 0x20 { skeleton[end] = UInt8(ascii: ";") }
    }
    guard withCalls else { return skeleton }
    let calls = calls(syntax, bytes).map(\.text).joined()
    return calls.isEmpty ? skeleton : skeleton + "\n\(calls)".utf8
  }

  /// The calls of `import` that stand behind the last line: there they may be longer than they are.
  private static func calls(_ syntax: ModuleSyntax, _ bytes: [UInt8])
    -> [(request: ModuleSyntax.Request, text: String)]
  {
    syntax.requests.filter { $0.kind == .importCall }.map { ($0, "import(\(marked($0, bytes)));") }
  }

  /// The call that a place of the skeleton belongs to; nil for one before the last line.
  ///
  /// - Parameter column: in bytes, from 0.
  static func call(_ text: String, _ syntax: ModuleSyntax, line: Int, column: Int) -> ModuleSyntax.Request? {
    let bytes = Array(text.utf8)
    guard line > TextPlace(bytes.count, in: text).line else { return nil }
    var end = 0
    return calls(syntax, bytes).first { call in
      end += call.text.utf8.count
      return column < end
    }?.request
  }

  /// Whether a place of the skeleton belongs to a call, of `import` or of `require`.
  static func isCall(_ text: String, _ syntax: ModuleSyntax, line: Int, column: Int) -> Bool {
    if call(text, syntax, line: line, column: column) != nil { return true }
    return syntax.requests.contains { request in
      guard request.kind == .requireCall else { return false }
      let place = TextPlace(request.literal.lowerBound, in: text)
      let lineStart =
        text.utf8.prefix(request.literal.lowerBound).lastIndex(of: 0x0A)
        .map { text.utf8.distance(from: text.utf8.startIndex, to: $0) + 1 } ?? 0
      return place.line == line && request.literal.lowerBound - lineStart == column
    }
  }

  /// The literal, with the type that its attributes give.
  private static func marked(_ request: ModuleSyntax.Request, _ bytes: [UInt8]) -> String {
    let literal = String(decoding: bytes[request.literal], as: UTF8.self)
    guard let type = request.type, let quote = literal.last else { return literal }
    return literal.dropLast() + ImportScan.typeMark + type + String(quote)
  }

  private static func put(_ text: String, at start: Int, _ bytes: inout [UInt8]) {
    for (offset, byte) in text.utf8.enumerated() where start + offset < bytes.count {
      bytes[start + offset] = byte
    }
  }
}

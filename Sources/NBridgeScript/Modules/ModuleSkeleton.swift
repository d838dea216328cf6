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
    // What a call asks for may be missing until it is called.
    let calls = syntax.requests.filter { $0.kind == .importCall }.map { "import(\(marked($0, bytes)));" }
      .joined()
    return calls.isEmpty ? skeleton : skeleton + "\ntry{\(calls)}catch{}".utf8
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

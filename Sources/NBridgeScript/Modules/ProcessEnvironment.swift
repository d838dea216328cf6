// SPDX-License-Identifier: MIT

/// `process.env.NODE_ENV`, which packages ask for that know no runtime but Node: it is `"development"`.
enum ProcessEnvironment {
  static func replaced(_ text: String) -> String {
    guard text.utf8.containsText("NODE_ENV") else { return text }
    var lexer = JSLexer(text)
    var bytes = Array(text.utf8)
    var last: [(text: String, range: Range<Int>)] = []
    while true {
      let token = lexer.next()
      guard token.kind != .end else { break }
      last.append((lexer.text(token), token.range))
      if last.count > 6 { last.removeFirst() }
      guard last.suffix(5).map(\.text) == ["process", ".", "env", ".", "NODE_ENV"] else { continue }
      if last.count == 6, last[0].text == "." { continue }
      guard let start = last.suffix(5).first?.range.lowerBound else { continue }
      // As long as what it stands for, with what may stand between.
      let value = Array("\"development\"".utf8)
      for (offset, index) in (start..<token.range.upperBound).enumerated() {
        if offset < value.count {
          bytes[index] = value[offset]
        } else if bytes[index] != 0x0A {
          bytes[index] = 0x20
        }
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}

// SPDX-License-Identifier: MIT

/// What libFuzzer calls: keys, pastes and entries may hold anything.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPrompt(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  guard size > 1 else { return 0 }
  let bytes = Array(UnsafeBufferPointer(start: data + 1, count: size - 1))
  if data[0] & 1 == 0 {
    keys(bytes, columns: Int(data[0] >> 1))
  } else {
    entry(
      String(decoding: bytes, as: UTF8.self))
  }
  return 0
}

/// Whatever is typed, in whatever pieces: the cursor stays in the text, and no row is wider than the
/// terminal.
private func keys(_ bytes: [UInt8], columns: Int) {
  var parser = KeyParser()
  var editor = LineEditor()
  var screen = Screen()
  editor.reset(history: ["first", "second\nof two lines", "한국어"])
  for start in stride(from: 0, to: bytes.count, by: 7) {
    for key in parser.feed(bytes[start..<min(start + 7, bytes.count)]) {
      if editor.handle(key) == .enter { editor.newLine() }
    }
    if parser.hasLoneEscape { for key in parser.flushEscape() { _ = editor.handle(key) } }
    precondition(0...editor.buffer.characters.count ~= editor.buffer.cursor)
    var layout = EntryLayout(prompt: "> ", continuation: "... ", columns: columns, height: 5)
    layout.lay(editor.buffer) { $0 % 2 == 0 ? "" : "31" }
    precondition(layout.rows.count <= 5 && layout.rows.indices.contains(layout.cursorRow))
    precondition(layout.rows.allSatisfy { $0.width <= max(1, columns) })
    let output = screen.draw(layout.rows, cursorRow: layout.cursorRow, cursorColumn: layout.cursorColumn)
    precondition(!output.utf8.contains(0))
  }
}

/// An entry is made into a script of its own without losing a line of it.
private func entry(_ text: String) {
  _ = EntryContext(text)
  for token in ScriptTokens(text) { precondition(token.range.upperBound <= text.utf8.count) }
  let rewriter = LineRewriter(text)
  let lines = text.utf8.count { $0 == 0x0A }
  precondition(rewriter.script().text.utf8.count { $0 == 0x0A } == lines)
  for answer in [true, false] {
    let made = rewriter.asyncFunction(1) { _ in answer }
    precondition(rewriter.hasImports || made.text.utf8.count { $0 == 0x0A } == lines + 1)
  }
  precondition(!TextWidth.visible(text).utf8.contains { $0 < 0x20 && $0 != 0x0A && $0 != 0x09 })
}

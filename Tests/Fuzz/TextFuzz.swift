// SPDX-License-Identifier: MIT

/// What libFuzzer calls: pages, scripts, `app.json` and command lines may hold anything.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzText(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  guard size > 0, let text = String(validating: UnsafeBufferPointer(start: data + 1, count: size - 1), as: UTF8.self)
  else { return 0 }
  switch data[0] & 3 {
  case 0: page(text)
  case 1: script(text)
  case 2: _ = try? AppManifest.parse(text, path: "app.json")
  default: commandLine(text)
  }
  return 0
}

private func page(_ text: String) {
  let page = HTMLPage(text: text, path: "page.html")
  for script in page.scripts { precondition(script.line >= 1) }
}

/// What is put in before top-level awaits must leave the text as it was once it is taken out again.
private func script(_ text: String) {
  let marked = AwaitMarker.mark(text)
  precondition(marked.text.utf8.count >= text.utf8.count)
  precondition(marked.text.utf8.filter { $0 == 0x0A }.count == text.utf8.filter { $0 == 0x0A }.count)
}

private func commandLine(_ text: String) {
  let options = [
    OptionSpec("yes", short: "y", "Yes."), OptionSpec("call", short: "c", value: "NAME", "Calls."),
  ]
  let words = text.split(separator: "\n").map(String.init)
  guard let parsed = try? ParsedArguments(words, options: options, operandsEndOptions: text.count % 2 == 0) else { return }
  let counted = parsed.operands.count + parsed.all("yes").count + parsed.all("call").count
  precondition(counted <= words.count || words.contains { $0.hasPrefix("-") })
}

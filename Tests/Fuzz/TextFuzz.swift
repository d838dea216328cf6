// SPDX-License-Identifier: MIT

import NBridgePlugin

@testable import NBridge
@testable import NBridgeHost
@testable import NBridgeScript

/// What libFuzzer calls: pages, scripts, `app.json` and command lines may hold anything.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzText(_ data: UnsafePointer<UInt8>, _ size: Int) -> CInt {
  guard size > 0,
    let text = String(
      validating: UnsafeBufferPointer(start: data + 1, count: size - 1), as: UTF8.self)
  else { return 0 }
  switch data[0] & 7 {
  case 0: page(text)
  case 1: script(text)
  case 2: _ = try? AppManifest.parse(text, path: "app.json")
  case 3: commandLine(text)
  case 4: imports(text)
  case 5: sourceMap(text)
  default: packet(Array(UnsafeBufferPointer(start: data + 1, count: size - 1)))
  }
  return 0
}

/// The text for esbuild has the length and the lines of the author's text.
private func imports(_ text: String) {
  let prepared = ImportScan(text).prepared(text)
  precondition(prepared.count == text.utf8.count)
  precondition(prepared.filter { $0 == 0x0A }.count == text.utf8.filter { $0 == 0x0A }.count)
  let syntax = ModuleParser.parse(text)
  let made = ModuleText(text, syntax).text.utf8
  precondition(made.filter { $0 == 0x0A }.count == text.utf8.filter { $0 == 0x0A }.count + 1)
  precondition(ModuleSkeleton.text(text, syntax, withCalls: false).count == text.utf8.count)
}

private func sourceMap(_ text: String) {
  guard let map = SourceMap(text) else { return }
  for line in 0..<20 {
    guard let place = map.place(line: line, column: line * 7) else { continue }
    precondition(map.sources.indices.contains(place.source))
  }
}

private func packet(_ bytes: [UInt8]) {
  guard let packet = EsbuildPacket(body: bytes) else { return }
  guard let again = EsbuildPacket(body: Array(packet.encoded.dropFirst(4))) else {
    preconditionFailure("what was written can't be read")
  }
  precondition(again == packet)
}

private func page(_ text: String) {
  let page = HTMLPage(text: text, path: "page.html")
  for script in page.scripts { precondition(script.line >= 1) }
  pieces(page.pieces)
}

/// What a script makes a tree of is whole, whatever the markup holds.
private func pieces(_ text: String) {
  var fields = text.split(separator: "\0", omittingEmptySubsequences: false)[...]
  precondition(fields.popLast() == "")
  while let kind = fields.popFirst() {
    var count = 1
    if kind == "<" || kind == "/" {
      precondition(fields.count >= 4)
      guard let attributes = Int(fields[fields.startIndex + 3]) else {
        preconditionFailure("a tag does not say how many attributes it has")
      }
      count = 4 + 2 * attributes
    } else {
      precondition(["t", "!", "d", ">"].contains(kind))
    }
    precondition(fields.count >= count)
    fields = fields.dropFirst(count)
  }
}

/// The notes that are put in before top-level awaits must leave the text as it was once they are taken out
/// again.
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
  guard
    let parsed = try? ParsedArguments(
      words, options: options, optionsEndBehind: text.count % 3 == 0 ? nil : text.count % 3)
  else { return }
  let counted = parsed.operands.count + parsed.all("yes").count + parsed.all("call").count
  precondition(counted <= words.count || words.contains { $0.hasPrefix("-") })
}

// The types that RuntimeOptions names and these targets don't reach.
/// Stands for the real one.
public struct PluginLibrary: Sendable {}
/// Stands for the real one.
package final class LibraryOpening: Sendable {}
/// Stands for the real one.
public struct MockFile: Sendable {}

// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import NBridgeSystem

/// What a page holds for us: its scripts, its click handlers, and the pieces of which its tree is made.
package struct HTMLPage {
  package let path: String
  package private(set) var scripts: [Script] = []
  package private(set) var clickHandlers: [ScriptSource] = []
  /// All of its markup; scripts have the numbers of ``scripts``.
  package let pieces: String
  /// The page itself, for reports.
  package let source: ScriptSource

  /// A script tag: inline text or a file beside the page.
  package struct Script {
    package let page: String
    package let file: String?
    package let text: String
    package let line: Int
    /// How many UTF-16 units stand before it on its line.
    let indent: Int
    package let isModule: Bool
    /// Whether it runs when the page has been read, as modules do (HTML, 4.12.1).
    package let isDeferred: Bool

    /// Reads the script. Throws for a file that is missing or not local.
    package func source() throws(ScriptFileError) -> ScriptSource {
      guard let file else {
        // What stands in front keeps the page's own lines and columns.
        let space = String(repeating: "\n", count: line - 1) + String(repeating: " ", count: indent)
        return ScriptSource(url: page, text: space + text)
      }
      if file.contains("://") || file.hasPrefix("//") {
        throw ScriptFileError(
          "'\(page)' line \(line): the script '\(file)' is not a local file; only those are run")
      }
      let folder = String(page.throughLastSlash)
      let plain = file.split(separator: "?").first.map(String.init) ?? file
      do { return ScriptSource(url: folder + plain, text: try ScriptFile.read(folder + plain)) } catch {
        throw ScriptFileError("'\(page)' line \(line): \(error)")
      }
    }
  }

  /// Parses a page; whatever it holds, it parses.
  package init(text: String, path: String) {
    self.path = path
    source = ScriptSource(url: path, text: text)
    var pieces = HTMLPieces()
    var scanner = HTMLScanner(text)
    var handlers = ClickHandlers(path: path)
    while let piece = scanner.next() {
      var number: Int?
      if case .start(let tag) = piece {
        handlers.take(tag)
        if let script = Script(tag, of: path) {
          number = scripts.count
          scripts.append(script)
        }
      }
      pieces.add(piece, script: number)
    }
    self.pieces = pieces.text
    clickHandlers = handlers.sources
  }
}

extension HTMLPage.Script {
  /// Nil for what is no script that runs.
  fileprivate init?(_ tag: HTMLScanner.Tag, of page: String) {
    guard tag.name == "script" else { return nil }
    let type = (tag.attributes["type"] ?? "").lowercased()
    guard ["", "text/javascript", "module", "application/javascript"].contains(type) else { return nil }
    let isModule = type == "module"
    let waits = tag.attributes["defer"] != nil && tag.attributes["async"] == nil
    self.init(
      page: page, file: tag.attributes["src"], text: tag.rawText, line: tag.rawTextLine,
      indent: tag.rawTextIndent, isModule: isModule,
      isDeferred: isModule || tag.attributes["src"] != nil && waits)
  }
}

/// The code of all `onclick`, with the names that reports have for it.
private struct ClickHandlers {
  let path: String
  private(set) var sources: [ScriptSource] = []
  private var line = 0
  /// Several may stand on one line.
  private var onLine = 0

  init(path: String) { self.path = path }

  mutating func take(_ tag: HTMLScanner.Tag) {
    guard let code = tag.attributes["onclick"] else { return }
    onLine = tag.line == line ? onLine + 1 : 1
    line = tag.line
    let url = "\(path)#onclick:\(line)" + (onLine == 1 ? "" : "-\(onLine)")
    sources.append(ScriptSource(url: url, text: code))
  }
}

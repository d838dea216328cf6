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
    /// What reports call a text of the page's own: the page, or a name that is only the script's.
    fileprivate(set) var name: String
    package let isModule: Bool
    /// Whether it runs when the page has been read, as modules do (HTML, 4.12.1).
    package let isDeferred: Bool

    /// Whether its places are the page's. Else they count from where it begins, under its own name.
    package var isPlaced: Bool { name == page }

    /// Reads the script. Throws for a file that is missing or not local.
    package func source() throws(ScriptFileError) -> ScriptSource {
      guard let file else {
        guard isPlaced else { return ScriptSource(url: name, text: text) }
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
    var places = ScriptPlacing(path: path)
    while let piece = scanner.next() {
      var number: Int?
      if case .start(let tag) = piece {
        handlers.take(tag)
        if var script = Script(tag, of: path) {
          number = scripts.count
          places.place(&script)
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
    let type = Self.type(of: tag)
    let isModule = type == "module"
    // One that is only for browsers without modules does not run.
    guard isModule || Self.types.contains(type) && tag.attributes["nomodule"] == nil else { return nil }
    let waits = tag.attributes["defer"] != nil && tag.attributes["async"] == nil
    self.init(
      page: page, file: tag.attributes["src"], text: tag.rawText, line: tag.rawTextLine,
      indent: tag.rawTextIndent, name: page, isModule: isModule,
      isDeferred: isModule || tag.attributes["src"] != nil && waits)
  }

  /// What its attributes say that it is (HTML, 4.12.1.1).
  private static func type(of tag: HTMLScanner.Tag) -> String {
    guard let type = tag.attributes["type"] else {
      let language = tag.attributes["language"] ?? ""
      return language.isEmpty ? "text/javascript" : "text/" + language.lowercased()
    }
    guard !type.isEmpty else { return "text/javascript" }
    let isSpace = { (one: Unicode.Scalar) in " \t\n\u{C}\r".unicodeScalars.contains(one) }
    let start = type.unicodeScalars.drop(while: isSpace)
    let inside = start.reversed().drop(while: isSpace).reversed()
    return String(String.UnicodeScalarView(inside)).lowercased()
  }

  /// The names that JavaScript has and had (MIME Sniffing, 4.6).
  private static let types: Set<String> = [
    "text/javascript", "application/javascript", "text/ecmascript", "application/ecmascript",
    "application/x-javascript", "application/x-ecmascript", "text/javascript1.0", "text/javascript1.1",
    "text/javascript1.2", "text/javascript1.3", "text/javascript1.4", "text/javascript1.5", "text/jscript",
    "text/livescript", "text/x-javascript", "text/x-ecmascript",
  ]
}

/// Gives scripts the page's places, as long as there is room: what stands before a script is blank space in
/// its text, so that a page of many scripts, or with all on one long line, would take what grows with its
/// square. Scripts behind that have names and places of their own, as handlers do.
private struct ScriptPlacing {
  /// Characters of space in all scripts of a page together.
  private var room = 4 << 20
  private var names: LineNames

  init(path: String) { names = LineNames(start: path + "#script:") }

  mutating func place(_ script: inout HTMLPage.Script) {
    guard script.file == nil else { return }
    let space = script.line - 1 + script.indent
    if space > room { script.name = names.next(script.line) } else { room -= space }
  }
}

/// Names by the lines of a page: several things may stand on one.
private struct LineNames {
  let start: String
  private var line = 0
  private var onLine = 0

  init(start: String) { self.start = start }

  mutating func next(_ line: Int) -> String {
    onLine = line == self.line ? onLine + 1 : 1
    self.line = line
    return start + "\(line)" + (onLine == 1 ? "" : "-\(onLine)")
  }
}

/// The code of all `onclick`, with the names that reports have for it.
private struct ClickHandlers {
  private(set) var sources: [ScriptSource] = []
  private var names: LineNames

  init(path: String) { names = LineNames(start: path + "#onclick:") }

  mutating func take(_ tag: HTMLScanner.Tag) {
    guard let code = tag.attributes["onclick"] else { return }
    sources.append(ScriptSource(url: names.next(tag.line), text: code))
  }
}

// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import NBridgeSystem

/// Why a program of modules can't be put together: each problem with its place in the author's files.
public struct BundleError: Error, CustomStringConvertible {
  /// One problem.
  package struct Problem: Equatable {
    package var message: String
    package var file: String?
    package var line = 0
    /// 1-based, in UTF-16 units.
    package var column = 0
    package var lineText = ""
    /// Whether the text itself is wrong, not what it asks for.
    package var isSyntax = false
    /// What else esbuild says about it.
    var notes: [String] = []
    /// Node's code for a name that a package does not give; nil for all else.
    package var packageCode: String? { PackageFinder.code(of: message) }
    /// Where it is, as `file:line:column`; nil for one without a file.
    package var place: String? { file.map { "\($0):\(line):\(column)" } }
  }

  package let problems: [Problem]

  /// The same with the lines of a page, where its modules are all that was known.
  package func quoting(_ page: ScriptSource) -> BundleError {
    BundleError(
      problems.map { problem in
        var problem = problem
        let text = problem.lineText.drop { $0 == " " }
        if problem.file == String(page.url.afterLastSlash), let line = page.line(problem.line),
          line.contains(text)
        {
          problem.lineText = String(line)
        }
        return problem
      })
  }

  /// Where the problems are, as `file:line:column`.
  public var places: [String] { problems.compactMap(\.place) }

  /// The same as what a program may run without.
  public var asWarning: BundleError {
    BundleError(
      problems.map { problem in
        var problem = problem
        problem.message = "warning: only a call asks for this: " + problem.message
        return problem
      })
  }

  /// The files that the problems stand in.
  public var files: [String] { problems.compactMap(\.file) }

  package init(_ message: String) { problems = [Problem(message: message)] }
  package init(_ problems: [Problem]) { self.problems = problems }

  /// Whether its first problem with a place stands behind another place.
  package func isBehind(line: Int, column: Int) -> Bool {
    problems.first { $0.line > 0 }.map { ($0.line, $0.column) > (line, column) } ?? false
  }

  package static let missing = BundleError(
    """
    modules and TypeScript are put together by esbuild, which is not here; install it: \
    sudo apt-get install esbuild
    """
  )

  /// The report as a person reads it: at most ten problems.
  public var description: String { report(colours: false) }

  /// The report as a person reads it, or as one line of JSON, with its line end.
  public func report(asJSON: Bool, colours: Bool) -> String {
    asJSON ? json : report(colours: colours) + "\n"
  }

  package func report(colours: Bool) -> String {
    let style = Style(colours: colours)
    let shown = problems.prefix(10).map { Self.text($0, style) }.joined(separator: "\n")
    return problems.count > 10 ? shown + "\nand \(problems.count - 10) more" : shown
  }

  /// The first problem as a line of JSON.
  package var json: String {
    let first = problems.first ?? Problem(message: "")
    return ErrorLine(
      name: first.isSyntax ? "SyntaxError" : "BundleError", message: first.message, file: first.file,
      line: first.file.map { _ in first.line },
      column: first.file.map { _ in first.column }, source: first.file.map { _ in first.lineText }
    ).text
  }

  private static func text(_ problem: Problem, _ style: Style) -> String {
    guard let file = problem.file else { return problem.message }
    var text = style.dim(problem.place ?? file) + "\n"
    text += SourceExcerpt.text(problem.lineText[...], column: problem.column, style)
    text += style.red(problem.isSyntax ? "SyntaxError: \(problem.message)" : problem.message)
    for note in problem.notes { text += "\n  \(note)" }
    return text
  }
}

extension BundleError.Problem {
  /// Reads one of esbuild's messages. Columns there count bytes from 0.
  package init(_ message: EsbuildValue, _ paths: DisplayPath) {
    let place = message["location"]
    let lineText = Self.authored(
      place["lineText"].string ?? "", place["file"].string.map(Self.withoutNamespace), place["line"].int ?? 0)
    let column =
      String(decoding: lineText.utf8.prefix(place["column"].int ?? 0), as: UTF8.self).utf16.count + 1
    self.init(
      message: Self.sentence(message["text"].string ?? "unknown problem", at: nil),
      file: place["file"].string.map { paths.shown(Self.withoutNamespace($0)) }, line: place["line"].int ?? 0,
      column: column, lineText: lineText)
    notes = message["notes"].array.compactMap { Self.note($0, paths) }.filter {
      // Advice about how to call esbuild, which is ours to do.
      !$0.contains("--platform") && !$0.contains("plugin") && !$0.hasPrefix("You can mark the path")
    }
    explain()
  }

  private static func note(_ note: EsbuildValue, _ paths: DisplayPath) -> String? {
    let place = note["location"]
    let shown = place["file"].string.map { file in
      "\(paths.shown(withoutNamespace(file))):\(place["line"].int ?? 0):\((place["column"].int ?? 0) + 1)"
    }
    return note["text"].string.map { sentence($0, at: shown) }
  }

  /// A text of esbuild's that ends with "here:" and is followed by lines of the file: in their stead the
  /// place.
  private static func sentence(_ text: String, at place: String?) -> String {
    guard text.hasSuffix(":") else { return text }
    return place.map { "\(text) \($0)" } ?? String(text.dropLast())
  }

  /// The line as its author wrote it: esbuild sees only what it asks for, see ``ModuleSkeleton``, at the
  /// same places.
  private static func authored(_ text: String, _ file: String?, _ line: Int) -> String {
    guard let file, let bytes = try? SmallFile.read(file, followsLinks: true)
    else { return text }
    let lines = bytes.split(separator: 0x0A, maxSplits: line, omittingEmptySubsequences: false)
    guard line > 0, lines.count >= line else { return text }
    let found = lines[line - 1].last == 0x0D ? lines[line - 1].dropLast() : lines[line - 1]
    return found.count == text.utf8.count ? String(decoding: found, as: UTF8.self) : text
  }

  private static func withoutNamespace(_ path: String) -> String {
    if path.hasPrefix(ModuleHooks.textEntry) {
      return path.split(separator: "/").last.map(String.init) ?? path
    }
    for name in ["text:", "bytes:", "json:"] where path.hasPrefix(name) {
      return String(path.dropFirst(name.count))
    }
    return path
  }

  /// The problem in what the author wrote, not in what esbuild was given instead.
  func before(_ newer: EditedText?, in source: ScriptSource) -> Self {
    guard let newer, file != nil else { return self }
    var problem = self
    var places = TextPlaces(newer.original)
    let found = places.place(newer.place(of: TextPlaces(newer.text).offset(line: line, column: column)))
    (problem.line, problem.column) = found
    problem.lineText = source.line(found.line).map(String.init) ?? lineText
    return problem
  }

  /// Says what esbuild can't know.
  private mutating func explain() {
    let isOfSyntax = message.hasPrefix("Unexpected ") || message.hasPrefix("Expected ")
    if isOfSyntax, let text = MisplacedSyntax.advice(for: lineText, column: column) {
      message = text
      isSyntax = true
      return
    }
    guard let name = missingName?.split(separator: "?").first.map(String.init) else {
      isSyntax = !message.contains("'")  // what our hooks say names something in quotes
      return
    }
    if NodeModules.has(name) {
      message =
        "'\(name)' is a part of Node, which nbridge does not have; the module that imports it can't run here"
      notes = []
    } else if name.hasPrefix(".") || name.hasPrefix("/") {
      let folder = DisplayPath.folder(of: file ?? "")
      let isFolder = ScriptFile.isFolder(name.hasPrefix("/") ? name : folder + "/" + name)
      message =
        isFolder
        ? "'\(name)' is a folder without an index file; name a file in it"
        : Self.leadsNowhere(name, from: folder)
          ? "'\(name)' is a link that leads nowhere"
          : "there is no '\(name)' here\(Self.nearFile(name, from: folder))"
    } else {
      message = "there is no package '\(name)' in a node_modules folder or in the \"imports\" of app.json"
      notes = []
    }
  }

  /// Whether a name of the module's own folder, or of one below it, is a link to nothing.
  private static func leadsNowhere(_ name: String, from folder: String) -> Bool {
    guard name.hasPrefix("./"), !name.contains("..") else { return false }
    let path = folder + "/" + name
    let parent = DisplayPath.folder(of: path)
    guard RealPath(parent).map({ $0.lies(in: RealPath(planned: folder)) }) == true else { return false }
    return RealPath(path) == nil && FolderNames.of(parent).contains(String(path.afterLastSlash))
  }

  /// A file below the module's own folder whose name is like the missing one's. Elsewhere none: what a script
  /// may not read, no message lists.
  private static func nearFile(_ name: String, from folder: String) -> String {
    guard name.hasPrefix("./"), !name.contains("..") else { return "" }
    let parent = DisplayPath.folder(of: folder + "/" + name)
    let wanted = String(name.afterLastSlash)
    guard wanted.count > 4, RealPath(parent).map({ $0.lies(in: RealPath(planned: folder)) }) == true,
      let near = NearestName.of(wanted, among: ScriptFile.names(in: parent).sorted())
    else { return "" }
    return "; did you mean '\(name.throughLastSlash)\(near)'?"
  }

  private var missingName: String? { BundleError.missingName(message) }
}

extension BundleError {
  /// The name in `Could not resolve "name"`.
  static func missingName(_ message: String) -> String? {
    let start = "Could not resolve \""
    guard message.hasPrefix(start), message.hasSuffix("\"") else { return nil }
    return String(message.dropFirst(start.count).dropLast())
  }
}

// SPDX-License-Identifier: MIT

internal import NBridge
internal import NBridgeHost
internal import NBridgeScript
internal import NBridgeSystem

/// What ran of the program's own files, over all files of tests: as a table, and against what is demanded.
struct CoverageReport {
  private(set) var files: [String: FileCoverage] = [:]

  private typealias Share = FileCoverage.Share

  mutating func add(_ result: TestFileResult) {
    for file in result.coverage {
      if files[file.file]?.add(file) == nil { files[file.file] = file }
    }
  }

  /// Adds the scripts below folders that no test loaded. Answers what could not be looked into.
  mutating func addUnloaded(below folders: [String], _ arguments: ParsedArguments) -> [String] {
    let found = ScriptFolder.files(folders) { ScriptFolder.isScript($0) && !CountedModule.isTest($0) }
    let paths = DisplayPath(folder: ScriptFile.currentFolder)
    var problems = found.problems
    for file in found.files {
      // A link stands for the file that it leads to, as it does for modules that a test loads.
      let path = RealPath(file)?.string ?? file
      if CountedModule.isTest(path) { continue }
      let name = paths.shown(paths.absolute(path))
      guard files[name] == nil else { continue }
      guard ScriptFile.isPlainFile(path, upTo: .max) else {
        problems.append("'\(name)' is no plain file, and is left out")
        continue
      }
      let unloaded = try? ProgramFiles.coverageOfUnloaded(
        path, ProgramOptions.read(arguments, script: path))
      for file in unloaded ?? [FileCoverage(file: name, isUncounted: true)] where files[file.file] == nil {
        files[file.file] = file
      }
    }
    return problems
  }

  var sorted: [FileCoverage] { files.values.sorted { $0.file < $1.file } }

  private static let kinds = ["Statements", "Branches", "Functions", "Lines"]

  private static func shares(_ file: FileCoverage) -> [Share] {
    [file.share(.statement), file.share(.branch), file.share(.function), file.lineShare]
  }

  private var total: [Share] {
    files.values.reduce(Array(repeating: Share(), count: Self.kinds.count)) { sum, file in
      zip(sum, Self.shares(file)).map { $0 + $1 }
    }
  }

  /// What is less than `percent`, a sentence each; empty when nothing is.
  func shortfalls(below percent: Double) -> [String] {
    if files.isEmpty { return ["no file but those of tests ran, so nothing was counted"] }
    let uncounted = sorted.filter(\.isUncounted).map { "'\($0.file)' can't be counted" }
    let short = zip(Self.kinds, total).filter { $1.percent < percent }.map { kind, share in
      """
      \(Self.text(share)) of the \(kind.lowercased()) ran, less than the \(percent.plain) % of --coverage-min
      """
    }
    return uncounted + short
  }

  // MARK: - The table

  func table(colours: Bool) -> String {
    guard !files.isEmpty else { return "\nCoverage: no file but those of tests ran.\n" }
    let rows = sorted.map { (TestText.oneLine($0.file), Self.shares($0), Self.remarks($0)) }
    let all = files.count == 1 ? [] : [("All files", total, "")]
    let width = (rows + all).map(\.0.count).max() ?? 0
    var text = "\n" + "File".padded(to: width)
    for kind in Self.kinds { text += "  " + kind.padded(to: 10, atStart: true) }
    text += "  Lines that did not run\n"
    for (name, shares, remarks) in rows + all {
      text += name.padded(to: width)
      for share in shares {
        // Nothing is known of what can't be counted.
        let isKnown = remarks != Self.uncounted
        let shown = (isKnown ? Self.text(share) : "-").padded(to: 10, atStart: true)
        text += "  " + (isKnown ? Self.coloured(shown, share, colours) : shown)
      }
      text += remarks.isEmpty ? "\n" : "  \(remarks)\n"
    }
    return text
  }

  /// One digit behind the point, rounded down: 100 % is all.
  private static func text(_ share: Share) -> String {
    let tenths = share.total == 0 ? 1000 : share.covered * 1000 / share.total
    return "\(tenths / 10).\(tenths % 10) %"
  }

  private static func coloured(_ text: String, _ share: Share, _ colours: Bool) -> String {
    guard colours else { return text }
    let code = share.percent >= 80 ? 32 : share.percent >= 50 ? 33 : 31
    return "\u{1B}[\(code)m\(text)\u{1B}[0m"
  }

  private static let uncounted = "can't be counted: it can't be read, or not with counters in it"

  private static func remarks(_ file: FileCoverage) -> String {
    if file.isUncounted { return uncounted }
    let lines = ranges(file.lines)
    if !lines.isEmpty { return lines.joined(separator: ", ") }
    let branches = Set(zip(file.points, file.counts).filter { $0.kind == .branch && $1 == 0 }.map(\.0.line))
    return branches.isEmpty ? "" : "branches: " + branches.sorted().map(String.init).joined(separator: ", ")
  }

  /// Lines that did not run, neighbours together: those between which none ran.
  private static func ranges(_ lines: [(line: Int, count: Int)]) -> [String] {
    lines.split { $0.count > 0 }.compactMap { run in
      guard let first = run.first?.line, let last = run.last?.line else { return nil }
      return first == last ? "\(first)" : "\(first)-\(last)"
    }
  }
}

extension String {
  fileprivate func padded(to width: Int, atStart: Bool = false) -> String {
    let space = String(repeating: " ", count: max(0, width - count))
    return atStart ? space + self : self + space
  }
}

extension Double {
  /// Without a point where it is whole.
  fileprivate var plain: String { self == rounded() ? String(Int(self)) : String(self) }
}

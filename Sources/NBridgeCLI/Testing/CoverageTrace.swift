// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import NBridgePlugin
internal import NBridgeScript
internal import NBridgeSystem

/// Coverage as lcov's tracefile (`geninfo(1)`), which `genhtml`, build servers and editors read.
enum CoverageTrace {
  static let name = "lcov.info"

  /// Writes the file into a folder, which is made where it is missing. Answers why it can't.
  static func write(_ files: [FileCoverage], into folder: String) -> String? {
    guard g_mkdir_with_parents(folder, 0o777) == 0 else {
      return "can't make the folder '\(folder)' of --coverage-dir: \(SystemError.lastReason)"
    }
    do {
      try SmallFile.replace("\(folder)/\(name)", with: Array(text(files).utf8), mode: 0o644)
      return nil
    } catch { return "can't write the coverage: \(error)" }
  }

  static func text(_ files: [FileCoverage]) -> String { files.filter { !$0.isUncounted }.map(text).joined() }

  private static func text(_ file: FileCoverage) -> String {
    let points = Array(zip(file.points, file.counts))
    return "TN:\nSF:\(TestText.oneLine(file.file))\n" + functions(points.filter { $0.0.kind == .function })
      + branches(points.filter { $0.0.kind == .branch }) + lines(file) + "end_of_record\n"
  }

  /// A name stands for one function of a file: further ones are told apart by their place.
  private static func functions(_ points: [(CoveragePoint, Int)]) -> String {
    var known: Set<String> = []
    var (declared, counted) = ("", "")
    for (point, count) in points {
      let place = "\(point.line):\(point.column)"
      var name = point.name.isEmpty ? "(anonymous \(place))" : Self.name(point.name)
      if !known.insert(name).inserted { name += " \(point.line):\(point.column)" }
      declared += "FN:\(point.line),\(name)\n"
      counted += "FNDA:\(count),\(name)\n"
    }
    return declared + counted + "FNF:\(points.count)\nFNH:\(points.count { $0.1 > 0 })\n"
  }

  /// lcov 2 takes a number before a comma for the line that a function ends in.
  private static func name(_ name: String) -> String {
    let line = TestText.oneLine(name)
    return line.first?.isNumber == true ? line.replacing(",", with: ";") : line
  }

  private static func branches(_ points: [(CoveragePoint, Int)]) -> String {
    var numbers: [Int: Int] = [:]
    var lines: [Int: Int] = [:]
    var text = ""
    for (point, count) in points {
      let number = numbers[point.group, default: 0]
      numbers[point.group] = number + 1
      let line = lines[point.group] ?? point.line
      lines[point.group] = line
      text += "BRDA:\(line),\(point.group),\(number),\(count)\n"
    }
    return text + "BRF:\(points.count)\nBRH:\(points.count { $0.1 > 0 })\n"
  }

  private static func lines(_ file: FileCoverage) -> String {
    let share = file.lineShare
    return file.lines.map { "DA:\($0.line),\($0.count)\n" }.joined()
      + "LF:\(share.total)\nLH:\(share.covered)\n"
  }
}

// SPDX-License-Identifier: MIT

internal import NBridgeHost

/// What a command line says of coverage.
struct CoverageWish {
  let isWanted: Bool
  private let isTableWanted: Bool
  private let folder: String?
  private let minimum: Double?
  /// Whose scripts count, too, that no test loads.
  private let sources: [String]
  private let arguments: ParsedArguments

  init(_ arguments: ParsedArguments) throws {
    self.arguments = arguments
    sources = arguments.all("coverage-all")
    if let missing = sources.first(where: { !Path.isFolder($0) }) {
      throw UsageError("--coverage-all needs a folder of sources, and '\(missing)' is none")
    }
    isTableWanted = arguments.has("coverage") || !sources.isEmpty
    folder = arguments.last("coverage-dir")
    minimum = try arguments.number("coverage-min")
    isWanted = isTableWanted || folder != nil || minimum != nil
    if let minimum, minimum > 100 {
      throw UsageError("--coverage-min must be a percentage from 0 to 100, not \(minimum)")
    }
    if isWanted, arguments.has("watch") {
      throw UsageError("--watch runs some of the tests only, so it goes without --coverage")
    }
  }

  /// Shows and writes what ran. Answers whether it is enough, and was written.
  ///
  /// - Parameter isForPeople: whether standard output is text for people, where a table may stand.
  func tell(_ report: CoverageReport, _ output: any ScriptOutput, isForPeople: Bool) -> Bool {
    guard isWanted else { return true }
    var report = report
    let unread = report.addUnloaded(below: sources, arguments)
    if isForPeople {
      output.write(report.table(colours: output.colours))
    } else if isTableWanted {
      output.writeError(report.table(colours: false))
    }
    var problems = unread
    if let folder, let problem = CoverageTrace.write(report.sorted, into: folder) { problems.append(problem) }
    if let minimum { problems += report.shortfalls(below: minimum) }
    for problem in problems { output.writeError("nbridge: coverage: \(problem)\n") }
    output.flush()
    return problems.isEmpty
  }
}

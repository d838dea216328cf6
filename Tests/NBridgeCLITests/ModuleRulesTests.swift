// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// How modules keep the language: short cases, each with the rule of ECMA-262 that it checks. A fixed share
/// of each family, and what `known.txt` lists: a larger one of the optimised program, which is several times
/// as fast. All of them, which need more than a minute of a processor, run by `make soak`.
@Suite struct ModuleRulesTests {
  private static let folder = CommandRunner.root + "/Tests/ModuleRules"

  static let families: [String] = {
    let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
    return names.filter { $0.hasSuffix(".cases") }.map { String($0.dropLast(".cases".count)) }.sorted()
  }()

  /// One of so many.
  private static let every = CommandRunner.isOptimised ? 4 : 16

  private func judge(_ family: String, program: String = "$NBRIDGE") throws -> CommandRunner.Result {
    let runner = try CommandRunner()
    defer { runner.remove() }
    return try runner.shell(
      """
      NBRIDGE_PROGRAM=\(program) python3 -B '\(Self.folder)/run.py' --every \(Self.every) '\(family):'
      """)
  }

  @Test func thereAreFamilies() { #expect(Self.families.count > 10) }

  @Test(arguments: families)
  func onlyWhatIsKnownFails(_ family: String) throws {
    let result = try judge(family)
    #expect(result.status == 0, "\(result.output)\(result.errors)")
    #expect(result.output.contains("| \(family) |"))
  }

  @Test func aProgramThatDoesNothingKeepsNoRule() throws {
    let result = try judge("running", program: "/bin/true")
    #expect(result.status == 1 && result.output.contains("did not come to its end"), "\(result.output)")
  }
}

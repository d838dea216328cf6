// SPDX-License-Identifier: MIT

import Glibc
import TestSupport

/// Kills programs in the middle of a plugin's operations, damages what they leave, and looks at what is there
/// afterwards: `nbridge-kills NBRIDGE JS ROUNDS [SEED [PLUGIN…]]`.
///
/// A round has two processes that work in the same place and acknowledge, over their own stdout, each
/// operation that was answered. One is killed at a random moment, in every fourth round a file is damaged
/// while the other works, then the other is killed too, and a third looks: what was acknowledged is there,
/// once and whole, unless it was damaged; then what was acknowledged after the damage is. Whatever goes wrong
/// is printed with its seed.
@main
enum KillHost {
  static func main() throws {
    let arguments = CommandLine.arguments
    guard arguments.count >= 4, let rounds = Int(arguments[3]) else {
      say("usage: nbridge-kills NBRIDGE SCRIPTS ROUNDS [SEED [PLUGIN…]]")
      exit(2)
    }
    let seed = arguments.count > 4 ? UInt64(arguments[4]) ?? 1 : 1
    let wanted = Set(arguments.dropFirst(5))
    var failed = 0
    for scenario in Scenario.all where wanted.isEmpty || wanted.contains(scenario.plugin) {
      failed += try run(scenario, rounds, seed, program: arguments[1], scripts: arguments[2])
    }
    if failed > 0 { exit(1) }
  }

  /// Answers how many rounds went wrong; the first three are told.
  private static func run(
    _ scenario: Scenario, _ rounds: Int, _ seed: UInt64, program: String, scripts: String
  ) throws -> Int {
    var place = try Place(scenario, program: program, scripts: scripts)
    defer { place.remove() }
    var random = SeededGenerator(seed: seed)
    var (failed, acknowledged, damaged) = (0, 0, 0)
    for number in 1...max(1, rounds) {
      var round = Round(number: number, place: place, random: random)
      let problem = round.run()
      random = round.random
      acknowledged += round.acknowledged
      if round.isDamaged {
        damaged += 1
        // A program may report damage that it found for ever.
        place.remove()
        place = try Place(scenario, program: program, scripts: scripts)
      }
      guard let problem else { continue }
      failed += 1
      say(
        """
        \(scenario.plugin), round \(number) of seed \(seed)\(round.isDamaged ? ", damaged" : ""): \(problem)
        """)
      if failed == 3 { break }
    }
    say(
      "\(scenario.plugin): \(rounds) rounds, \(2 * rounds) processes killed, \(damaged) times damaged, "
        + "\(acknowledged) "
        + "operations acknowledged: \(failed == 0 ? "all are there" : "\(failed) rounds went wrong")")
    return failed
  }
}

/// Says a line at once: what is said before a hang must be seen.
private func say(_ line: String) {
  let text = line + "\n"
  _ = write(1, text, text.utf8.count)
}

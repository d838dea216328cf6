// SPDX-License-Identifier: MIT

internal import NBridge
internal import NBridgeHost
internal import PeersPlugin

/// `nbridge peers simulate`.
enum PeersSimulateCommand: Command {
  static let name = "peers simulate"
  static let summary =
    "Runs the protocol of peers on a simulated network: random faults, or sessions of many."
  static let operands = ""
  static let options = [
    OptionSpec("schedules", value: "N", "Runs so many random schedules; by default 100."),
    OptionSpec("seed", value: "N", "The first schedule; each has its number as its seed. By default 0."),
    OptionSpec("scale", value: "LIST", "Counts what sessions of so many peers cost instead, as 10,100,1000."),
  ]
  static let examples: [(line: String, does: String)] = [
    ("nbridge peers simulate --schedules 1000", "runs schedules 0 to 999 and tells which did not hold"),
    ("nbridge peers simulate --seed 21 --schedules 1", "runs one again, step by step the same"),
    ("nbridge peers simulate --scale 10,100,1000", "shows how the cost for each peer grows"),
  ]

  static func run(_ arguments: ParsedArguments) throws -> ExitStatus {
    let output = StandardOutput()
    defer { output.flush() }
    let seed = UInt64(max(0, min(try arguments.number("seed") ?? 0, 0x1p53)))
    if let list = arguments.last("scale") { return try scale(list, seed, output) }
    let count = Int(max(1, min(try arguments.number("schedules") ?? 100, 1e9)))
    var failed = 0
    for number in 0..<count {
      if let problem = PeerSimulation.problem(ofSchedule: seed + UInt64(number)) {
        failed += 1
        output.write(problem)
      }
      if number % 100 == 99 { output.writeError("\(number + 1) of \(count)\n") }
    }
    output.write("\(count) schedules from \(seed) on, \(failed) did not hold\n")
    return failed == 0 ? .success : .failure
  }

  private static func scale(_ list: String, _ seed: UInt64, _ output: StandardOutput) throws -> ExitStatus {
    let counts = try list.split(separator: ",", omittingEmptySubsequences: false).map { part in
      guard let count = Int(part), (2...20_000).contains(count) else {
        throw UsageError("--scale takes numbers from 2 to 20000, not '\(part)'")
      }
      return count
    }
    output.write("peers  formed s  frames  kB  idle/s  B/s  a join  B  a loss  B  noticed s  links\n")
    for count in counts {
      let cost = try PeerSimulation.cost(of: count, seed: seed)
      let shown = { (value: Double?) in value.map { String(Int(($0 * 100).rounded())) } ?? "never" }
      let hundredths = { (value: Double?) -> String in
        guard value != nil else { return "never" }
        let digits = shown(value)
        return digits.count > 2
          ? "\(digits.dropLast(2)).\(digits.suffix(2))" : "0.\(digits.count == 1 ? "0" : "")\(digits)"
      }
      let whole = { (value: Double) in String(Int(value.rounded())) }
      let row = [
        "\(count)", hundredths(cost.formed), whole(cost.forming.frames), whole(cost.forming.bytes / 1000),
        hundredths(cost.idle.frames), whole(cost.idle.bytes), hundredths(cost.join.frames),
        whole(cost.join.bytes),
        hundredths(cost.loss.frames), whole(cost.loss.bytes), hundredths(cost.noticed), "\(cost.maxLinks)",
      ]
      output.write(row.joined(separator: "  ") + "\n")
      output.flush()
    }
    return .success
  }
}

// SPDX-License-Identifier: MIT

import Glibc
import NBridgePlugin
import NBridgeSystem
import TestSupport

/// Two processes at work, two kills, perhaps damage, and a look.
struct Round {
  let number: Int
  let place: Place
  var random: SeededGenerator
  private(set) var isDamaged = false
  private(set) var acknowledged = 0

  init(number: Int, place: Place, random: SeededGenerator) {
    (self.number, self.place, self.random) = (number, place, random)
    isDamaged = number % 4 == 0 && !place.scenario.stores.isEmpty
  }

  /// Answers what went wrong; nil when nothing did.
  mutating func run() -> String? {
    do {
      let script = "\(place.scenario.plugin).work.js"
      // No number is used in two rounds.
      let first = number * 100_000
      let a = try Victim(place, script, ["a", "\(first)"])
      let b = try Victim(place, script, ["b", "\(first)"])
      defer { acknowledged = a.acknowledged.count + b.acknowledged.count }
      let problem = place.scenario.isPair ? try send(a, b, script) : work(a, b)
      a.kill()
      b.kill()
      return try problem ?? look(a, b)
    } catch { return "\(error)" }
  }

  /// One program is killed, and the other goes on.
  private mutating func work(_ a: Victim, _ b: Victim) -> String? {
    let (before, after) = (random.number(1...12), random.number(2...6))
    let pause = UInt32.random(in: 0...3000, using: &random)
    guard a.wait(for: before), b.wait(for: 1) else { return "nothing is acknowledged any more" }
    for worker in [a, b] where !worker.complaint.isEmpty { return "a worker said '\(worker.complaint)'" }
    // The moment of the kill is what is random here.
    usleep(pause)
    a.kill()
    if isDamaged { damage() }
    guard b.wait(for: b.acknowledged.count + after) else {
      return "the other process acknowledges nothing any more, after the kill of one"
    }
    let complaint = b.complaint
    usleep(pause / 2)
    b.kill()
    return complaint.isEmpty || isDamaged
      ? nil
      : """
      the other process said '\(complaint)' after the kill of one
      """
  }

  /// The sender is killed: the receiver has all that the sender knows to be there. It takes from another one,
  /// and is killed.
  private mutating func send(_ a: Victim, _ b: Victim, _ script: String) throws -> String? {
    guard a.wait(for: random.number(1...30)) else {
      return "nothing is acknowledged any more"
    }
    usleep(UInt32.random(in: 0...3000, using: &random))
    a.kill()
    let missing = last(a) - number * 100_000 + 1 - b.acknowledged.count
    guard b.wait(for: b.acknowledged.count + max(0, missing)), b.lastWords.isEmpty else {
      return """
        \(missing) of \(a.acknowledged.count) that were acknowledged did not come: \
        \(a.lastWords) \(b.lastWords)
        """
    }
    let next = try Victim(place, script, ["a", "\(number * 100_000 + 50_000)"])
    defer { next.kill() }
    guard next.wait(for: 5), next.acknowledged.count >= 5 else {
      return "another sender is not heard: '\(next.lastWords)', the receiver says '\(b.lastWords)'"
    }
    b.kill()
    return nil
  }

  /// Damages a file as a bad disk, or another program, may.
  private mutating func damage() {
    let files = place.damageable
    guard !files.isEmpty else { return }
    let path = random.pick(files)
    let file = open(path, O_RDWR | O_CLOEXEC)
    guard file >= 0 else { return }
    defer { close(file) }
    let size = Int(lseek(file, 0, SEEK_END))
    let place = random.number(0...max(0, size - 1))
    switch random.number(0..<4) {
    case 0: _ = ftruncate(file, off_t(place))
    case 1: garbage(64, to: file, at: 0)
    case 2: garbage(random.number(1...4096), to: file, at: size)
    default: garbage(random.number(1...512), to: file, at: place)
    }
  }

  private mutating func garbage(_ count: Int, to file: Int32, at place: Int) {
    let bytes = (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
    _ = pwrite(file, bytes, count, off_t(place))
  }

  /// A third process looks; after damage one works first, whose operations count.
  private func look(_ a: Victim, _ b: Victim) throws -> String? {
    var facts = "{\"first\":\(number * 100_000),\"a\":\(last(a)),\"b\":\(last(b)),\"damaged\":\(isDamaged)}"
    if isDamaged {
      let c = try Victim(place, "\(place.scenario.plugin).work.js", ["c", "\(number * 100_000 + 50_000)"])
      let works = c.wait(for: 5)
      let complaint = c.complaint
      c.kill()
      guard works, c.acknowledged.count >= 5 else { return "after damage nobody can work: '\(complaint)'" }
      facts = facts.replacing("\"damaged\"", with: "\"c\":\(last(c)),\"damaged\"")
    }
    place.show()
    let checker = try Victim(place, "\(place.scenario.plugin).check.js", ["check", facts])
    guard let status = checker.end() else { return "whoever looks afterwards does not come to an end" }
    guard status == 0, checker.lastWords == "ok" else {
      return "status \(status), \(checker.complaint); it was told \(facts)"
    }
    if let left = place.leftOver { return "'\(left)' is left" }
    return try isDamaged || place.scenario.verify.isEmpty ? nil : verify()
  }

  private func verify() throws -> String? {
    let output = place.folder + "/verify"
    let status: Int32
    do {
      status = try ChildProcess.start(
        place.program, place.scenario.verify,
        streams: [
          0: .nothing, 1: .file(output), 2: .file(output + ".err"),
        ]
      ).wait()
    } catch { throw KillProblem("'\(place.program)' can't be started: \(error.reason)") }
    return status == 0 ? nil : "\(place.scenario.verify.joined(separator: " ")) ends with \(status)"
  }

  private func last(_ victim: Victim) -> Int { victim.acknowledged.last ?? 0 }
}

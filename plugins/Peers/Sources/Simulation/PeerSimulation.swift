// SPDX-License-Identifier: MIT

/// The protocol under simulation, for the command line: random schedules, and what sessions of many peers
/// cost.
package enum PeerSimulation {
  /// Runs a schedule; answers what did not hold, with the steps that led there.
  package static func problem(ofSchedule seed: UInt64) -> String? {
    do {
      let schedule = try Schedule(seed: seed)
      do {
        try schedule.run()
        return nil
      } catch { return "\(error)\n" + schedule.steps.map { "  \($0)\n" }.joined() }
    } catch { return "\(error)" }
  }

  /// What a session costs each of its peers.
  package struct Cost: Sendable {
    /// How many peers there are.
    package var peers = 0
    /// Simulated seconds until all know all.
    package var formed: Double?
    /// Frames and bytes that a peer sends until then.
    package var forming: (frames: Double, bytes: Double) = (0, 0)
    /// In a second in which nothing happens.
    package var idle: (frames: Double, bytes: Double) = (0, 0)
    /// Because one more joins, and because one vanishes; without what an idle session costs.
    package var join: (frames: Double, bytes: Double) = (0, 0)
    package var loss: (frames: Double, bytes: Double) = (0, 0)
    /// Simulated seconds until all know that one has vanished without a word.
    package var noticed: Double?
    package var maxLinks = 0
  }

  /// Makes a session of so many peers, 1 to 5 ms from each other, and counts.
  package static func cost(of count: Int, seed: UInt64) throws -> Cost {
    let world = SimulatedWorld(seed: seed, conditions: NetworkConditions(latency: [1, 5]))
    try world.add(count, browsing: false)
    var cost = Cost(peers: count)
    var random = SeededRandom(seed: seed)
    for number in 1..<max(2, count) where number < count {
      world.invite(world.peers[Int.random(in: 0..<number, using: &random)], world.peers[number])
    }
    var before = world.network.counts
    let spent = { (since: (frames: Int, lost: Int, bytes: Int)) -> (frames: Double, bytes: Double) in
      let now = world.network.counts
      return (
        Double(now.frames - since.frames) / Double(count), Double(now.bytes - since.bytes) / Double(count)
      )
    }
    cost.formed = world.run(atMost: 120) { world.agree(world.living) }
    cost.forming = spent(before)
    world.run(seconds: 20)
    before = world.network.counts
    world.run(seconds: 10)
    cost.idle = (spent(before).frames / 10, spent(before).bytes / 10)
    let extra = {
      (since: (frames: Int, lost: Int, bytes: Int), seconds: Double) -> (frames: Double, bytes: Double) in
      (spent(since).frames - seconds * cost.idle.frames, spent(since).bytes - seconds * cost.idle.bytes)
    }
    before = world.network.counts
    try world.add(1, browsing: false)
    world.invite(world.peers[Int.random(in: 0..<count, using: &random)], world.peers[count])
    world.run(seconds: 5)
    cost.join = extra(before, 5)
    before = world.network.counts
    let victim = world.living[Int.random(in: 0..<world.living.count, using: &random)]
    world.kill(victim, tells: false)
    cost.noticed = world.run(atMost: 30) { world.agree(world.living) }
    world.run(seconds: max(0, 5 - (cost.noticed ?? 5)))
    cost.loss = extra(before, max(5, cost.noticed ?? 5))
    cost.maxLinks = world.living.map { $0.statistics.links }.max() ?? 0
    return cost
  }
}

// SPDX-License-Identifier: MIT

import Synchronization
import Testing

@testable import PeersPlugin

/// The protocol on a simulated network: every run is made again by its seed. The optimised program runs
/// hundreds of schedules (`nbridge peers simulate`): `PeersSimulationTests`.
@Suite struct ScheduleTests {
  @Test func whateverHappensAllAgreeAndNothingIsLostUntold() throws {
    for seed in 0..<8 as Range<UInt64> {
      let schedule = try Schedule(seed: seed)
      do { try schedule.run() } catch {
        Issue.record("\(error)\n\(schedule.steps.suffix(40).joined(separator: "\n"))")
        return
      }
    }
  }

  @Test func aScheduleIsTheSameEachTime() throws {
    let steps = try (0..<2).map { _ in
      let schedule = try Schedule(seed: 77)
      try schedule.run()
      return schedule.steps
    }
    #expect(steps[0] == steps[1] && steps[0].count > 10)
  }

  /// A session of some peers, all together.
  func world(_ count: Int, _ conditions: NetworkConditions = NetworkConditions(latency: [1, 5])) throws
    -> SimulatedWorld
  {
    let world = SimulatedWorld(seed: 3, conditions: conditions)
    try world.add(count, browsing: false)
    for number in 1..<count { world.invite(world.peers[number / 2], world.peers[number]) }
    #expect(world.run(atMost: 20) { world.agree(world.peers) } != nil)
    return world
  }

  func numbers(_ peer: PeerSession) -> [Int] {
    peer.messages.takeAll().map { message in Int(message.body[0]) | Int(message.body[1]) << 8 }
  }

  @Test func whatIsSentDuringASplitOf30SecondsComesWhenItHeals() throws {
    let world = try world(4, NetworkConditions(latency: [1, 20], loss: 5, reorders: true))
    let (ada, eve) = (world.peers[0], world.peers[3])
    var sent = 0
    let send = { () -> Void in
      for _ in 0..<20 where ada.sendNow([UInt8(sent & 255), UInt8(sent >> 8)], to: [eve.id]) { sent += 1 }
    }
    for _ in 0..<20 {
      send()
      world.run(seconds: 0.02)
    }
    world.network.partition([[ada.id, world.peers[1].id], [world.peers[2].id, eve.id]])
    for _ in 0..<30 {
      send()
      world.run(seconds: 1)
    }
    #expect(
      ada.state.withLock { $0.node.members.count } == 1 && eve.state.withLock { $0.node.members.count } == 1)
    world.network.partition([])
    #expect(world.run(atMost: 30) { world.agree(world.peers) } != nil)
    send()
    var got: [Int] = []
    _ = world.run(atMost: 60) {
      got += numbers(eve)
      return got.count == sent
    }
    #expect(got == Array(0..<sent) && sent > 400, "\(got.count) of \(sent)")
    #expect(world.problems.all.isEmpty)
  }

  @Test func aClockThatJumpsTakesNobodyForDead() throws {
    let world = try world(5)
    for peer in world.peers { world.network.jumpClock(of: peer.id, by: 40_000_000) }
    world.run(seconds: 0.3)
    #expect(world.agree(world.peers))
    world.run(seconds: 5)
    #expect(world.agree(world.peers))
  }

  @Test func oneThatVanishesIsKnownToAllWithinTwoSeconds() throws {
    let world = try world(40)
    world.kill(world.peers[7], tells: false)
    let time = world.run(atMost: 10) { world.agree(world.living) }
    #expect(time.map { $0 <= 2 } ?? false, "\(String(describing: time))")
  }

  @Test func aMessageToAllLeavesInAsManyFramesAsThereAreLinks() throws {
    let world = try world(30)
    world.run(seconds: 10)
    let sender = world.peers[0]
    let before = sender.statistics.counts.framesSent
    #expect(sender.sendNow([1, 0], to: sender.state.withLock { $0.node.members }))
    #expect(sender.statistics.counts.framesSent - before <= sender.statistics.links)
    world.run(seconds: 2)
    #expect(world.peers.dropFirst().allSatisfy { numbers($0) == [1] })
  }
}

// SPDX-License-Identifier: MIT

import Testing

@testable import PeersPlugin

/// The protocol on a simulated network: every run is made again by its seed.
@Suite struct ScheduleTests {
  @Test func whateverHappensAllAgreeAndNothingIsLostUntold() throws {
    for seed in 0..<200 as Range<UInt64> {
      let schedule = try Schedule(seed: seed)
      do { try schedule.run() } catch {
        Issue.record("\(error)\n\(schedule.steps.suffix(40).joined(separator: "\n"))")
        return
      }
    }
  }
}

// SPDX-License-Identifier: MIT

import Testing

@testable import HttpPlugin

/// When a host's addresses are looked for anew.
@Suite struct HostFreshnessTests {
  @Test func aHostThatWasThereMayHaveMoved() {
    var freshness = HostFreshness(from: 1000)
    freshness.reach("http://here.test")
    #expect(freshness.mayHaveMoved("http://here.test") && !freshness.mayHaveMoved("http://never.test"))
  }

  @Test func allAreLookedForAnewAfterAMinute() {
    let freshness = HostFreshness(from: 1000)
    #expect(!freshness.isOver(at: 1059) && freshness.isOver(at: 1060))
  }
}

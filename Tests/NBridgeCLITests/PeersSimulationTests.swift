// SPDX-License-Identifier: MIT

import Testing

/// The protocol of peers on a simulated network, by the program: it would take the tests' own build minutes.
@Suite struct PeersSimulationTests {
  @Test func whateverHappensAllAgreeAndNothingIsLostUntold() throws {
    let result = try CommandRunner.run([:], "nbridge peers simulate --schedules 200")
    #expect(result.status == 0, "\(result)")
    #expect(result.output.hasSuffix("200 schedules from 0 on, 0 did not hold\n"), "\(result)")
  }

  @Test func whatASessionCostsEachPeerGrowsWithTheLogarithm() throws {
    let result = try CommandRunner.run([:], "nbridge peers simulate --scale 8,64")
    let table = result.output.split(separator: "\n").map { $0.split(separator: " ").map(String.init) }
    try #require(table.count == 3, "\(result)")
    // "idle/s" and the like have a blank in their name.
    let rows = table.dropFirst().map { row in row.compactMap { Double($0) } }
    let (small, large) = (rows[0], rows[1])
    try #require(small.count == 12 && large.count == 12, "\(result)")
    let (peers, formed, idle, loss, links) = (0, 1, 4, 8, 11)
    #expect(small[peers] == 8 && large[peers] == 64)
    // Eight times as many, log2 twice as large: 3 and 6.
    #expect(large[idle] < 2.5 * small[idle], "\(result)")
    #expect(large[loss] < 3 * max(small[loss], 10), "\(result)")
    // Twice what an overlay of 66 wants: three, and one a bit of their number.
    #expect(large[links] <= 20 && large[formed] < 3, "\(result)")
  }
}

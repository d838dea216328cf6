// SPDX-License-Identifier: MIT

import TestSupport
import Testing

@testable import PeersPlugin

/// Which peers are reachable, and which way, by what each says of its own links.
@Suite struct MemberTableTests {
  static func record(_ number: UInt64, _ links: [UInt64] = [], version: UInt64 = 1, hasLeft: Bool = false)
    -> MemberRecord
  {
    var record = MemberRecord(
      id: id(number), version: version, name: "n\(number)", address: "a", token: Octets32(), key: Octets32(),
      agreementKey: Octets32())
    record.links = links.map { id($0) }
    record.hasLeft = hasLeft
    return record
  }

  static func id(_ number: UInt64) -> PeerID { PeerID(high: 7, low: number) }

  /// The peer 0, which knows these.
  static func table(_ records: [MemberRecord], own: [UInt64] = []) -> MemberTable {
    var table = MemberTable(record(0, own))
    for record in records { _ = table.learn(record) }
    return table
  }

  static func survey(_ table: inout MemberTable, direct: [UInt64], now: Microseconds = 1)
    -> MemberTable.Change
  {
    table.survey(
      direct.map { (number: table.number(of: id($0)), link: LinkID($0) + 100) }.sorted {
        $0.number < $1.number
      },
      now: now)
  }

  @Test func aChainIsReachedByItsFirstLink() {
    var table = Self.table([Self.record(1, [2]), Self.record(2, [3]), Self.record(3, [])], own: [1])
    let change = Self.survey(&table, direct: [1])
    #expect(Set(change.came.map { table.entries[$0].id }) == Set([1, 2, 3].map { Self.id($0) }))
    #expect(table.reachable == 4 && (1...3).map { table.hops(to: Self.id($0)) } == [1, 2, 3])
    #expect((1...3).allSatisfy { table.way(to: Self.id($0)) == 101 })
    let end = Self.survey(&table, direct: [], now: 9)
    #expect(end.went.count == 3 && table.reachable == 1 && table.entry(Self.id(2))?.lostAt == 9)
  }

  /// A link counts when the peer at one end names it; but a peer that says it left is not reached, whatever
  /// others name.
  @Test func whoLeftIsNotReachedAnyMore() {
    var table = Self.table([Self.record(1, [2, 3]), Self.record(2, [1], hasLeft: true), Self.record(3, [])])
    _ = Self.survey(&table, direct: [1])
    #expect(table.hops(to: Self.id(2)) == nil && table.hops(to: Self.id(3)) == 2)
    #expect(Self.survey(&table, direct: [2]).came.isEmpty, "over its own link neither")
  }

  @Test(arguments: [(1, false), (2, false), (3, true), (.max, true)] as [(UInt64, Bool)])
  func onlyWhatIsNewerIsLearnt(_ version: UInt64, _ isNew: Bool) {
    var table = Self.table([Self.record(1, [5], version: 2)])
    #expect(table.learn(Self.record(1, [6], version: version)) == isNew)
    #expect(table.entry(Self.id(1))?.record?.links == [Self.id(isNew ? 6 : 5)])
  }

  @Test func somebodyWhoIsOnlyNamedIsNobodyYet() {
    var table = Self.table([Self.record(1, [2, 3])])
    _ = Self.survey(&table, direct: [1])
    #expect(table.reachable == 2 && table.known(Self.id(2)) == nil && table.hops(to: Self.id(2)) == nil)
    // Its record comes, and the old link counts.
    #expect(true == table.learn(Self.record(2)))
    _ = Self.survey(&table, direct: [1])
    #expect(table.hops(to: Self.id(2)) == 2 && table.hops(to: Self.id(3)) == nil)
  }

  @Test func aMemberThatNamesManyFillsNothing() {
    var table = Self.table([])
    for number in 1..<400 as Range<UInt64> {
      _ = table.learn(Self.record(number, (0..<256).map { 1_000_000 + number * 256 + $0 }))
    }
    #expect(table.entries.count == 400)
    // A peer that was named and not kept is linked as soon as its record comes.
    #expect(true == table.learn(Self.record(1_000_000 + 399 * 256 + 255)))
    _ = Self.survey(&table, direct: [399])
    #expect(table.hops(to: Self.id(1_000_000 + 399 * 256 + 255)) == 2)
  }

  @Test func aTableHasALimit() {
    var table = Self.table([])
    for number in 1..<UInt64(MemberTable.maximum) { #expect(true == table.learn(Self.record(number))) }
    #expect(!table.learn(Self.record(1 << 40)) && table.entries.count == MemberTable.maximum)
    #expect(
      true == table.learn(Self.record(5, version: 2)), "those that are known may still say something else")
  }

  // MARK: - Against a model

  struct Model {
    var links: [UInt64: Set<UInt64>] = [:]
    var left: Set<UInt64> = []
    var known: Set<UInt64> { Set(links.keys) }

    func hops(direct: [UInt64]) -> [UInt64: Int] {
      var hops: [UInt64: Int] = [0: 0]
      var edge = direct.filter { !left.contains($0) }
      for peer in edge { hops[peer] = 1 }
      var at = 1
      while !edge.isEmpty {
        at += 1
        var next: [UInt64] = []
        for peer in edge {
          for other in (links[peer] ?? []).sorted()
          where hops[other] == nil && known.contains(other) && !left.contains(other) {
            hops[other] = at
            next.append(other)
          }
        }
        edge = next
      }
      return hops
    }
  }

  @Test func whateverIsToldTheSearchFindsTheShortestWays() {
    for seed in 0..<150 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      var table = Self.table([]), model = Model(), versions: [UInt64: UInt64] = [:]
      for round in 0..<30 {
        for _ in 0..<3 {
          let peer = UInt64(random.number(1..<14))
          versions[peer, default: 0] += 1
          let links = Set((0..<random.number(0..<4)).map { _ in UInt64(random.number(0..<16)) })
          let hasLeft = random.chance(10)
          #expect(
            true
              == table.learn(
                Self.record(peer, links.sorted(), version: versions[peer] ?? 0, hasLeft: hasLeft)))
          model.links[peer] = links
          if hasLeft { model.left.insert(peer) } else { model.left.remove(peer) }
        }
        let direct = Array(Set((0..<random.number(0..<3)).map { _ in UInt64(random.number(1..<14)) }))
          .sorted()
        _ = Self.survey(&table, direct: direct, now: Microseconds(round))
        let expected = model.hops(direct: direct)
        for peer in 0..<16 as Range<UInt64> {
          #expect(
            table.hops(to: Self.id(peer)) == expected[peer], "seed \(seed), round \(round), peer \(peer)")
        }
        #expect(table.reachable == expected.count, "seed \(seed)")
        for peer in expected.keys where peer != 0 {
          guard let way = table.way(to: Self.id(peer)) else {
            Issue.record("no way to \(peer)")
            continue
          }
          #expect(direct.contains(UInt64(way - 100)), "seed \(seed)")
        }
      }
    }
  }

  @Test func whoKnowsTheSameHasTheSameSummary() {
    for seed in 0..<50 as Range<UInt64> {
      var random = SeededGenerator(seed: seed)
      let records = (1..<12).map { Self.record($0, [$0 + 1], version: UInt64(random.number(1..<99))) }
      var one = Self.table(records), other = Self.table(records.shuffled(using: &random))
      _ = Self.survey(&one, direct: [1])
      _ = Self.survey(&other, direct: [1])
      #expect(one.reachable == 12 && one.summary == other.summary)
      let changed = random.number(1..<12)
      var record = records[changed - 1]
      record.version += 1
      _ = other.learn(record)
      _ = Self.survey(&other, direct: [1])
      #expect(one.summary != other.summary)
    }
  }

  @Test func thoseThatWereLostLongAgoAreForgottenAndTheOthersStay() {
    var table = Self.table([Self.record(1, [2]), Self.record(2, [3]), Self.record(3, []), Self.record(4, [])])
    _ = Self.survey(&table, direct: [1], now: 10)
    // 4 was never reached; 3 goes at 20.
    _ = table.learn(Self.record(2, [], version: 2))
    _ = Self.survey(&table, direct: [1], now: 20)
    #expect(table.forget(lostBefore: 10) == [])
    #expect(Set(table.forget(lostBefore: 20)) == [Self.id(4)])
    #expect(table.entry(Self.id(3)) != nil)
    #expect(table.forget(lostBefore: 21) == [Self.id(3)] && table.entry(Self.id(3)) == nil)
    _ = Self.survey(&table, direct: [1], now: 30)
    #expect(table.hops(to: Self.id(2)) == 2 && table.reachable == 3)
    // A record that was forgotten may come again, with an old version too.
    #expect(table.learn(Self.record(3)) && table.learn(Self.record(2, [3], version: 3)))
    #expect(Self.survey(&table, direct: [1], now: 40).came.count == 1)
  }

  @Test func aLinkThatHoldsAllTogetherIsNotGivenUp() {
    var table = Self.table([Self.record(1, [2]), Self.record(2, [1]), Self.record(3, [1])])
    _ = Self.survey(&table, direct: [1, 3])
    let number = { (peer: UInt64) in table.known(Self.id(peer)) ?? 0 }
    let direct = [number(1), number(3)]
    #expect(table.survives(without: number(1), direct: direct), "3 leads to 1, which leads to 2")
    #expect(!table.survives(without: number(3), direct: direct), "nobody but 3 says that it has a link there")
  }
}

// SPDX-License-Identifier: MIT

/// A place of a file whose runs are counted.
public struct CoveragePoint: Codable, Hashable, Sendable {
  /// What is counted here.
  public var kind: CoverageKind
  /// From 1.
  public var line: Int
  /// From 1, in UTF-16 units.
  public var column: Int
  /// A function's name; empty for one without, and for what is none.
  public var name: String
  /// The decision that a branch belongs to; 0 for what is none.
  public var group: Int
}

/// How often the places of one file ran.
public struct FileCoverage: Codable, Sendable, Equatable {
  /// What reports call the file.
  public var file: String
  /// What is counted in it.
  public var points: [CoveragePoint]
  /// For each of the points.
  public var counts: [Int]
  /// Whether the engine did not take the file's text with counters, so that it ran without.
  public var isUncounted = false

  /// Makes the counts of a file.
  public init(file: String, points: [CoveragePoint] = [], counts: [Int] = [], isUncounted: Bool = false) {
    (self.file, self.points, self.counts) = (file, points, counts)
    self.isUncounted = isUncounted
  }

  /// Adds what another run counted in the same file.
  public mutating func add(_ other: FileCoverage) {
    isUncounted = isUncounted || other.isUncounted
    guard points == other.points else {
      // It was another text, or another half of it.
      points += other.points
      counts += other.counts
      return
    }
    for index in counts.indices { counts[index] += other.counts[index] }
  }
}

extension FileCoverage {
  /// How much of something ran.
  public struct Share: Sendable, Equatable {
    /// How many ran.
    public var covered = 0
    /// How many there are.
    public var total = 0

    /// Makes a share.
    public init(covered: Int = 0, total: Int = 0) { (self.covered, self.total) = (covered, total) }

    /// From 0 to 100; 100 of nothing.
    public var percent: Double { total == 0 ? 100 : Double(covered) * 100 / Double(total) }

    /// Both together.
    public static func + (left: Share, right: Share) -> Share {
      Share(covered: left.covered + right.covered, total: left.total + right.total)
    }
  }

  /// The share of the points of a kind.
  public func share(_ kind: CoverageKind) -> Share {
    var share = Share()
    for (point, count) in zip(points, counts) where point.kind == kind {
      share.total += 1
      if count > 0 { share.covered += 1 }
    }
    return share
  }

  /// How often each line ran where a statement begins: of several statements the one that ran most.
  public var lines: [(line: Int, count: Int)] {
    var lines: [Int: Int] = [:]
    for (point, count) in zip(points, counts) where point.kind == .statement {
      lines[point.line] = max(lines[point.line] ?? 0, count)
    }
    return lines.sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }

  /// The share of the lines.
  public var lineShare: Share {
    let lines = lines
    return Share(covered: lines.count { $0.count > 0 }, total: lines.count)
  }
}

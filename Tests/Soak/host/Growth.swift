// SPDX-License-Identifier: MIT

/// What a process held in the last third of its hours, beside what it held in the middle one. The first
/// third is for caches to fill.
struct Growth: CustomStringConvertible {
  private let looks: [Look]

  init(_ looks: [Look]) { self.looks = looks }

  /// Sanitizers keep what is freed: a few hours say nothing about memory.
  private static let fewest = 9
  private static let fewestForMemory = 24
  /// What has been let go of may still be ending: a worker's threads do so by themselves.
  private static let ending = 2

  var isFlat: Bool {
    guard looks.count >= Self.fewest else { return true }
    return [\Look.descriptors, \.threads].allSatisfy { most($0, last) <= most($0, middle) + Self.ending }
      && isMemoryFlat
  }

  private var isMemoryFlat: Bool {
    looks.count < Self.fewestForMemory || 100 * median(\.memory, last) <= 105 * median(\.memory, middle)
  }

  private var middle: ArraySlice<Look> { looks[(looks.count / 3)..<(2 * looks.count / 3)] }
  private var last: ArraySlice<Look> { looks[(2 * looks.count / 3)...] }

  private func most(_ value: KeyPath<Look, Int>, _ part: ArraySlice<Look>) -> Int {
    part.map { $0[keyPath: value] }.max() ?? 0
  }
  private func median(_ value: KeyPath<Look, Int>, _ part: ArraySlice<Look>) -> Int {
    part.map { $0[keyPath: value] }.sorted()[part.count / 2]
  }

  var description: String {
    guard looks.count >= Self.fewest else { return "\(looks.count) looks: too few to compare" }
    return """
      resident KiB, median of the middle third and of the last: \(median(\.memory, middle)), \
      \(median(\.memory, last)); descriptors, the most: \(most(\.descriptors, middle)), \
      \(most(\.descriptors, last)); threads: \(most(\.threads, middle)), \(most(\.threads, last)): \
      \(isFlat ? "flat" : "GROWN")
      """
  }
}

// SPDX-License-Identifier: MIT

/// Whether the addresses may be old that a session of libsoup's knows: it keeps those of a host for as long
/// as that is asked.
struct HostFreshness {
  /// When it began, in seconds.
  private let start: Int
  private var reached: Set<String> = []

  /// A host may have moved after so long, in seconds.
  private static let most = 60

  init(from start: Int) { self.start = start }

  mutating func reach(_ origin: String) { reached.insert(origin) }

  func isOver(at now: Int) -> Bool { now - start >= Self.most }

  /// Whether a host that can't be reached may have moved: it was there before.
  func mayHaveMoved(_ origin: String) -> Bool { reached.contains(origin) }
}

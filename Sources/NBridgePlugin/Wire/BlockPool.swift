// SPDX-License-Identifier: MIT

internal import NBridgeSystem
internal import Synchronization

/// Memory of large pieces of bytes, which is used again: a stream makes one after the other.
///
/// The allocator gives small things room in a large block that came back, and then takes another for the
/// next piece; fresh pages cost as much as to fill them. What waits here is bounded.
enum BlockPool {
  /// Larger ones are few, smaller ones cheap.
  static let sizes = 128 << 10...4 << 20
  private static let mostKept = 20 << 20

  private struct Block {
    let base: UInt
    let size: Int
  }
  private struct State {
    var blocks: [Block] = []
    var kept = 0
  }
  private static let state = Mutex<State>(State())

  /// Memory for so many bytes, which hold anything.
  static func take(_ capacity: Int) -> UnsafeMutableRawPointer {
    let size = rounded(capacity)
    let known = state.withLock { state -> UInt? in
      // The last one that came back is the one that the processor knows best.
      guard let index = state.blocks.lastIndex(where: { $0.size == size }) else { return nil }
      state.kept -= size
      return state.blocks.remove(at: index).base
    }
    if let known, let base = UnsafeMutableRawPointer(bitPattern: known) { return base }
    guard let made = FreshPages.take(size) else { fatalError("no memory for \(size) bytes") }
    return made
  }

  /// Takes memory back that ``take(_:)`` gave for so many bytes.
  static func give(_ base: UnsafeMutableRawPointer, _ capacity: Int) {
    let given = Block(base: UInt(bitPattern: base), size: rounded(capacity))
    let spare = state.withLock { state -> [Block] in
      state.blocks.append(given)
      state.kept += given.size
      var spare: [Block] = []
      while state.kept > mostKept {
        spare.append(state.blocks.removeFirst())
        state.kept -= spare[spare.count - 1].size
      }
      return spare
    }
    for block in spare { FreshPages.give(UnsafeMutableRawPointer(bitPattern: block.base), block.size) }
  }

  private static func rounded(_ capacity: Int) -> Int { (capacity + 0xFFFF) & ~0xFFFF }
}

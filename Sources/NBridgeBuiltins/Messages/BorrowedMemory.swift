// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// The memory of other engines that one has buffers over, by its address, as long as something keeps it.
/// Confined to the engine's thread.
struct BorrowedMemory {
  private struct Entry {
    weak var storage: Bytes.Storage?
  }

  private var entries: [UnsafeRawPointer: Entry] = [:]
  /// When what has gone is looked for next.
  private var most = 64

  mutating func add(_ storage: Bytes.Storage) {
    guard let start = storage.memory.baseAddress else { return }
    if entries.count >= most {
      entries = entries.filter { $0.value.storage != nil }
      most = max(64, 2 * entries.count)
    }
    entries[start] = Entry(storage: storage)
  }

  /// What keeps exactly this memory; nil for any other.
  func storage(of memory: UnsafeRawBufferPointer) -> Bytes.Storage? {
    guard let start = memory.baseAddress, let storage = entries[start]?.storage,
      storage.memory.count == memory.count
    else { return nil }
    return storage
  }
}

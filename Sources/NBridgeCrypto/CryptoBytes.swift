// SPDX-License-Identifier: MIT

internal import Glibc

/// Memory of a key, or of what is done with one: wiped when it goes, so that no later owner of the memory
/// reads a key in it. Any thread may read it; who makes it fills it before others know of it.
package final class CryptoBytes: Sendable {
  package nonisolated(unsafe) let memory: UnsafeMutableRawBufferPointer  // written before it is shared only
  private let capacity: Int

  /// What is larger is a message and no key: to wipe it would take as long as to read it.
  private static let largestKey = 1 << 20
  private static let largePage = 2 << 20
  /// MADV_HUGEPAGE (linux/mman.h), which glibc shows to GNU programs only.
  private static let adviseHugePages: Int32 = 14

  /// Makes up to `capacity` bytes: `fill` writes to memory that is zero, or to that of a message, which holds
  /// anything, and answers how many it wrote.
  package init<Failure: Error>(
    capacity: Int, _ fill: (UnsafeMutableRawBufferPointer) throws(Failure) -> Int
  ) throws(Failure) {
    let room = Self.allocate(capacity)
    do throws(Failure) {
      let count = try fill(room)
      precondition(0...capacity ~= count, "\(count) of \(capacity) bytes")
      memory = UnsafeMutableRawBufferPointer(rebasing: room[..<count])
    } catch {
      Self.free(room.baseAddress, capacity)
      throw error
    }
    self.capacity = capacity
  }

  /// Room for so many bytes, which its maker writes.
  package convenience init(count: Int) { self.init(capacity: count) { _ in count } }

  package convenience init(_ bytes: some Collection<UInt8>) {
    self.init(capacity: bytes.count) { room in
      room.copyBytes(from: bytes)
      return bytes.count
    }
  }

  deinit { Self.free(memory.baseAddress, capacity) }

  package var count: Int { memory.count }
  /// The memory, for as long as its owner is held: where that is certain, as in a call that is given it.
  package var bytes: UnsafeRawBufferPointer { UnsafeRawBufferPointer(memory) }
  /// A copy that is not wiped: of what is no secret.
  package var array: [UInt8] { Array(memory) }

  /// Copies so many of its first bytes.
  func copy(first count: Int, to room: UnsafeMutableRawBufferPointer) {
    room.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes[..<count]))
  }

  /// So many of its first bytes, the last first.
  func reversed(first count: Int) -> CryptoBytes {
    CryptoBytes(capacity: count) { room in
      for index in 0..<count { room[index] = memory[count - 1 - index] }
      return count
    }
  }

  /// Where the first byte lies; a place without meaning for none, since OpenSSL takes no null for empty.
  var start: UnsafePointer<UInt8> { UnsafePointer(room) }
  /// The same, to be written.
  var room: UnsafeMutablePointer<UInt8> {
    // `allocate` gives an address for no bytes, too.
    (memory.baseAddress ?? Self.nowhere).assumingMemoryBound(to: UInt8.self)
  }

  private nonisolated(unsafe) static let nowhere =  // never read and never written
    UnsafeMutableRawPointer.allocate(byteCount: 1, alignment: 1)

  private static func allocate(_ capacity: Int) -> UnsafeMutableRawBufferPointer {
    let isLarge = capacity >= 2 * largePage
    let memory = UnsafeMutableRawBufferPointer.allocate(
      byteCount: max(1, capacity), alignment: isLarge ? largePage : 16)
    // A wish, which may be refused: to touch small pages for the first time costs as much as the hash.
    if isLarge { madvise(memory.baseAddress, capacity / largePage * largePage, adviseHugePages) }
    if capacity <= largestKey { memory.initializeMemory(as: UInt8.self, repeating: 0) }
    return UnsafeMutableRawBufferPointer(rebasing: memory[..<capacity])
  }

  private static func free(_ base: UnsafeMutableRawPointer?, _ capacity: Int) {
    guard let base else { return }
    if capacity <= largestKey { explicit_bzero(base, capacity) }
    base.deallocate()
  }
}

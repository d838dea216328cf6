// SPDX-License-Identifier: MIT

import NBridgePlugin
import Testing

@testable import NBridgeBuiltins

/// What an engine knows of memory that others have lent to it.
@Suite struct BorrowedMemoryTests {
  private static func storage(_ count: Int) -> Bytes.Storage {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: count, alignment: 16)
    nonisolated(unsafe) let address = memory  // freed once
    return Bytes.Storage(UnsafeRawBufferPointer(memory), isLent: true) { address.deallocate() }
  }

  @Test func aLoanIsFoundByItsMemoryAsLongAsSomethingKeepsIt() {
    var borrowed = BorrowedMemory()
    var one: Bytes.Storage? = Self.storage(64)
    let memory = one.map { $0.memory } ?? UnsafeRawBufferPointer(start: nil, count: 0)
    if let one { borrowed.add(one) }
    #expect(borrowed.storage(of: memory) === one)
    #expect(borrowed.storage(of: UnsafeRawBufferPointer(rebasing: memory[..<32])) == nil)
    #expect(borrowed.storage(of: UnsafeRawBufferPointer(rebasing: memory[1...])) == nil)
    one = nil
    #expect(borrowed.storage(of: memory) == nil)
  }

  @Test func whatHasGoneIsForgottenAndTheRestKept() {
    var borrowed = BorrowedMemory()
    let kept = (0..<100).map { _ in Self.storage(16) }
    for storage in kept {
      borrowed.add(storage)
      for _ in 0..<10 { borrowed.add(Self.storage(16)) }
    }
    for storage in kept { #expect(borrowed.storage(of: storage.memory) === storage) }
  }
}

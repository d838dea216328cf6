// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import NBridgeSystem
import Synchronization
import Testing

/// What is made ready for a thread that runs into a fault.
@Suite struct CrashSignalsTests {
  /// A program may begin and end threads for ever.
  @Test func aThreadsStackForFaultsGoesWithIt() async {
    var gone = 0
    for _ in 0..<20 {
      let place = await withCheckedContinuation { (continuation: CheckedContinuation<UInt, Never>) in
        PlainThread.start("given") {
          CrashSignals.giveStack()
          var stack = stack_t()
          sigaltstack(nil, &stack)
          continuation.resume(returning: stack.ss_flags == 0 ? UInt(bitPattern: stack.ss_sp) : 0)
        }
      }
      #expect(place != 0)
      // Another thread may have been given the same memory since.
      for _ in 0..<200 where Self.isMapped(place) { usleep(1000) }
      if !Self.isMapped(place) { gone += 1 }
    }
    #expect(gone > 0)
  }

  private static func isMapped(_ place: UInt) -> Bool {
    var pages = [UInt8](repeating: 0, count: 1)
    return mincore(UnsafeMutableRawPointer(bitPattern: place), 4096, &pages) == 0
  }
}

// SPDX-License-Identifier: MIT

import Testing

@testable import NBridgePages

/// What a request wants of a file.
@Suite struct PageRangeTests {
  @Test(
    arguments: [
      (nil, 10, .whole), ("bytes=0-3", 10, .part(0..<4)), ("Bytes=9-9", 10, .part(9..<10)),
      ("bytes=4-", 10, .part(4..<10)), ("bytes=4-999999999999999999999", 10, .part(4..<10)),
      ("bytes=-3", 10, .part(7..<10)), ("bytes=-11", 10, .part(0..<10)),
      ("bytes=10-", 10, .nothing), ("bytes=99999999999999999999-", 10, .nothing), ("bytes=-0", 10, .nothing),
      ("bytes=0-", 0, .nothing), ("bytes=-1", 0, .nothing),
      ("bytes=6-5", 10, .whole), ("bytes=0-1,3-4", 10, .whole), ("bytes=", 10, .whole),
      ("bytes=-", 10, .whole),
      ("bytes=a-5", 10, .whole), ("bytes=+1-5", 10, .whole), ("bytes= 1-5", 10, .whole),
      ("lines=0-3", 10, .whole),
      ("bytes=10737418238-", 10_737_418_240, .part(10_737_418_238..<10_737_418_240)),
    ] as [(String?, Int, PageRange)])
  func aRangeMeansThat(_ text: String?, _ size: Int, _ wanted: PageRange) {
    #expect(PageRange(text, of: size) == wanted)
  }
}

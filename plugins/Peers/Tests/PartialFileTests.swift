// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import PeersPlugin

/// Files that are received, with and without a name until they are whole.
@Suite struct PartialFileTests {
  let place = OwnFolder()
  var folder: String { place.path }

  var names: [String] { (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? [] }

  @Test(arguments: [true, false]) func oneThatIsWholeHasItsContentAndNoOtherName(_ isNameless: Bool) throws {
    let file = try PartialFile(in: folder, isNameless: isNameless)
    try file.write([1, 2], at: 0)
    try file.write([3], at: 2)
    #expect(names.count == (isNameless ? 0 : 1))
    let path = try file.complete()
    file.giveUp()
    #expect(FileManager.default.contents(atPath: path) == Data([1, 2, 3]) && names.count == 1)
  }

  @Test(arguments: [true, false]) func oneThatIsGivenUpIsGone(_ isNameless: Bool) throws {
    do {
      let file = try PartialFile(in: folder, isNameless: isNameless)
      try file.write([1], at: 0)
      file.giveUp()
    }
    do { _ = try PartialFile(in: folder, isNameless: isNameless) }
    #expect(names.isEmpty)
  }

  @Test func aSweepLeavesWhatSomebodyHolds() throws {
    let file = try PartialFile(in: folder, isNameless: false)
    PartialFile.sweep(folder)
    #expect(names.count == 1)
    _ = try file.complete()
    PartialFile.sweep(folder)
    #expect(names.count == 1)
  }
}

// SPDX-License-Identifier: MIT

import Testing

@testable import NBridgeScript

/// Which modules may be called before they run.
@Suite struct ModuleCirclesTests {
  /// Of modules that need each other as the lists say, those that may be called early.
  private static func early(_ needs: [[Int]]) -> [Int] {
    let modules = needs.map { needs in
      var module = ModuleGraph.Module(kind: .module, path: "", url: "", source: "")
      module.needs = needs
      return module
    }
    let early = ModuleCircles(modules).mayBeCalledEarly
    return modules.indices.filter { early[$0] }
  }

  @Test func noneIsWithoutACircle() {
    #expect(Self.early([[1, 2], [3], [3], []]) == [])
    #expect(Self.early([]) == [])
  }

  @Test func thoseOfACircleAreAndWhatTheyNeed() {
    // 0 needs 1; 1 and 2 need each other; 2 needs 3, and 3 needs 4. 5 stands by itself.
    #expect(Self.early([[1, 5], [2], [1, 3], [4], [], []]) == [1, 2, 3, 4])
  }

  @Test func oneThatNeedsItselfIs() { #expect(Self.early([[0]]) == [0]) }

  @Test func aRequireIsANeed() {
    var modules = ["a.mjs", "b.cjs"].map {
      ModuleGraph.Module(kind: $0 == "a.mjs" ? .module : .commonJS, path: $0, url: $0, source: "")
    }
    modules[0].needs = [1]
    #expect(ModuleCircles(modules).mayBeCalledEarly == [false, false])
    modules[1].calls = ["./a.mjs": 0]
    #expect(ModuleCircles(modules).mayBeCalledEarly == [true, true])
  }

  /// A call of `import` asks for a module that has begun by then.
  @Test func anImportCallIsNone() {
    var module = ModuleGraph.Module(kind: .module, path: "", url: "", source: "")
    module.calls = ["./self.mjs": 0]
    #expect(ModuleCircles([module]).mayBeCalledEarly == [false])
  }

  /// As deep as a program may be: nothing here calls itself.
  @Test func aHundredThousandInARowAreNoTrouble() {
    let count = 100_000
    let row = (0..<count).map { $0 + 1 < count ? [$0 + 1] : [] }
    #expect(Self.early(row) == [])
    #expect(Self.early(row.dropLast() + [[0]]).count == count)
  }
}

// SPDX-License-Identifier: MIT

internal import JSEngine
internal import NBridgeBuiltins
internal import NBridgeScript

/// The counters of the modules that ran. Native memory holds them, so that they are there whatever stopped
/// the engine. Confined to the engine's thread.
final class CoverageCounters {
  private var modules: [(module: CountedModule, cells: SharedCells)] = []
  private var missed: [String] = []

  func add(_ module: CountedModule) -> SharedCells {
    let cells = SharedCells(count: max(1, module.count))
    modules.append((module, cells))
    return cells
  }

  /// A module ran without counters.
  func miss(_ module: ModuleGraph.Module) { missed.append(module.url) }

  /// What was counted so far.
  var files: [FileCoverage] {
    let counted = modules.flatMap { module, cells in
      // A count that went over is a large one all the same.
      module.coverage((0..<module.count).map { Int(UInt32(bitPattern: cells.cells[$0])) })
    }
    return counted + missed.map { FileCoverage(file: $0, isUncounted: true) }
  }
}

extension Runtime {
  /// Tells what ran of the program's own files.
  func tellCoverage() {
    guard let coverage, let setup = options.testing else { return }
    for file in coverage.files { setup.record(.covered(file)) }
  }
}

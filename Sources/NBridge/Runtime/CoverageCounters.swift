// SPDX-License-Identifier: MIT

internal import JSEngine
internal import NBridgeBuiltins
internal import NBridgeScript
internal import Synchronization

/// The counters of the modules that ran. Native memory holds them, so that they are there whatever stopped
/// the engine. Confined to the engine's thread.
final class CoverageCounters {
  private var modules: [(module: CountedModule, cells: SharedCells)] = []
  private var missed: [String] = []
  /// What ran in workers, each of which counts for itself.
  let workers = WorkerCoverage()

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

/// What the workers of a program counted, told as each of them ends. Any thread.
final class WorkerCoverage: Sendable {
  private let told = Mutex<[FileCoverage]>([])

  func add(_ files: [FileCoverage]) { told.withLock { $0 += files } }

  var files: [FileCoverage] { told.withLock { $0 } }
}

extension Runtime {
  /// Tells what ran of the program's own files: a worker its program, and that one the run.
  func tellCoverage() {
    guard let coverage else { return }
    if let program = options.worker?.coverage { return program.add(coverage.files) }
    guard let setup = options.testing else { return }
    for file in coverage.files + coverage.workers.files { setup.record(.covered(file)) }
  }
}

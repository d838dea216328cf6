// SPDX-License-Identifier: MIT

/// Which modules of a graph may be called before they run.
///
/// A module runs when all that it needs has run. So nothing sees one that has not, but where modules need
/// each other in a circle: one of those runs first, calls the others' functions, and through them those of
/// whatever they need. These are linked before anything runs, as all are in the language (ECMA-262,
/// 16.2.1.6.1.2); of the rest nobody can tell whether they were: they are made and run in one go, which is
/// quicker.
struct ModuleCircles {
  /// By the module's place in the graph.
  let mayBeCalledEarly: [Bool]

  /// Takes those away that nobody needs, until there are none (Kahn 1962): what is left stands in a circle or
  /// below one.
  init(_ modules: [ModuleGraph.Module]) {
    let needs = modules.map(Self.needs)
    var askers = [Int](repeating: 0, count: modules.count)
    for need in needs.joined() { askers[need] += 1 }
    var free = askers.indices.filter { askers[$0] == 0 }
    while let next = free.popLast() {
      for need in needs[next] {
        askers[need] -= 1
        if askers[need] == 0 { free.append(need) }
      }
    }
    mayBeCalledEarly = askers.map { $0 > 0 }
  }

  /// A call of `require` runs what it names, as a declaration does.
  private static func needs(_ module: ModuleGraph.Module) -> [Int] {
    module.kind == .module && !module.usesRequire ? module.needs : module.needs + module.calls.values
  }
}

// SPDX-License-Identifier: MIT

internal import NBridgeBuiltins

/// Libraries of programs, as the runner of `nbridge test`, for engines that are not this program's.
package enum PageLibraries {
  /// Libraries and all that they need of others, as JavaScript: an object of `{ needs, make }` by their
  /// names.
  /// Who evaluates it brings the timers, and what each has of the native side.
  package static func script(of libraries: String...) -> String {
    var names = libraries
    var text = "{ __proto__: null,\n"
    var next = 0
    while next < names.count {
      defer { next += 1 }
      guard names[next] != timers, let module = BuiltinList.modules[names[next]] else { continue }
      for need in module.needs where !names.contains(need.module) { names.append(need.module) }
      let needs = module.needs.map(\.script).joined(separator: ", ")
      text += "\"\(module.name)\": { needs: [\(needs)], make: \(module.source()) },\n"
    }
    return text + "}"
  }

  private static let timers = "timers"
}

extension BuiltinModule.Need {
  fileprivate var module: String {
    switch self {
    case .exports(_, let module), .export(_, let module, _), .module(let module, _), .later(_, let module, _):
      module
    }
  }

  /// Its kind, what of the module, the module, by which name.
  fileprivate var script: String {
    switch self {
    case .exports(let names, let module): "[\"exports\", \(names), \"\(module)\"]"
    case .export(let name, let module, let own): "[\"export\", \"\(name)\", \"\(module)\", \"\(own)\"]"
    case .module(let module, let own): "[\"module\", null, \"\(module)\", \"\(own)\"]"
    case .later(let name, let module, let own): "[\"later\", \"\(name)\", \"\(module)\", \"\(own)\"]"
    }
  }
}

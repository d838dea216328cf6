// SPDX-License-Identifier: MIT

internal import CNBridgeGLib

/// A place where a debugger wants the program to stop, in a script or in all of some name.
struct Breakpoint {
  /// Which scripts are meant, by what the debugger calls them.
  enum Scripts {
    case url(String)
    /// A regular expression of JavaScript's.
    case pattern(String)

    var isValid: Bool {
      guard case .pattern(let pattern) = self else { return true }
      guard let read = g_regex_new(pattern, GRegexCompileFlags(0), GRegexMatchFlags(0), nil) else {
        return false
      }
      g_regex_unref(read)
      return true
    }

    func mean(_ url: String) -> Bool {
      switch self {
      case .url(let name): url == name
      case .pattern(let pattern):
        g_regex_match_simple(pattern, url, GRegexCompileFlags(0), GRegexMatchFlags(0)) != 0
      }
    }
  }

  let id: String
  let scripts: Scripts
  let line: Int
  let column: Int?
  let condition: String?
  /// The engine's numbers, by the engine's names of scripts.
  var set: [String: String] = [:]
}

/// The breakpoints of a debugger. A script that has not run yet may be meant, too.
struct BreakpointTable {
  private(set) var all: [String: Breakpoint] = [:]

  mutating func add(_ breakpoint: Breakpoint) { all[breakpoint.id] = breakpoint }

  mutating func remove(_ id: String) -> Breakpoint? { all.removeValue(forKey: id) }

  mutating func note(_ id: String, _ engineID: String, in url: String) { all[id]?.set[url] = engineID }

  /// Those that are meant to be in a script and are not yet.
  func wanted(in clientURL: String, _ url: String) -> [Breakpoint] {
    all.values.filter { $0.set[url] == nil && $0.scripts.mean(clientURL) }.sorted { $0.id < $1.id }
  }

  /// The engine's number of one in a line of a script.
  func engineID(in url: String, line: Int) -> String? {
    all.values.compactMap { $0.line == line ? $0.set[url] : nil }.first
  }

  /// The debugger's number of one of the engine's.
  func id(of engineID: String) -> String? {
    all.values.first { $0.set.values.contains(engineID) }?.id
  }
}

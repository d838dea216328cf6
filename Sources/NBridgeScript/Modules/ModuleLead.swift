// SPDX-License-Identifier: MIT

/// Where a name leads that a running program asks about (`import.meta.resolve`, `require.resolve`), as Node
/// answers it: a name with a path is a URL whether or not anything is there, as long as a module asks;
/// `require` finds files.
package struct ModuleLead {
  /// Why it leads nowhere.
  package struct Problem {
    package let message: String
    /// Node's code for it.
    package let code: String
  }

  /// A URL, or for `require` a path; empty with a problem.
  package private(set) var place = ""
  package private(set) var problem: Problem?

  /// - Parameter find: the path, or the name of a module of the runtime, that is found for the name.
  package init(
    _ name: String, from module: ModuleGraph.Module, isRequire: Bool,
    find: () throws(BundleError) -> String
  ) {
    if !isRequire, let url = Self.url(name, from: module) {
      place = url
      return
    }
    do {
      let found = try find()
      // What a module of the runtime is called stays as it was asked for.
      if found.hasPrefix("node:") {
        place = isRequire ? name : found
      } else {
        place = isRequire ? found : FileURL.text(found)
      }
    } catch {
      let message = error.problems.first?.message ?? error.description
      let code = isRequire ? "MODULE_NOT_FOUND" : "ERR_MODULE_NOT_FOUND"
      problem = Problem(message: message, code: error.problems.first?.packageCode ?? code)
    }
  }

  /// A name that is a URL, or stands in one's place (WHATWG URL, relative references).
  private static func url(_ name: String, from module: ModuleGraph.Module) -> String? {
    if name.hasPrefix("node:") { return nil }
    if isURL(name) { return name }
    guard ["./", "../", "/"].contains(where: name.hasPrefix) || name == "." || name == ".." else {
      return nil
    }
    let end = name.firstIndex { $0 == "?" || $0 == "#" } ?? name.endIndex
    let path = DisplayPath(folder: DisplayPath.folder(of: module.path)).absolute(String(name[..<end]))
    let slash = ["/", "/.", "/.."].contains { name[..<end].hasSuffix($0) } || name == "." || name == ".."
    // What is escaped stays so.
    let escaped = path.split(separator: "%", omittingEmptySubsequences: false)
      .map { FileURL.escaped(String($0)) }.joined(separator: "%")
    return "file://" + escaped + (slash && path != "/" ? "/" : "") + name[end...]
  }

  private static func isURL(_ name: String) -> Bool {
    guard let colon = name.utf8.firstIndex(of: UInt8(ascii: ":")), colon > name.startIndex else {
      return false
    }
    let scheme = name[..<colon]
    return scheme.first?.isLetter == true
      && scheme.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || "+-.".contains($0)) }
  }
}

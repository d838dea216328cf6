// SPDX-License-Identifier: MIT

/// Where the `exports` or `imports` of a `package.json` send a name (Node's documentation, "Resolution
/// Algorithm Specification": PACKAGE_EXPORTS_RESOLVE, PACKAGE_IMPORTS_RESOLVE).
struct PackageTargets {
  enum Answer: Equatable {
    /// A path in full.
    case file(String)
    /// The name of another package, as only `imports` gives one.
    case name(String)
    case nothing
    /// No condition holds.
    case undefined
  }

  /// The package's own folder, without a slash at its end.
  let folder: String
  let conditions: Set<String>
  let isImports: Bool

  /// What a package gives for a path in it, `.` for its main module.
  func exported(_ subpath: String, _ exports: PackageField) -> Answer {
    let hasPaths = exports.members?.first?.name.hasPrefix(".") ?? false
    if subpath == ".", !hasPaths { return answer(exports, star: nil) }
    return hasPaths ? matched(subpath, exports) : .undefined
  }

  /// What the map has for a name: the name itself, else the pattern with the longest start.
  func matched(_ name: String, _ map: PackageField) -> Answer {
    guard let members = map.members else { return .undefined }
    if !name.contains("*"), !name.hasSuffix("/"), let found = map[name] { return answer(found, star: nil) }
    var best: (start: String, end: String, value: PackageField)?
    for member in members {
      let (key, value) = (member.name, member.value)
      let parts = key.split(separator: "*", omittingEmptySubsequences: false).map(String.init)
      guard parts.count == 2, name.hasPrefix(parts[0]), name != parts[0], name.hasSuffix(parts[1]),
        name.utf8.count >= key.utf8.count
      else { continue }
      let length = (parts[0].utf8.count, parts[1].utf8.count)
      if let best, length <= (best.start.utf8.count, best.end.utf8.count) { continue }
      best = (parts[0], parts[1], value)
    }
    guard let best else { return .undefined }
    let star = name.utf8.dropFirst(best.start.utf8.count).dropLast(best.end.utf8.count)
    return answer(best.value, star: String(decoding: Array(star), as: UTF8.self))
  }

  private func answer(_ target: PackageField, star: String?) -> Answer {
    switch target {
    case .nothing: return .nothing
    case .text(let text): return answer(text, star: star)
    case .object(let members):
      for member in members where member.name == "default" || conditions.contains(member.name) {
        let found = answer(member.value, star: star)
        if found != .undefined { return found }
      }
      return .undefined
    case .list(let list):
      var last = Answer.nothing
      for item in list {
        last = answer(item, star: star)
        if last != .undefined, last != .nothing { return last }
      }
      return last
    }
  }

  private func answer(_ target: String, star: String?) -> Answer {
    let whole = star.map { target.replacing("*", with: $0) } ?? target
    guard target.hasPrefix("./") else {
      let isName = isImports && !target.hasPrefix("../") && !target.hasPrefix("/")
      return isName && FileURL.scheme(of: target).map({ $0 == "node" }) ?? isName ? .name(whole) : .undefined
    }
    // A package gives nothing that is not its own.
    let parts = whole.dropFirst(2).split(omittingEmptySubsequences: false) { $0 == "/" || $0 == "\\" }
    let isOwn = !parts.contains { ["", ".", "..", "node_modules"].contains($0.lowercased()) }
    return isOwn ? .file(folder + whole.dropFirst()) : .undefined
  }
}

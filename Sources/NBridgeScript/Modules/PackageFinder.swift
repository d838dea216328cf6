// SPDX-License-Identifier: MIT

internal import NBridgeSystem

/// Finds what a package gives, where its `package.json` says so by `exports` or `imports`, under the
/// conditions that hold in Node. All else esbuild finds, by `main`.
struct PackageFinder {
  enum Answer {
    case file(String)
    case failure(String)
    /// The name of another package, to be found from a folder.
    case name(String, folder: String)
  }

  private let scope: ModuleScope
  /// By the folder, what stands in its `package.json`.
  private var known: [String: PackageField?] = [:]

  init(_ scope: ModuleScope) { self.scope = scope }

  /// Nil where esbuild is to find it.
  ///
  /// - Parameters:
  ///   - folder: of the module that asks.
  ///   - asFile: whether a path in a package without `exports` is a file's in full.
  mutating func find(
    _ name: String, from folder: String, isRequire: Bool, asFile: Bool, _ fingerprint: inout Fingerprint
  ) -> Answer? {
    let conditions: Set = ["node", "node-addons", isRequire ? "require" : "import"]
    let own = package(around: folder, &fingerprint)
    if name.hasPrefix("#") {
      guard let own, let imports = own.fields["imports"] else {
        // As in Node, `require` goes on to look for a package of that name.
        let place = own.map { "in '\($0.folder)/package.json'" } ?? "here: there is no package.json"
        return isRequire ? nil : .failure("\(Self.undefined)\(name)' is not defined \(place)")
      }
      let targets = PackageTargets(folder: own.folder, conditions: conditions, isImports: true)
      let refusal = "\(Self.undefined)\(name)' is not defined in '\(own.folder)/package.json'"
      return answer(targets.matched(name, imports), name, own.folder, refusal, &fingerprint)
    }
    guard let (package, subpath) = Self.parts(name) else { return nil }
    var found = own.flatMap { $0.fields["name"]?.string == package && $0.fields["exports"] != nil ? $0 : nil }
    if found == nil { found = self.package(package, from: folder, &fingerprint) }
    guard let found else { return nil }
    guard let exports = found.fields["exports"], !exports.isNothing else {
      let file = found.folder + subpath.dropFirst()
      guard asFile, subpath != "." else { return nil }
      return answer(.file(file), name, found.folder, "", &fingerprint)
    }
    let targets = PackageTargets(folder: found.folder, conditions: conditions, isImports: false)
    let place = "in '\(found.folder)/package.json'"
    let refusal =
      subpath == "."
      ? "\(Self.unexported[1])\(place)"
      : "\(Self.unexported[0])\(subpath)' is not defined by \"exports\" \(place)"
    return answer(targets.exported(subpath, exports), name, found.folder, refusal, &fingerprint)
  }

  /// Whether the package that a folder belongs to says that its scripts are modules of the language.
  mutating func isModule(around folder: String, _ fingerprint: inout Fingerprint) -> Bool {
    package(around: folder, &fingerprint)?.fields["type"]?.string == "module"
  }

  private static let unexported = ["Package subpath '", "No \"exports\" main defined "]
  private static let undefined = "Package import specifier '"

  /// Node's code for what ``find`` refuses.
  static func code(of refusal: String) -> String? {
    if unexported.contains(where: refusal.hasPrefix) { return "ERR_PACKAGE_PATH_NOT_EXPORTED" }
    return refusal.hasPrefix(undefined) ? "ERR_PACKAGE_IMPORT_NOT_DEFINED" : nil
  }

  private func answer(
    _ target: PackageTargets.Answer, _ name: String, _ folder: String, _ refusal: String,
    _ fingerprint: inout Fingerprint
  ) -> Answer {
    switch target {
    case .nothing, .undefined: return .failure(refusal)
    case .name(let other): return .name(other, folder: folder)
    case .file(let path):
      fingerprint.note(path)
      guard ScriptFile.isFile(path) else {
        return .failure("'\(name)' leads to '\(path)', and there is no such file")
      }
      return .file(RealPath(path)?.string ?? path)
    }
  }

  /// A package's name, and the path in it as `exports` names it; nil for what is no such name.
  private static func parts(_ name: String) -> (package: String, subpath: String)? {
    let parts = name.split(separator: "/", omittingEmptySubsequences: false)
    let count = name.hasPrefix("@") ? 2 : 1
    guard parts.count >= count, !parts[..<count].contains(""), !name.hasSuffix("/"),
      !name.contains(where: { "?#%\\".contains($0) }), FileURL.scheme(of: name) == nil
    else { return nil }
    let subpath = ([Substring(".")] + parts[count...]).joined(separator: "/")
    return (parts[..<count].joined(separator: "/"), subpath)
  }

  // MARK: - Files

  private typealias Package = (folder: String, fields: PackageField)

  /// The package that a folder belongs to.
  private mutating func package(around folder: String, _ fingerprint: inout Fingerprint) -> Package? {
    var at = folder
    while !at.hasSuffix("/node_modules") {
      if let fields = fields(of: at, &fingerprint) { return (at, fields) }
      guard at != "/", at.hasPrefix("/") else { return nil }
      at = DisplayPath.folder(of: at)
    }
    return nil
  }

  /// The package of a name, in the `node_modules` of a folder or of one above it.
  private mutating func package(_ name: String, from folder: String, _ fingerprint: inout Fingerprint)
    -> Package?
  {
    var at = folder
    while at.hasPrefix("/") {
      let place = (at == "/" ? "" : at) + "/node_modules/" + name
      if !at.hasSuffix("/node_modules"), ScriptFile.isFolder(place) {
        return fields(of: place, &fingerprint).map { (place, $0) }
      }
      guard at != "/" else { return nil }
      at = DisplayPath.folder(of: at)
    }
    return nil
  }

  private mutating func fields(of folder: String, _ fingerprint: inout Fingerprint) -> PackageField? {
    if let known = known[folder] { return known }
    let path = (folder == "/" ? "" : folder) + "/package.json"
    fingerprint.note(path)
    var fields: PackageField?
    // What is no plain file, or not to be read here, says nothing.
    if ScriptFile.isPlainFile(path, upTo: 1 << 24), let bytes = try? scope.read(path) {
      fields = PackageField(json: bytes)
    }
    known[folder] = .some(fields)
    return fields
  }
}

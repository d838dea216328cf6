// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgeSystem

/// Answers esbuild's questions about names and files.
struct ModuleHooks {
  /// The name that the first line imports.
  static let entry = "nbridge-entry"
  /// The namespace of a program that is no file.
  static let textEntry = "text-entry"
  /// The namespace of the runtime's own modules.
  static let builtin = "node"

  private let request: ModuleRequest
  private let paths: DisplayPath
  /// The modules that were read.
  var reader: ModuleReader
  private var settings: ProjectSettings
  private var packages: PackageFinder
  /// Whether only the place is looked for that the program's first name leads to.
  var onlyFinds = false
  private(set) var found: String?
  /// What is left out, because only calls ask for it.
  var leftOut = ModuleFaults()
  /// What went wrong here.
  private(set) var faults = ModuleFaults()
  /// What is asked for by calls of `require`.
  private(set) var required: Set<AskedName> = []

  init(_ request: ModuleRequest, _ paths: DisplayPath) {
    self.request = request
    settings = ProjectSettings(request.scope)
    packages = PackageFinder(request.scope)
    reader = ModuleReader(request, paths)
    self.paths = paths
  }

  /// What a module is called in lists.
  static func id(_ namespace: String, _ path: String) -> String { namespace + ":" + path }

  /// What the program's own module is called.
  var entryID: String {
    switch request.entry {
    case .file: Self.id("file", entryPath)
    case .text: Self.id(Self.textEntry, entryPath)
    }
  }

  mutating func answer(_ question: EsbuildValue, _ esbuild: EsbuildSession) throws(BundleError)
    -> EsbuildValue
  {
    let id = question["ids"].array.first ?? .null
    var answer: [String: EsbuildValue]
    switch question["command"].string {
    case "on-resolve":
      let asked = AskedName(
        module: Self.id(question["namespace"].string ?? "", question["importer"].string ?? ""),
        name: question["path"].string ?? "")
      if question["kind"].string == "require-call" { required.insert(asked) }
      answer = resolve(question)
      if leftOut.names.contains(asked) {
        answer = ["path": .string(asked.name), "external": .bool(true)]
      } else if answer["errors"] != nil {
        faults.names.insert(asked)
      }
    case "on-load": answer = try load(question, esbuild)
    default: return .object([:])
    }
    if !answer.isEmpty { answer["id"] = id }
    return .object(answer)
  }

  // MARK: - Names

  private mutating func resolve(_ question: EsbuildValue) -> [String: EsbuildValue] {
    var name = question["path"].string ?? ""
    if name == Self.entry { return entryPlace }
    let folder = question["resolveDir"].string ?? request.workingFolder
    let type = name.firstRange(of: ImportScan.typeMark).map { mark in
      defer { name = String(name[..<mark.lowerBound]) }
      return String(name[mark.upperBound...])
    }
    if let type, Self.loaders[type] == nil {
      return failure("a module can't be imported as '\(type)'; there are json, text and bytes")
    }
    let isInner = question["namespace"].string == Self.builtin
    if type == nil, let name = builtinName(name, isInner) { return place(name, Self.builtin) }
    if let mapped = mapped(name) {
      if let answer = scheme(mapped, type) { return answer }
      noteEndings(before: mapped)
      return place(SuffixedPath(mapped), type ?? "file")
    }
    if let answer = scheme(name, type) { return answer }
    if let reason = Self.emptiness(of: name) { return failure(reason) }
    let isPath = name.hasPrefix(".") || name.hasPrefix("/")
    // Before a look at the disk, whose answers would tell what there is.
    let path = paths.absolute(name.hasPrefix("/") ? name : folder + "/" + name)
    let isLookup = request.isLookup && question["namespace"].string == Self.textEntry
    if isPath || isLookup, let reason = request.scope.refusal(ofPlace: path) { return failure(reason) }
    if isPath {
      reader.fingerprint.look(for: path)
      if question["kind"].string != "require-call", let decoded = decoded(name, folder) {
        return place(decoded, type ?? "file")
      }
      if let instance = instance(path, type) { return instance }
      do { try settings.demand(around: path, &reader.fingerprint) } catch {
        return failure(error.description)
      }
    }
    settings.note(name, &reader.fingerprint)
    let isRequire = question["kind"].string?.hasPrefix("require") ?? false
    if let answer = package(name, folder, type, isRequire: isRequire) { return answer }
    if isPath, type == nil, let file = Self.wholeName(path) { return place(file, "file") }
    guard let type else { return [:] }
    guard name.hasPrefix(".") || name.hasPrefix("/") else {
      return failure("'\(name)' must be a path, as './\(name)', to be imported as \(type)")
    }
    return place(SuffixedPath(paths.absolute(name.hasPrefix("/") ? name : folder + "/" + name)), type)
  }

  /// What a path leads to that names a module's file with its ending: esbuild would read every folder above
  /// it to come to the same. Nil where there is something to look for.
  private static func wholeName(_ path: String) -> String? {
    let parts = path.afterLastSlash.split(separator: ".")
    guard parts.count > 1, let ending = parts.last, moduleEndings.contains(String(ending)),
      ScriptFile.isPlainFile(path, upTo: .max)
    else { return nil }
    return RealPath(path)?.string
  }

  private static let moduleEndings: Set<String> = ["js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx"]

  /// Why a name can't name anything; nil for one that may.
  private static func emptiness(of name: String) -> String? {
    if name.isEmpty || name.hasPrefix("?") {
      return "'\(name)' names no module; write the path of a file, as './module.js', or a package's name"
    }
    // To esbuild that is a URL without its scheme, which a bundle would leave to a browser.
    return name.hasPrefix("//") ? "'\(name)' is no path; a path in full begins with one '/'" : nil
  }

  /// What a package gives under the conditions of Node; nil where esbuild is to look.
  private mutating func package(_ name: String, _ folder: String, _ type: String?, isRequire: Bool)
    -> [String: EsbuildValue]?
  {
    guard !name.hasPrefix("."), !name.hasPrefix("/"), !settings.leads(name) else { return nil }
    let found = packages.find(
      name, from: folder, isRequire: isRequire, asFile: type != nil, &reader.fingerprint)
    switch found {
    case nil: return nil
    case .failure(let text): return failure(text)
    case .file(let path): return place(path, type ?? "file")
    case .name(let other, let folder):
      if type == nil, let name = builtinName(other, false) { return place(name, Self.builtin) }
      guard !other.hasPrefix("#") else {
        return failure("'\(name)' leads to '\(other)', which is no package")
      }
      return package(other, folder, type, isRequire: isRequire)
    }
  }

  /// The file that a name with `%20` in it means, as a URL does; nil where a file is really called so.
  private mutating func decoded(_ name: String, _ folder: String) -> SuffixedPath? {
    guard name.utf8.contains(UInt8(ascii: "%")) else { return nil }
    let isWhole = name.hasPrefix("/")
    let given = SuffixedPath(cutting: paths.absolute(isWhole ? name : folder + "/" + name)).path
    guard !ScriptFile.isFile(given),
      let url = FileURL(isWhole ? "file://" + name : FileURL.text(folder) + "/" + name)
    else { return nil }
    let path = paths.absolute(url.path)
    guard ScriptFile.isFile(path) else { return nil }
    reader.fingerprint.note(given)
    return SuffixedPath(path, suffix: url.suffix)
  }

  /// Notes what a name with `?` or `#` may mean; its place where esbuild would ask the disk for all of it,
  /// which may be too long for that.
  private mutating func instance(_ path: String, _ type: String?) -> [String: EsbuildValue]? {
    let cut = SuffixedPath(cutting: path)
    guard !cut.suffix.isEmpty else { return nil }
    // A file that is really called so comes first, and may come later.
    reader.fingerprint.note(path)
    reader.fingerprint.look(for: cut.path)
    guard type == nil, cut.suffix.utf8.count > 100, !ScriptFile.isFile(path),
      let real = RealPath(cut.path)
    else { return nil }
    return place(SuffixedPath(real.string ?? cut.path, suffix: cut.suffix), "file")
  }

  /// A name with a scheme; nil for one without.
  private mutating func scheme(_ name: String, _ type: String?) -> [String: EsbuildValue]? {
    guard let scheme = FileURL.scheme(of: name), scheme != "node" else { return nil }
    guard scheme == "file" else {
      return failure(
        """
        '\(ConcealedURL.text(name))' can't be imported: modules come from files, and nothing is loaded by \
        '\(scheme):'; save it beside the program, or install its package
        """)
    }
    guard let url = FileURL(name) else {
      return failure("'\(name)' is no URL of a file here, as file:///folder/module.js is one")
    }
    return place(SuffixedPath(url.path, suffix: url.suffix), type ?? "file")
  }

  /// A module of the runtime, without its prefix. What is in `node:internal/` only the others see; an import
  /// map comes before a name without the prefix.
  private func builtinName(_ name: String, _ isInner: Bool) -> String? {
    let plain = name.hasPrefix("node:") ? String(name.dropFirst(5)) : name
    if !isInner, plain.hasPrefix("internal/") || (plain == name && mapped(name) != nil) { return nil }
    return request.builtins("node:" + plain) == nil ? nil : plain
  }

  private mutating func builtinModule(_ name: String) -> [String: EsbuildValue] {
    let text = request.builtins("node:" + name) ?? ""
    reader.keep(builtin: name, text)
    return contents(Array(text.utf8), loader: "js", folder: request.workingFolder)
  }

  private func failure(_ text: String) -> [String: EsbuildValue] {
    // Every member has to be there: esbuild reads them unasked.
    let message: [String: EsbuildValue] = [
      "id": .string(""), "pluginName": .string(""), "text": .string(text), "location": .null,
      "notes": .array([]),
      "detail": .int(-1),
    ]
    return ["errors": .array([.object(message)])]
  }

  private var entryPlace: [String: EsbuildValue] {
    switch request.entry {
    case .file(let path): place(paths.absolute(path), "file")
    case .text(_, let folder, let name): place(folder + "/" + name, Self.textEntry)
    }
  }

  private func place(_ path: String, _ namespace: String) -> [String: EsbuildValue] {
    ["path": .string(path), "namespace": .string(namespace)]
  }

  private func place(_ file: SuffixedPath, _ namespace: String) -> [String: EsbuildValue] {
    var place = place(file.path, namespace)
    if !file.suffix.isEmpty { place["suffix"] = .string(file.suffix) }
    return place
  }

  /// Import maps (HTML standard, 8.1.6.2): the whole name first, else the longest prefix that ends with a
  /// slash.
  private func mapped(_ name: String) -> String? {
    if let target = request.imports[name] { return file(target) }
    let prefixes = request.imports.keys.filter { $0.hasSuffix("/") && name.hasPrefix($0) }
    guard let prefix = prefixes.max(by: { $0.utf8.count < $1.utf8.count }),
      let target = request.imports[prefix]
    else {
      return nil
    }
    return file(target + name.dropFirst(prefix.count))
  }

  /// A target as a file: as it stands, or with the ending that is there.
  private func file(_ target: String) -> String {
    if FileURL.scheme(of: target) != nil { return target }
    let whole = paths.absolute(target.hasPrefix("/") ? target : request.importsFolder + "/" + target)
    let found = SuffixedPath(whole)
    return (Self.endings.map { found.path + $0 }.first { ScriptFile.isFile($0) } ?? found.path) + found.suffix
  }

  private static let endings = ["", ".ts", ".tsx", ".js", ".mjs", ".jsx", ".json", "/index.ts", "/index.js"]

  /// Notes the files that would be taken instead of the one that was found, if they came.
  private mutating func noteEndings(before mapped: String) {
    let found = SuffixedPath(cutting: mapped).path
    for (place, ending) in Self.endings.enumerated() where found.hasSuffix(ending) && place > 0 {
      let plain = found.dropLast(ending.count)
      for other in Self.endings[..<place] { reader.fingerprint.note(plain + other) }
    }
  }

  // MARK: - Files

  private mutating func load(_ question: EsbuildValue, _ esbuild: EsbuildSession) throws(BundleError)
    -> [String: EsbuildValue]
  {
    let path = question["path"].string ?? ""
    let namespace = question["namespace"].string ?? ""
    let suffix = question["suffix"].string ?? ""
    let id = Self.id(namespace, path + suffix)
    let folder = DisplayPath.folder(of: path)
    defer { if !suffix.isEmpty { reader.note(suffix: suffix, of: id) } }
    if leftOut.modules.contains(id) {
      // When it changes, the program is put together anew.
      reader.note(path)
      return contents([], loader: "js", folder: request.workingFolder)
    }
    do {
      if namespace == Self.textEntry { return try textEntry(path, id, esbuild) }
      if onlyFinds, namespace == Self.builtin { return finds(Self.builtin + ":" + path) }
      if namespace == Self.builtin { return builtinModule(path) }
      if namespace == "file", let other = Self.otherCapitals(path) {
        reader.note(path)
        return failure(
          of: id,
          "there is no '\(paths.shown(path))' here; the file is called '\(other)', with other capitals")
      }
      if onlyFinds {
        try request.scope.demand(path)
        return finds(path)
      }
      let type = namespace == "file" ? nil : namespace
      let isEntry = id == entryID
      guard let loader = type.map({ Self.loaders[$0] ?? $0 }) ?? Self.loader(for: path, isEntry) else {
        return failure(
          of: id,
          "'\(paths.shown(path))' is no script; import it with { type: \"text\" } or { type: \"bytes\" }")
      }
      try settings.demand(around: folder, &reader.fingerprint)
      let seen = try reader.read(path, loader, id: id, isEntry: isEntry, esbuild)
      return contents(seen.bytes, loader: seen.loader, folder: folder)
    } catch let error as BundleError { throw error } catch { return failure(of: id, "\(error)") }
  }

  /// What the file is called that esbuild took for one: it doesn't tell capitals from small letters.
  private static func otherCapitals(_ path: String) -> String? {
    guard RealPath(path) == nil else { return nil }
    let name = String(path.afterLastSlash)
    return FolderNames.of(DisplayPath.folder(of: path)).first {
      $0 != name && $0.lowercased() == name.lowercased()
    }
  }

  /// Says why a module can't be read.
  private mutating func failure(of id: String, _ text: String) -> [String: EsbuildValue] {
    faults.modules.insert(id)
    return failure(text)
  }

  private mutating func finds(_ path: String) -> [String: EsbuildValue] {
    found = path
    return contents([], loader: "js", folder: request.workingFolder)
  }

  private mutating func textEntry(_ path: String, _ id: String, _ esbuild: EsbuildSession) throws
    -> [String: EsbuildValue]
  {
    guard case .text(let text, let folder, let name) = request.entry else { return [:] }
    let isOutside = request.isLookup && request.scope.refusal(ofPlace: folder + "/" + name) != nil
    if !isOutside { try settings.demand(around: folder, &reader.fingerprint) }
    let seen = try reader.script(
      text, path, request.isTyped ? "ts" : "js", id: id, url: name, isEntry: true, esbuild)
    return contents(seen.bytes, loader: seen.loader, folder: folder)
  }

  private func contents(_ bytes: [UInt8], loader: String, folder: String) -> [String: EsbuildValue] {
    ["contents": .bytes(bytes), "loader": .string(loader), "resolveDir": .string(folder)]
  }

  private var entryPath: String {
    switch request.entry {
    case .file(let path): paths.absolute(path)
    case .text(_, let folder, let name): folder + "/" + name
    }
  }

  /// What `with { type: … }` may say, and esbuild's names for it.
  private static let loaders = ["json": "json", "text": "text", "bytes": "binary"]

  /// The same for a file that may be called `b.js?x`. What a person names to be run is a script, whatever its
  /// name; and so is a file without an ending, as Node has it.
  private static func loader(for path: String, _ isEntry: Bool) -> String? {
    loader(for: path) ?? loader(for: SuffixedPath(cutting: path).path)
      ?? (isEntry || !path.afterLastSlash.contains(".") ? "js" : nil)
  }

  /// What a file is, by its ending; nil for one that can only be imported `with { type: … }`.
  static func loader(for path: String) -> String? {
    switch path.split(separator: "/").last?.split(separator: ".").last {
    case "js", "mjs", "cjs": "js"
    case "jsx": "jsx"
    case "ts", "mts", "cts": "ts"
    case "tsx": "tsx"
    case "json": "json"
    case "txt": "text"
    default: nil
    }
  }
}

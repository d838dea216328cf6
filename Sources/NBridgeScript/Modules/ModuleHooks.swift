// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgeSystem

/// Answers esbuild's questions about names and files.
struct ModuleHooks {
  /// The name that the bundle's first line imports.
  static let entry = "nbridge-entry"
  /// The namespace of a program that is no file.
  static let textEntry = SourceRegistry.textEntry
  private static let metaPrefix = "nbridge-meta:"
  /// The namespace of the runtime's own modules; a source map names them by it, as `node:path`.
  static let builtin = "node"

  private let request: BundleRequest
  private let paths: DisplayPath
  /// The files that were read, as they were then.
  private(set) var fingerprint = Fingerprint()
  private var settings: ProjectSettings
  /// Files that an import map, or a person, names: those may be missing.
  private var named: Set<String> = []

  init(_ request: BundleRequest, _ paths: DisplayPath) {
    self.request = request
    settings = ProjectSettings(request.scope)
    self.paths = paths
  }

  mutating func answer(_ question: EsbuildValue) -> EsbuildValue {
    let id = question["ids"].array.first ?? .null
    var answer: [String: EsbuildValue]
    switch question["command"].string {
    case "on-resolve": answer = resolve(question)
    case "on-load": answer = load(question)
    default: return .object([:])
    }
    if !answer.isEmpty { answer["id"] = id }
    return .object(answer)
  }

  // MARK: - Names

  private mutating func resolve(_ question: EsbuildValue) -> [String: EsbuildValue] {
    var name = question["path"].string ?? ""
    if name == Self.entry {
      named.insert(entryPath)
      return entryPlace
    }
    if name.hasPrefix(Self.metaPrefix) { return place(name, "meta") }
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
      named.insert(mapped)
      return place(mapped, type ?? "file")
    }
    if name.hasPrefix(".") || name.hasPrefix("/") {
      let path = paths.absolute(name.hasPrefix("/") ? name : folder + "/" + name)
      fingerprint.look(for: path)
      do { try settings.demand(around: path, &fingerprint) } catch { return failure(error.description) }
    }
    guard let type else { return [:] }
    guard name.hasPrefix(".") || name.hasPrefix("/") else {
      return failure("'\(name)' must be a path, as './\(name)', to be imported as \(type)")
    }
    return place(paths.absolute(name.hasPrefix("/") ? name : folder + "/" + name), type)
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
    fingerprint.add(builtin: "node:" + name, text)
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
    let path = paths.absolute(target.hasPrefix("/") ? target : request.importsFolder + "/" + target)
    let endings = ["", ".ts", ".tsx", ".js", ".mjs", ".jsx", ".json", "/index.ts", "/index.js"]
    return endings.map { path + $0 }.first { ScriptFile.isFile($0) } ?? path
  }

  // MARK: - Files

  private mutating func load(_ question: EsbuildValue) -> [String: EsbuildValue] {
    let path = question["path"].string ?? ""
    switch question["namespace"].string {
    case Self.builtin: return builtinModule(path)
    case "meta": return metaModule(String(path.dropFirst(Self.metaPrefix.count)))
    case Self.textEntry:
      guard case .text(let text, let folder, _) = request.entry else { return [:] }
      return script(text, path, loader: "js", folder: folder)
    // A name that a package's "browser" map takes out is asked for all the same.
    case "": return contents([], loader: "js", folder: request.workingFolder)
    case "file" where RealPath(path) == nil && !named.contains(path):
      return contents([], loader: "js", folder: request.workingFolder)
    case "file": return file(path, as: nil)
    case let type?: return file(path, as: type)
    default: return [:]
    }
  }

  private mutating func file(_ path: String, as type: String?) -> [String: EsbuildValue] {
    guard let loader = type.map({ Self.loaders[$0] ?? $0 }) ?? Self.loader(for: path) else {
      return failure(
        "'\(paths.shown(path))' is no script; import it with { type: \"text\" } or { type: \"bytes\" }")
    }
    let folder = DisplayPath.folder(of: path)
    do {
      let bytes = try request.scope.read(path)
      fingerprint.add(path, bytes)
      guard ["js", "jsx", "ts", "tsx"].contains(loader) else {
        return contents(bytes, loader: loader, folder: folder)
      }
      return script(try ScriptFile.text(bytes, "'\(path)'"), path, loader: loader, folder: folder)
    } catch {
      return failure(error.description)
    }
  }

  private mutating func script(_ text: String, _ path: String, loader: String, folder: String) -> [String:
    EsbuildValue]
  {
    do { try settings.demand(around: folder, &fingerprint) } catch { return failure(error.description) }
    let source = ScriptSource(url: path, text: text)
    let scan = ImportScan(source.text)
    var bytes = scan.prepared(source.text)
    if scan.usesPlace, !scan.usesMeta {
      bytes = Array("var __filename=\(Self.quoted(path)),__dirname=\(Self.quoted(folder));".utf8) + bytes
    }
    if path.contains("/node_modules/") { bytes = scan.withNodeGlobals(bytes) }
    // An import stands wherever it likes: at the end it moves no line.
    if scan.usesMeta { bytes += "\nimport \(ImportScan.meta) from \"\(Self.metaPrefix)\(path)\";\n".utf8 }
    if text.utf8.containsText("sourceMappingURL=") { hideMaps(&bytes, folder) }
    return contents(bytes, loader: loader, folder: folder)
  }

  private func contents(_ bytes: [UInt8], loader: String, folder: String) -> [String: EsbuildValue] {
    ["contents": .bytes(bytes), "loader": .string(loader), "resolveDir": .string(folder)]
  }

  /// A source map that a module names is read by esbuild itself: one that may not be read is named no more.
  private mutating func hideMaps(_ bytes: inout [UInt8], _ folder: String) {
    let mark = Array("sourceMappingURL=".utf8)
    for place in bytes.ranges(of: mark) {
      let name = String(decoding: bytes[place.upperBound...].prefix { $0 > 0x20 }, as: UTF8.self)
      if name.hasPrefix("data:") { continue }
      let path = paths.absolute(name.hasPrefix("/") ? name : folder + "/" + name)
      if !name.contains("%"), let map = try? request.scope.read(path) {
        fingerprint.add(path, map)
      } else {
        bytes[place.lowerBound] = UInt8(ascii: "-")
      }
    }
  }

  private func metaModule(_ path: String) -> [String: EsbuildValue] {
    let folder = DisplayPath.folder(of: path)
    let isMain = path == entryPath
    let text = """
      export default { url: \(Self.quoted("file://" + Self.escaped(path))), filename: \(Self.quoted(path)), \
      dirname: \(Self.quoted(folder)), main: \(isMain), __proto__: null };
      """
    return contents(Array(text.utf8), loader: "js", folder: folder)
  }

  private var entryPath: String {
    switch request.entry {
    case .file(let path): paths.absolute(path)
    case .text(_, let folder, let name): folder + "/" + name
    }
  }

  /// A JavaScript string literal.
  private static func quoted(_ text: String) -> String {
    var quoted = "\""
    for scalar in text.unicodeScalars {
      switch scalar {
      case "\"", "\\": quoted += "\\\(scalar)"
      case "\n": quoted += "\\n"
      case "\r": quoted += "\\r"
      default: quoted.unicodeScalars.append(scalar)
      }
    }
    return quoted + "\""
  }

  /// A path in a `file:` URL (WHATWG URL, path percent-encode set, and `%`).
  private static func escaped(_ path: String) -> String {
    path.utf8.map { byte in
      switch byte {
      case 0x21, 0x24, 0x26...0x3B, 0x3D, 0x40...0x5D, 0x5F, 0x61...0x7A, 0x7C, 0x7E:
        String(UnicodeScalar(byte))
      default: "%" + (byte < 16 ? "0" : "") + String(byte, radix: 16, uppercase: true)
      }
    }.joined()
  }

  /// What `with { type: … }` may say, and esbuild's names for it.
  private static let loaders = ["json": "json", "text": "text", "bytes": "binary"]

  private static func loader(for path: String) -> String? {
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

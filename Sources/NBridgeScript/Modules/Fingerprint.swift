// SPDX-License-Identifier: MIT

internal import CNBridgeChecksum
internal import CNBridgeGLib
internal import NBridgePlugin
internal import NBridgeSystem

/// What a bundle was made of, to tell later whether making it again would give the same: a SHA-256 of each
/// file as it was read, of the settings that packages and TypeScript projects have above it, and of the names
/// in each folder where an import could have found another file first.
struct Fingerprint {
  /// Digests by full path; a folder's path ends with a slash. Empty for what is not there. Modules of the
  /// runtime have names instead of paths, as `node:path`.
  private(set) var digests: [String: String] = [:]
  /// The files that the program imports.
  private(set) var files: Set<String> = []

  /// The folders whose surroundings are noted.
  private var surrounded: Set<String> = []

  init() {}

  /// A kept one. Answers nil when anything of it has changed since.
  init?(digests: [String: String], files: [String], _ builtins: (String) -> String? = { _ in nil }) {
    let isUnchanged = digests.allSatisfy { path, digest in
      digest
        == (path.hasPrefix("/") ? Self.digest(of: path) : builtins(path).map(Self.checksum))
    }
    guard isUnchanged else { return nil }
    self.digests = digests
    self.files = Set(files)
  }

  /// Notes a file with the bytes that were read from it.
  mutating func add(_ path: String, _ bytes: [UInt8]) {
    files.insert(path)
    digests[path] = Self.digest(bytes)
    let folder = path.hasSlash ? String(path.throughLastSlash) : "/"
    add(folder)
    addSurroundings(of: folder)
    addPackage(around: folder)
  }

  /// Notes a file that something else reads, whether it is there or not.
  mutating func note(_ path: String) { add(path) }

  /// Notes a module of the runtime.
  mutating func add(builtin name: String, _ text: String) { digests[name] = Self.checksum(text) }

  /// Notes the folders in which a name was looked for, so that a file that appears there is found.
  mutating func look(for path: String) {
    add(path.hasSlash ? String(path.throughLastSlash) : "/")
    // What is named in full is found first.
    if ScriptFile.isFile(path) { return }
    add(path + "/")
    add(path + "/package.json")
  }

  /// The folders between a file and the root of the package that it belongs to: a package's names are looked
  /// for in all of them. One that a link in `node_modules` leads to lies elsewhere.
  private mutating func addPackage(around folder: String) {
    var folders: [String] = []
    var at = folder
    while true {
      folders.append(at)
      if at.hasSuffix("/node_modules/") || at == "/" { break }
      if digests[at + "package.json"].map({ !$0.isEmpty }) ?? false { break }
      guard let slash = at.dropLast().lastSlash else { break }
      at = String(at[...slash])
    }
    // Without a package around it a name can only lead to the file's own folder.
    guard at != "/" else { return }
    for folder in folders { add(folder) }
  }

  /// What esbuild reads unasked on its way up from a folder, and the packages that it may find there.
  private mutating func addSurroundings(of folder: String) {
    var at = folder
    while surrounded.insert(at).inserted {
      for name in ["package.json", "tsconfig.json", "jsconfig.json", "node_modules/"] { add(at + name) }
      guard at != "/", let slash = at.dropLast().lastSlash else { return }
      at = String(at[...slash])
    }
  }

  private mutating func add(_ path: String) {
    if digests[path] == nil { digests[path] = Self.digest(of: path) }
  }

  /// A file's content; of a folder, the names that an import could mean: packages, or scripts (a folder of
  /// the same name comes after them).
  private static func digest(of path: String) -> String {
    guard path.hasSuffix("/") else { return (try? ScriptFile.bytes(path, plainOnly: true)).map(digest) ?? "" }
    guard let folder = ScriptFile.listing(of: path) else { return "" }
    var names = folder.names
    if path.hasSuffix("/node_modules/") {
      names += scoped(names, in: path)
    } else {
      names = names.filter(isScript)
    }
    // A link that leads elsewhere is another file.
    names = names.map { name in
      let mayBeLink = folder.links.contains(name) || name.hasPrefix("@")
      guard mayBeLink, let target = ScriptFile.target(ofLink: path + name) else { return name }
      // What it leads to at last: there may be links on the way.
      return name + " -> " + (RealPath(path + name)?.text ?? target)
    }
    // The folder itself may be behind a link.
    guard var list = folder.real?.text else { return "" }
    for name in names.sorted() {
      list.append("/")
      list.append(name)
    }
    return digest(Array(list.utf8))
  }

  /// The packages in scopes: `@scope/name`.
  private static func scoped(_ names: [String], in folder: String) -> [String] {
    names.filter { $0.hasPrefix("@") }.flatMap { scope in
      ScriptFile.names(in: folder + scope).filter { !$0.hasPrefix(".") }.map { scope + "/" + $0 }
    }
  }

  private static func isScript(_ name: String) -> Bool {
    guard let ending = name.split(separator: ".").last else { return false }
    return ["js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "json"].contains(ending)
  }

  /// Of what nobody would make alike on purpose: the runtime's own texts, and what may be damaged. XXH3 with
  /// 128 bits, in 32 hexadecimal digits.
  static func checksum(_ bytes: UnsafeBufferPointer<UInt8>) -> String {
    let digest = [UInt8](unsafeUninitializedCapacity: 16) { digest, count in
      nbridge_checksum(bytes.baseAddress, bytes.count, digest.baseAddress)
      count = 16
    }
    return digest.map { String(UInt16($0) + 256, radix: 16).dropFirst() }.joined()
  }

  private static func checksum(_ text: String) -> String {
    var text = text
    return text.withUTF8(checksum)
  }

  static func digest(_ bytes: [UInt8]) -> String {
    guard let text = g_compute_checksum_for_data(G_CHECKSUM_SHA256, bytes, gsize(bytes.count)) else {
      return ""
    }
    defer { g_free(text) }
    return String(cString: text)
  }
}

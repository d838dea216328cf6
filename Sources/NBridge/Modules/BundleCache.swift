// SPDX-License-Identifier: MIT

internal import CGLib
internal import Glibc
internal import NBridgePlugin

/// Bundles on disk, found again by what they were made of: an unchanged program starts no process.
///
/// A record holds a hash of each file, and of the names in each folder that an import could have found instead.
struct BundleCache {
  private let folder: String
  /// Raised when bundles come to be made in another way.
  private static let format = "nbridge-bundle 1, \(NBridgeVersion.current)"

  init(folder: String) { self.folder = folder }

  private struct Header: Codable {
    var format: String
    var hashes: [String: String]
    var text: Int
    var map: Int
  }

  /// The bundle of `request`, when nothing that it was made of has changed.
  func find(_ request: BundleRequest) -> Bundle? {
    guard let bytes = try? ScriptFile.bytes(path(request)), let end = bytes.firstIndex(of: 0x0A),
      let header = try? Value(text: Array(bytes[..<end])).decode(Header.self), header.format == Self.format,
      end + 1 + header.text + header.map == bytes.count,
      header.hashes.allSatisfy({ Self.hash(of: $0.key) == $0.value })
    else { return nil }
    let text = bytes[(end + 1)..<(end + 1 + header.text)]
    let map = bytes[(end + 1 + header.text)...]
    return Bundle(
      text: String(decoding: text, as: UTF8.self), map: String(decoding: map, as: UTF8.self),
      inputs: header.hashes.keys.filter { !$0.hasSuffix("/") }.sorted())
  }

  /// Keeps a bundle. A cache that can't be written is none: nothing is said.
  func keep(_ bundle: Bundle, for request: BundleRequest) {
    var hashes: [String: String] = [:]
    for input in bundle.inputs {
      hashes[input] = Self.hash(of: input)
      let folder = input.lastIndex(of: "/").map { String(input[...$0]) } ?? "/"
      if hashes[folder] == nil { hashes[folder] = Self.hash(of: folder) }
    }
    let header = Header(
      format: Self.format, hashes: hashes, text: bundle.text.utf8.count, map: bundle.map.utf8.count)
    guard let line = try? Value(encoding: header).text else { return }
    replace(path(request), with: line + [0x0A] + Array(bundle.text.utf8) + Array(bundle.map.utf8))
  }

  private func path(_ request: BundleRequest) -> String {
    let imports = request.imports.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(
      separator: "\n")
    let entry = "\(request.entry)\n\(request.workingFolder)\n\(request.importsFolder)\n\(imports)"
    return folder + "/" + Self.hash(Array(entry.utf8)).prefix(32) + ".bundle"
  }

  /// A file's content; of a folder, the names of scripts in it.
  private static func hash(of path: String) -> String {
    guard path.hasSuffix("/") else { return (try? ScriptFile.bytes(path)).map(hash) ?? "" }
    return hash(Array(ScriptFile.names(in: path).filter(isScript).sorted().joined(separator: "/").utf8))
  }

  private static func isScript(_ name: String) -> Bool {
    guard let ending = name.split(separator: ".").last else { return false }
    return ["js", "mjs", "cjs", "jsx", "ts", "mts", "cts", "tsx", "json"].contains(ending)
  }

  private static func hash(_ bytes: [UInt8]) -> String {
    guard let text = g_compute_checksum_for_data(G_CHECKSUM_SHA256, bytes, gsize(bytes.count)) else {
      return ""
    }
    defer { g_free(text) }
    return String(cString: text)
  }

  /// By rename, so that two runs at once see whole files; not synced, because a lost bundle is made again.
  private func replace(_ path: String, with bytes: [UInt8]) {
    guard g_mkdir_with_parents(folder, 0o700) == 0 else { return }
    let temporary = "\(path).\(getpid())"
    let file = open(temporary, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard file >= 0 else { return }
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes { write(file, $0.baseAddress.map { $0 + done }, bytes.count - done) }
      if count < 0, errno == EINTR { continue }
      if count <= 0 { break }
      done += count
    }
    close(file)
    if done < bytes.count || rename(temporary, path) != 0 { unlink(temporary) }
  }
}

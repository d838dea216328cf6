// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem

/// Linked programs on disk, found again by what they were made of: an unchanged program starts no process.
package struct ModuleCache {
  private let folder: String
  /// Raised when programs come to be linked in another way.
  private static let format = "nbridge-modules 16, \(NBridgeVersion.current)"
  /// When there are more of them than this, those that were not used for the longest time go, down to half of
  /// it.
  private static let limit = 128

  package init(folder: String) { self.folder = folder }

  /// The program of `request`, when nothing that it was made of has changed.
  package func find(_ request: ModuleRequest) -> ModuleGraph? {
    let path = path(request)
    guard ScriptFile.isOwn(folder), ScriptFile.isOwn(path),
      let bytes = try? ScriptFile.bytes(path, plainOnly: true), let graph = graph(in: bytes, request)
    else { return nil }
    _ = utimensat(AT_FDCWD, path, nil, 0)  // used now: what is not used goes first
    return graph
  }

  /// Begins what finds a program's modules, where none is kept: a moment before ``ModuleLoader`` needs it.
  package func prepare(_ request: ModuleRequest) {
    if access(path(request), F_OK) != 0 { EsbuildSession.prepare() }
  }

  private func graph(in bytes: [UInt8], _ request: ModuleRequest) -> ModuleGraph? {
    guard let content = Self.unsealed(bytes) else { return nil }
    var fields = FieldReader(content)
    guard let format = try? fields.text(), format == Self.format,
      let fingerprint = Fingerprint(from: &fields, request.builtins),
      var graph = try? ModuleGraph(from: &fields), fields.isAtEnd
    else { return nil }
    graph.fingerprint = fingerprint
    return graph
  }

  /// Keeps a program. A cache that can't be written is none: nothing is said.
  package func keep(_ graph: ModuleGraph, for request: ModuleRequest) {
    var fields = FieldWriter()
    fields.put(Self.format)
    graph.fingerprint.write(to: &fields)
    graph.write(to: &fields)
    let checksum = fields.bytes.withUnsafeBufferPointer(Fingerprint.checksum)
    replace(path(request), with: Array(checksum.utf8) + fields.bytes)
    prune()
  }

  /// What stands behind its own checksum; nil for what is damaged.
  private static func unsealed(_ bytes: [UInt8]) -> [UInt8]? {
    let checksum = bytes.prefix(32)
    let content = Array(bytes.dropFirst(32))
    let isWhole = content.withUnsafeBufferPointer { checksum.elementsEqual(Fingerprint.checksum($0).utf8) }
    return isWhole ? content : nil
  }

  private func path(_ request: ModuleRequest) -> String {
    var imports = ""
    for (name, target) in request.imports.sorted(by: { $0.key < $1.key }) { imports += "\(name)=\(target)\n" }
    // One name may stand for another file tomorrow: a release that a link leads to.
    let real = request.scope.entry?.text ?? ""
    let entry =
      """
      \(request.entry.key)
      \(real)
      \(request.workingFolder)
      \(request.importsFolder)
      \(imports)
      \(request.scope.key)
      \(request.isTyped) \(request.isLookup)
      """
    return folder + "/" + String(Fingerprint.digest(Array(entry.utf8)).prefix(32)) + ".bundle"
  }

  private func prune() {
    let paths = ScriptFile.names(in: folder).filter { !$0.hasPrefix(".") }.map { folder + "/" + $0 }
    guard paths.count > Self.limit else { return }
    let byAge = paths.map { (path: $0, used: Self.lastUse($0)) }.sorted { $0.used < $1.used }
    for old in byAge.prefix(paths.count - Self.limit / 2) { unlink(old.path) }
  }

  private static func lastUse(_ path: String) -> Int {
    var status = stat()
    return stat(path, &status) == 0 ? status.st_mtim.tv_sec * 1_000_000_000 + status.st_mtim.tv_nsec : 0
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

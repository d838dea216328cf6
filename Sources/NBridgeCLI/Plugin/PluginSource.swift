// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridge
internal import NBridgePlugin
internal import NBridgeSystem

/// What a person installs: a built plugin in a folder, in an archive, or in one at a URL.
struct PluginSource {
  /// Where it lies, ready to be copied.
  let folder: String
  /// Where it comes from, for another time: a URL, or a path without links.
  let origin: String
  /// What was unpacked for this and goes with it.
  private let scratch: String?

  /// Finds it, brings it and unpacks it.
  init(_ name: String) throws {
    if let address = PluginAddress(name) {
      let scratch = try Self.makeScratch()
      do {
        let archive = scratch + "/plugin.tar.gz"
        try address.bring(to: archive)
        (folder, origin) = (try Self.unpacked(archive, in: scratch, as: name), name)
      } catch {
        try? Path.remove(scratch)  // the error that matters is the first
        throw error
      }
      self.scratch = scratch
      return
    }
    guard let real = Path.real(name) else { throw PluginProblem("there is no folder or archive '\(name)'") }
    origin = real
    if Path.isFolder(real) {
      (folder, scratch) = (try PluginPlace.built(real, as: name), nil)
      try Self.checkNames(in: folder, of: name)
      return
    }
    let scratch = try Self.makeScratch()
    do { folder = try Self.unpacked(real, in: scratch, as: name) } catch {
      try? Path.remove(scratch)  // the error that matters is the first
      throw error
    }
    self.scratch = scratch
  }

  /// Removes what was unpacked.
  func remove() {
    if let scratch { try? Path.remove(scratch) }  // it lies in the folder for such things
  }

  private static func makeScratch() throws -> String {
    let parent = getenv("TMPDIR").map { String(cString: $0) } ?? "/tmp"
    var template = Array("\(parent)/nbridge-plugin-XXXXXX".utf8CString)
    guard mkdtemp(&template) != nil else {
      throw PluginProblem("can't make a folder in '\(parent)': \(SystemError.lastReason)")
    }
    return template.withUnsafeBufferPointer { $0.baseAddress.map { String(cString: $0) } ?? "" }
  }

  /// Unpacks an archive beside it, and finds the plugin: in its root, or in the one folder there.
  private static func unpacked(_ archive: String, in scratch: String, as name: String) throws -> String {
    let target = scratch + "/unpacked"
    try Path.makeFolders(target, mode: 0o700)
    let options = ["--no-same-owner", "--no-same-permissions", "--no-overwrite-dir"]
    try run(
      "tar", ["--extract", "--auto-compress", "--file", archive, "--directory", target] + options,
      else: "'\(name)' is no archive that tar can unpack, see above; an archive of a plugin is a .tar.gz")
    try checkNames(in: target, of: name)
    let names = try Path.list(target)
    if names.count == 1, let only = names.first, Path.isFolder("\(target)/\(only)"),
      !Path.isLink("\(target)/\(only)")
    {
      return try PluginPlace.built("\(target)/\(only)", as: name)
    }
    return try PluginPlace.built(target, as: name)
  }

  /// What no text can name is not left out in silence.
  private static func checkNames(in folder: String, of name: String) throws {
    guard let odd = Path.unreadableName(in: folder) else { return }
    throw PluginProblem(
      "'\(name)' holds a file whose name is not UTF-8, '\(odd)'; give that another name")
  }

  fileprivate static func run(_ program: String, _ arguments: [String], else problem: String) throws {
    let status: Int32
    do { status = try ChildProcess.start(program, arguments, streams: [0: .nothing]).wait() } catch {
      throw PluginProblem(
        error.code == ENOENT
          ? "the program '\(program)' is not there; install it with: apt install \(program)"
          : "'\(program)' can't be started: \(error.reason)")
    }
    if status != 0 { throw PluginProblem(problem) }
  }
}

/// The URL of an archive.
private struct PluginAddress {
  private let text: String

  /// Nil for what is a path.
  init?(_ text: String) {
    guard text.contains("://") else { return nil }
    self.text = text
  }

  /// Brings the archive into a file.
  func bring(to file: String) throws {
    if text.hasPrefix("http://"), !isOfThisMachine {
      throw PluginProblem(
        "'\(text)' is not https: whoever is on the way could put another plugin in its place")
    }
    guard ["https://", "http://", "file:///"].contains(where: text.hasPrefix) else {
      throw PluginProblem("'\(text)' must begin with https:// or file:///")
    }
    try PluginSource.run(
      "curl",
      ["--proto", "=https,http,file", "--proto-redir", "=https", "--location", "--fail", "--silent"]
        + ["--show-error", "--max-filesize", "1073741824", "--output", file, "--", text],
      else: "'\(text)' could not be brought, see above")
  }

  private var isOfThisMachine: Bool {
    let rest = text.dropFirst("http://".count)
    let host = rest.prefix { $0 != "/" && $0 != "?" && $0 != "#" }
    return ["localhost", "127.0.0.1", "[::1]"].contains { name in
      host == name || (host.hasPrefix(name + ":") && host.dropFirst(name.count + 1).allSatisfy(\.isNumber))
    }
  }
}

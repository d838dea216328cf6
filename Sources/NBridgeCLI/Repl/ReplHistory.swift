// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem

/// What was entered before, also at other prompts: a file to which every entry is appended as one JSON
/// string, so that entries of several lines and prompts at once don't mix. Lines that are damaged are passed
/// over.
struct ReplHistory {
  private(set) var entries: [String] = []
  /// Why nothing is kept; nil while it is.
  private(set) var problem: String?
  private let path: String?
  private let user: UInt32
  /// Whether the file is another user's.
  private var isForeign = false
  /// How much of the file was read.
  private var offset = 0
  /// How many entries there were, with those that are forgotten.
  private var added = 0
  private static let limit = 10_000
  /// Of a longer file, only the end is read.
  private static let readLimit = 4 << 20

  /// `NBRIDGE_REPL_HISTORY` names the file, empty for none; else it is in the user's state folder (XDG base
  /// directories 0.8).
  static var defaultPath: String? {
    if let given = getenv("NBRIDGE_REPL_HISTORY") { return given.pointee == 0 ? nil : String(cString: given) }
    if let state = getenv("XDG_STATE_HOME"), state.pointee == 0x2F {
      return String(cString: state) + "/nbridge/repl_history"
    }
    return getenv("HOME").map { String(cString: $0) + "/.local/state/nbridge/repl_history" }
  }

  /// - Parameter user: whose file it must be: what others wrote there is not offered to be run.
  init(path: String?, user: UInt32 = geteuid()) {
    self.path = path
    self.user = user
    refresh()
  }

  /// Reads what this or another prompt appended since. Answers all entries when there are more now.
  @discardableResult
  mutating func refresh() -> [String]? {
    let before = added
    read()
    return added == before ? nil : entries
  }

  private mutating func read() {
    guard let path, !isForeign else { return }
    // A pipe would wait for a writer.
    guard let file = try? Descriptor.open(path, O_RDONLY | O_NONBLOCK) else { return }
    var status = stat()
    guard fstat(file.number, &status) == 0, status.st_mode & S_IFMT == S_IFREG, isOwn(status) else { return }
    let size = Int(status.st_size)
    if size < offset { offset = 0 }
    offset = max(offset, size - Self.readLimit)
    guard let bytes = try? file.read(size - offset, at: offset), let end = bytes.lastIndex(of: 0x0A) else {
      return
    }
    offset += end + 1
    for line in bytes[..<end].split(separator: 0x0A) {
      if let entry = try? Value(text: Array(line)).decode(String.self) { append(entry) }
    }
  }

  /// Adds an entry. One that begins with a space is not kept in the file.
  mutating func add(_ entry: String) {
    refresh()
    guard !entry.hasPrefix(" "), entries.last != entry, path != nil else { return append(entry) }
    if var line = try? Value(encoding: entry).text {
      line.append(0x0A)
      if write(line) { return read() }
    }
    append(entry)
  }

  private mutating func append(_ entry: String) {
    if entries.last != entry {
      entries.append(entry)
      added += 1
    }
    if entries.count > Self.limit { entries.removeFirst(entries.count - Self.limit) }
  }

  private mutating func isOwn(_ status: stat) -> Bool {
    if status.st_uid == user { return true }
    isForeign = true
    problem =
      "the history in '\(path ?? "")' belongs to another user: it is not read, and nothing is kept; "
      + "NBRIDGE_REPL_HISTORY names another file"
    return false
  }

  /// One write at the end of the file: lines of prompts at once stay whole.
  private mutating func write(_ line: [UInt8]) -> Bool {
    guard let path, problem == nil else { return false }
    Self.makeFolder(of: path)
    let file: Descriptor
    do { file = try Descriptor.open(path, O_WRONLY | O_CREAT | O_APPEND | O_NOFOLLOW | O_NONBLOCK) } catch {
      problem = "the history can't be kept in '\(path)': \(error.reason)"
      return false
    }
    var status = stat()
    // `/dev/null` and its like keep nothing, and a prompt must not change them.
    guard fstat(file.number, &status) == 0, status.st_mode & S_IFMT == S_IFREG, isOwn(status) else {
      return false
    }
    fchmod(file.number, 0o600)
    // A line that another prompt left without its end would swallow this one.
    let reader = try? Descriptor.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK)
    let last = try? reader?.read(1, at: max(0, Int(status.st_size) - 1)).first
    do { try file.write(last ?? 0x0A == 0x0A ? line : [0x0A] + line) } catch {
      problem = "the history can't be kept in '\(path)': \(error.reason)"
      return false
    }
    return true
  }

  private static func makeFolder(of path: String) {
    var made = ""
    for part in path.split(separator: "/").dropLast() {
      made += path.hasPrefix("/") || !made.isEmpty ? "/\(part)" : "\(part)"
      mkdir(made, 0o700)
    }
  }
}

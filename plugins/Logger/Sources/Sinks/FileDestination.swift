// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem

/// When a log file is put aside, and what becomes of it.
struct RotationRules: Sendable {
  /// In bytes.
  var maximumSize = 10 << 20
  /// Since the program opened it, or since it was last written before that; in seconds.
  var maximumAge: Int?
  /// How many files are kept beside the current one.
  var keep = 5
  var compresses = true
}

/// A file that grows by whole records, and is put aside when it is large or old. Several processes may write
/// to the same.
final class FileDestination: LogDestination {
  private struct Open {
    var file: Descriptor
    var inode: ino_t
    var size: Int
    var since: Int
  }

  let kind = "file"
  /// How long this process waits for another one that puts the file aside, in milliseconds: that one may be
  /// stopped in the middle. The file grows then, for so many seconds until this process tries again.
  private static let (patience, pause) = (2000, 10)
  private let path: String
  /// The process that puts the file aside holds this lock.
  private let lockPath: String
  private let format: RecordFormat
  private let rules: RotationRules
  private nonisolated(unsafe) var current: Open?  // the sink's thread only
  private nonisolated(unsafe) var triesAgain = 0  // the sink's thread only
  /// How much of a chunk is written, when the disk was full in the middle of it.
  private nonisolated(unsafe) var begun: (first: Int, bytes: Int)?  // the sink's thread only

  init(_ path: String, _ format: RecordFormat, _ rules: RotationRules) {
    (self.path, self.format, self.rules) = (path, format, rules)
    lockPath = path.throughLastSlash + "." + path.afterLastSlash + ".lock"
  }

  func write(_ chunk: LogChunk, _ level: LogLevel) throws {
    let bytes = text(chunk, level)
    guard !bytes.isEmpty else { return }
    try open()
    let done = begun.flatMap { $0.first == chunk.first ? $0.bytes : nil } ?? 0
    if done == 0 { try rotateIfDue(bytes.count) }
    try writeAll(bytes.dropFirst(done), done, chunk.first)
  }

  private func text(_ chunk: LogChunk, _ level: LogLevel) -> ArraySlice<UInt8> {
    if format == .json { return chunk.bytes(atLeast: level) }
    var text = ""
    chunk.forEach(atLeast: level) { _, line in text += format.text(line) + "\n" }
    return Array(text.utf8)[...]
  }

  private func writeAll(_ bytes: ArraySlice<UInt8>, _ done: Int, _ first: Int) throws {
    guard let file = current?.file else { return }
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.write(file.number, $0.baseAddress.map { $0 + written }, $0.count - written)
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else {
        begun = (first, done + written)
        throw failure("write")
      }
      written += count
    }
    begun = nil
    current?.size += written
  }

  func sync() { if let current { fdatasync(current.file.number) } }

  // MARK: - The file

  private func failure(_ what: String) -> BridgeError {
    BridgeError.system("\(what) the log", path)
  }

  /// Opens the file, or opens it anew when another process has put it aside.
  private func open() throws {
    if let known = current {
      var status = stat()
      if lstat(path, &status) == 0, status.st_ino == known.inode { return }
      current = nil
    }
    let file: Descriptor
    do { file = try Descriptor.open(path, O_WRONLY | O_APPEND | O_CREAT | O_NOFOLLOW) } catch {
      throw BridgeError(SystemError("open the log", path, code: error.code))
    }
    var status = stat()
    fstat(file.number, &status)
    let now = time(nil)
    current = Open(
      file: file, inode: status.st_ino, size: Int(status.st_size),
      since: status.st_size > 0 ? Int(status.st_mtim.tv_sec) : now)
  }

  private func rotateIfDue(_ count: Int) throws {
    guard let known = current, known.size > 0, time(nil) >= triesAgain else { return }
    let isOld = rules.maximumAge.map { time(nil) - known.since >= $0 } ?? false
    // Records that other processes wrote to the file count, too.
    var status = stat()
    if fstat(known.file.number, &status) == 0 { current?.size = Int(status.st_size) }
    guard isOld || Int(status.st_size) + count > rules.maximumSize else { return }
    // The process that holds the lock puts the file aside; the others find a new one in its place.
    let lock = try? FileLock(at: lockPath)
    guard lock?.take(within: Self.patience) ?? true else {
      triesAgain = time(nil) + Self.pause
      return try open()
    }
    try withExtendedLifetime(lock) {
      if lstat(path, &status) == 0, status.st_ino == known.inode { RotatedFiles(path, rules).shift() }
      try open()
    }
  }
}

/// The files that were put aside: `app.log.1` is the latest, compressed ones end with `.gz`.
struct RotatedFiles {
  private let path: String
  private let rules: RotationRules

  init(_ path: String, _ rules: RotationRules) { (self.path, self.rules) = (path, rules) }

  /// Makes room and puts the current file aside. A reader of the file goes on reading it: it is renamed,
  /// never cut.
  func shift() {
    removeFrom(max(1, rules.keep))
    guard rules.keep > 0 else {
      unlink(path)
      return
    }
    for number in stride(from: rules.keep - 1, to: 0, by: -1) {
      for ending in ["", ".gz"] { rename("\(path).\(number)\(ending)", "\(path).\(number + 1)\(ending)") }
    }
    rename(path, "\(path).1")
    if rules.compresses, Gzip.compress("\(path).1", to: "\(path).1.gz") { unlink("\(path).1") }
  }

  /// Takes away the file that makes room, and the ones behind it of a time when more were kept.
  private func removeFrom(_ first: Int) {
    var (number, isThere) = (first, true)
    while isThere {
      let gone = ["", ".gz"].count { unlink("\(path).\(number)\($0)") == 0 }
      // Only the first one may be missing.
      isThere = gone > 0 || number == first
      number += 1
    }
  }
}

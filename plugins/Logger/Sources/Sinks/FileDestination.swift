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
  let kind = "file"
  /// How long this process waits for another one that writes or puts the file aside, in milliseconds: that
  /// one may be stopped in the middle. The file grows then, for so many seconds until this process tries
  /// again.
  private static let (patience, pause) = (2000, 10)
  private let path: String
  /// The process that puts the file aside holds this lock, too: the files before it are renamed.
  private let lockPath: String
  private let format: RecordFormat
  private let rules: RotationRules
  private nonisolated(unsafe) var current: LogFile?  // the sink's thread only
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
    let done = begun.flatMap { $0.first == chunk.first ? $0.bytes : nil } ?? 0
    var (file, isHeld) = try take()
    defer { if isHeld { file.release() } }
    if isHeld, done == 0, putAside(file, ifDueFor: bytes.count) {
      file.release()
      (file, isHeld) = try take()
    }
    if isHeld { file.mendEnd(format) }
    let (count, error) = file.append(bytes.dropFirst(done), isHeld: isHeld)
    begun = error.map { _ in (chunk.first, done + count) }
    if let error { throw BridgeError(SystemError("write the log", path, code: error)) }
  }

  private func text(_ chunk: LogChunk, _ level: LogLevel) -> ArraySlice<UInt8> {
    if format == .json { return chunk.bytes(atLeast: level) }
    var text = ""
    chunk.forEach(atLeast: level) { _, line in text += format.text(line) + "\n" }
    return Array(text.utf8)[...]
  }

  func sync() { current?.sync() }

  /// The file at the path, and whether its lock could be taken.
  private func take() throws -> (LogFile, Bool) {
    let end = MonotonicTime.milliseconds + (time(nil) >= triesAgain ? Self.patience : 0)
    while true {
      let file = try open()
      let isHeld = file.take(withinMilliseconds: max(0, end - MonotonicTime.milliseconds))
      if file.isInPlace {
        // Held all the time, or a file system without locks.
        if !isHeld, time(nil) >= triesAgain { triesAgain = time(nil) + Self.pause }
        return (file, isHeld)
      }
      if isHeld { file.release() }
    }
  }

  /// The open file, or the new one when another process has put it aside.
  private func open() throws -> LogFile {
    if let current, current.isInPlace { return current }
    current = nil
    let file = try LogFile(opening: path)
    current = file
    return file
  }

  /// Puts the file aside when it would become too large, or is old; answers whether it did.
  private func putAside(_ file: LogFile, ifDueFor count: Int) -> Bool {
    let size = file.size
    guard size > 0, time(nil) >= triesAgain else { return false }
    let isOld = rules.maximumAge.map { time(nil) - file.since >= $0 } ?? false
    guard isOld || size + count > rules.maximumSize else { return false }
    let lock = try? FileLock(at: lockPath)
    guard lock?.take(within: Self.patience) ?? true else {
      triesAgain = time(nil) + Self.pause
      return false
    }
    withExtendedLifetime(lock) { RotatedFiles(path, rules).shift() }
    return true
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

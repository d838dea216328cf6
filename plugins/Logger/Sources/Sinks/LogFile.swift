// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem

/// A log file that is open, to which several processes append.
///
/// A process holds the file's lock (flock(2)) while it appends. So it knows that half a line at the end is
/// what a killed writer has left: Linux cuts a write between two pages when the process is killed, or when
/// it ends while another of its threads writes.
struct LogFile {
  private let path: String
  private let file: Descriptor
  private let inode: ino_t
  /// When it was opened, or last written before that; in seconds of the clock.
  let since: Int

  private static let newline = UInt8(ascii: "\n")

  init(opening path: String) throws {
    self.path = path
    do { file = try Descriptor.open(path, O_RDWR | O_APPEND | O_CREAT | O_NOFOLLOW | O_NONBLOCK) } catch {
      throw BridgeError(SystemError("open the log", path, code: error.code))
    }
    var status = stat()
    fstat(file.number, &status)
    guard status.st_mode & S_IFMT == S_IFREG else {
      throw BridgeError(.ioError, "can't open the log '\(path)': it is no file")
    }
    inode = status.st_ino
    since = status.st_size > 0 ? Int(status.st_mtim.tv_sec) : time(nil)
  }

  /// Whether the path still leads to it: another process may have put it aside.
  var isInPlace: Bool {
    var status = stat()
    return lstat(path, &status) == 0 && status.st_ino == inode
  }

  /// In bytes, with what other processes wrote.
  var size: Int {
    var status = stat()
    return fstat(file.number, &status) == 0 ? Int(status.st_size) : 0
  }

  func sync() { fdatasync(file.number) }

  /// Takes the lock; false when another process has it all the time, or the file is put aside meanwhile.
  func take(withinMilliseconds time: Int) -> Bool {
    FileLock.take(file.number, within: time, unless: { !isInPlace })
  }

  func release() { FileLock.release(file.number) }

  /// Appends bytes; answers how many stand there and, when that are not all, the error's number.
  ///
  /// - Parameter isHeld: whether the lock is held. Then only whole lines stay of what a full disk cut.
  func append(_ bytes: ArraySlice<UInt8>, isHeld: Bool) -> (count: Int, error: Int32?) {
    let start = size
    var written = 0
    while written < bytes.count {
      let count = bytes.withUnsafeBytes {
        write(file.number, $0.baseAddress.map { $0 + written }, $0.count - written)
      }
      if count < 0, errno == EINTR { continue }
      guard count >= 0 else {
        let code = errno
        return (isHeld ? cutToLines(bytes.prefix(written), start) : written, code)
      }
      written += count
    }
    return (written, nil)
  }

  /// Cuts off the part of a line that was written last; answers how many of the bytes stay.
  private func cutToLines(_ written: ArraySlice<UInt8>, _ start: Int) -> Int {
    let whole = written.lastIndex(of: Self.newline).map { $0 + 1 - written.startIndex } ?? 0
    // A program that knows nothing of the lock may have written behind it.
    guard size == start + written.count, ftruncate(file.number, off_t(start + whole)) == 0 else {
      return written.count
    }
    return whole
  }

  /// Sees to it that the next record begins a line; the lock is held. Half a JSON record of a killed writer
  /// is cut off: nobody was told that it is written, and readers of JSON lines stop at it. Other text is
  /// kept, and its line ended.
  func mendEnd(_ format: RecordFormat) {
    let size = size
    guard size > 0, byte(at: size - 1) != Self.newline else { return }
    if format == .json, let start = startOfLine(before: size), byte(at: start) == UInt8(ascii: "{"),
      ftruncate(file.number, off_t(start)) == 0
    {
      return
    }
    _ = append([Self.newline], isHeld: true)
  }

  /// Where the line begins that ends at a place; nil when the file can't be read.
  private func startOfLine(before end: Int) -> Int? {
    var end = end
    while end > 0 {
      let start = max(0, end - 1 << 16)
      guard let bytes = read(start..<end) else { return nil }
      if let last = bytes.lastIndex(of: Self.newline) { return start + last + 1 }
      end = start
    }
    return 0
  }

  private func byte(at place: Int) -> UInt8? { read(place..<place + 1)?.first }

  private func read(_ range: Range<Int>) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: range.count)
    return pread(file.number, &bytes, bytes.count, off_t(range.lowerBound)) == bytes.count ? bytes : nil
  }
}

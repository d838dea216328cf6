// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
internal import NBridgeSystem

/// The file that a recording is written to, through a window of shared memory: what was put in is the file's
/// at once, also when the process is killed, and costs no system call. Space is reserved before it is written
/// to, so that a full disk is an error and no signal. Used by one thread at a time.
final class RecordingFile {
  private let file: Int32
  // One thread, no reentrance: the run-time checks would cost more than the work between them.
  @exclusivity(unchecked) private var window: UnsafeMutableRawPointer?
  /// Where the window begins in the file.
  @exclusivity(unchecked) private var base = 0
  @exclusivity(unchecked) private var used = 0
  private static let windowSize = 1 << 20

  /// Makes the file, for its owner only. Writes over a recording that no process is writing, and over nothing
  /// else.
  init(_ path: String) throws(RecordingError) {
    file = open(path, O_RDWR | O_CREAT | O_CLOEXEC | O_NONBLOCK | O_NOCTTY, 0o600)
    guard file >= 0 else { throw RecordingError("can't write the recording '\(path)': \(Self.reason)") }
    do throws(RecordingError) {
      try demandOwn(path)
      guard ftruncate(file, 0) == 0, fchmod(file, 0o600) == 0, map(at: 0) else {
        throw RecordingError("can't write the recording '\(path)': \(Self.reason)")
      }
      _ = Recording.mark.withContiguousStorage { copy($0) }
    } catch {
      Glibc.close(file)
      throw error
    }
  }

  private func demandOwn(_ path: String) throws(RecordingError) {
    var status = stat()
    guard fstat(file, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
      throw RecordingError("can't write the recording '\(path)': it is no regular file")
    }
    guard status.st_uid == geteuid() else {
      throw RecordingError("can't write the recording '\(path)': it belongs to somebody else")
    }
    // Two that write one file would make nothing of it that can be read, and cut each other's memory off.
    guard flock(file, LOCK_EX | LOCK_NB) == 0 else {
      throw RecordingError("can't write the recording '\(path)': another nbridge writes it just now")
    }
    let mark = Array(Recording.mark.utf8.dropLast(2))
    var start = [UInt8](repeating: 0, count: mark.count)
    guard status.st_size == 0 || pread(file, &start, start.count, 0) == mark.count && start == mark else {
      throw RecordingError(
        "'\(path)' is there and is no recording; it stays as it is. Name another file, or remove it")
    }
  }

  private static var reason: String { SystemError.lastReason }

  deinit { close() }

  /// Puts the window at `offset`. Answers false when there is no room.
  private func map(at offset: Int) -> Bool {
    if let window { munmap(window, Self.windowSize) }
    window = nil
    let failure = posix_fallocate(file, offset, Self.windowSize)
    if failure != 0 {
      errno = failure
      return false
    }
    let made = mmap(nil, Self.windowSize, PROT_READ | PROT_WRITE, MAP_SHARED, file, offset)
    guard let made, made != MAP_FAILED else { return false }
    (window, base, used) = (made, offset, 0)
    return true
  }

  /// Appends a frame. Its first byte is written last: as long as that is zero, a reader knows that there is
  /// nothing yet. Answers false when the disk took no more, with `errno` set; what was written before stays.
  func append(_ length: UnsafeRawBufferPointer, _ content: UnsafeRawBufferPointer) -> Bool {
    if let window, used + length.count + content.count <= Self.windowSize, let size = length.baseAddress,
      let body = content.baseAddress
    {
      let target = window + used
      (target + 1).copyMemory(from: size + 1, byteCount: length.count - 1)
      (target + length.count).copyMemory(from: body, byteCount: content.count)
      target.storeBytes(of: length[0], as: UInt8.self)
      used += length.count + content.count
      return true
    }
    return appendAcross(length, content)
  }

  /// The same for a frame that does not fit into the window.
  private func appendAcross(_ length: UnsafeRawBufferPointer, _ content: UnsafeRawBufferPointer) -> Bool {
    let start = base + used
    guard let first = length.first, skipByte(), copy(UnsafeRawBufferPointer(rebasing: length.dropFirst())),
      copy(content)
    else { return false }
    if start >= base, let window {
      (window + (start - base)).storeBytes(of: first, as: UInt8.self)
      return true
    }
    return withUnsafeBytes(of: first) { pwrite(file, $0.baseAddress, 1, start) == 1 }
  }

  private func skipByte() -> Bool {
    if used == Self.windowSize, !map(at: base + Self.windowSize) { return false }
    used += 1
    return true
  }

  private func copy(_ bytes: UnsafeRawBufferPointer) -> Bool {
    var done = 0
    while done < bytes.count {
      if used == Self.windowSize, !map(at: base + Self.windowSize) { return false }
      guard let window, let source = bytes.baseAddress else { return false }
      let count = min(bytes.count - done, Self.windowSize - used)
      (window + used).copyMemory(from: source + done, byteCount: count)
      used += count
      done += count
    }
    return true
  }

  private var isClosed = false

  /// Cuts the file at its end. Nothing may be appended afterwards.
  func close() {
    if isClosed { return }
    isClosed = true
    let length = base + used
    if let window { munmap(window, Self.windowSize) }
    window = nil
    _ = ftruncate(file, length)
    Glibc.close(file)
  }
}

extension String {
  fileprivate func withContiguousStorage(_ body: (UnsafeRawBufferPointer) -> Bool) -> Bool {
    var text = self
    return text.withUTF8 { body(UnsafeRawBufferPointer($0)) }
  }
}

// SPDX-License-Identifier: MIT

internal import Glibc

/// A lock between processes on an open file (flock(2)): the kernel lets it go with the file's last
/// descriptor, however the process ends. It belongs to what was opened, so two that open the same file shut
/// each other out, in one process, too. Nothing waits here without a bound: the holder of a lock may be
/// stopped.
public struct FileLock: Sendable {
  /// Which other holders it may have.
  public enum Kind: Sendable {
    /// None.
    case exclusive
    /// Others that share it.
    case shared
  }

  /// How long one waits for another process, in milliseconds, where nothing says otherwise.
  public static let patience = 5000

  /// In microseconds.
  private static let (shortestPause, longestPause): (UInt32, UInt32) = (50, 2000)

  /// The file whose lock it is.
  public let file: Descriptor

  /// The lock of a file that is open; it has no holder yet.
  public init(_ file: Descriptor) { self.file = file }

  /// Opens a file for its lock, and makes it where there is none.
  public init(at path: String) throws(SystemError) {
    file = try Descriptor.open(path, O_RDWR | O_CREAT | O_NOFOLLOW)
  }

  /// Takes it if it is free; false when it has another holder.
  ///
  /// - Throws: when the file can't be locked at all.
  public func attempt(_ kind: Kind = .exclusive) throws(SystemError) -> Bool {
    try Self.attempt(file.number, kind)
  }

  /// Takes it if it is free; false when it was not, whatever for.
  @discardableResult
  public func tryTake(_ kind: Kind = .exclusive) -> Bool { Self.tryTake(file.number, kind) }

  /// Takes it, and waits for it while it has another holder; false when that was so all the time.
  ///
  /// - Parameters:
  ///   - milliseconds: how long to wait at most; 0 to try once.
  ///   - isOver: whether the caller does not want it any more, asked while it waits.
  public func take(
    _ kind: Kind = .exclusive, within milliseconds: Int = patience, unless isOver: () -> Bool = { false }
  ) -> Bool {
    Self.take(file.number, kind, within: milliseconds, unless: isOver)
  }

  /// Lets it go, for others or to be taken again.
  public func release() { Self.release(file.number) }
}

// MARK: - Of a descriptor's number

extension FileLock {
  /// ``attempt(_:)`` for a file that has another owner.
  public static func attempt(_ number: Int32, _ kind: Kind = .exclusive) throws(SystemError) -> Bool {
    while true {
      if lock(number, kind) { return true }
      if errno == EWOULDBLOCK { return false }
      if errno != EINTR { throw .last("lock") }
    }
  }

  /// ``tryTake(_:)`` for a file that has another owner.
  @discardableResult
  public static func tryTake(_ number: Int32, _ kind: Kind = .exclusive) -> Bool {
    while !lock(number, kind) { if errno != EINTR { return false } }
    return true
  }

  /// ``take(_:within:unless:)`` for a file that has another owner.
  public static func take(
    _ number: Int32, _ kind: Kind = .exclusive, within milliseconds: Int = patience,
    unless isOver: () -> Bool = { false }
  ) -> Bool {
    // A caller may wait for centuries.
    let (sum, isPast) = MonotonicTime.milliseconds.addingReportingOverflow(milliseconds)
    let end = isPast ? .max : sum
    var pause = shortestPause
    while !lock(number, kind) {
      if errno == EINTR { continue }
      guard errno == EWOULDBLOCK, MonotonicTime.milliseconds < end, !isOver() else { return false }
      usleep(pause)
      pause = min(2 * pause, longestPause)
    }
    return true
  }

  /// ``release()`` for a file that has another owner.
  public static func release(_ number: Int32) { flock(number, LOCK_UN) }

  private static func lock(_ number: Int32, _ kind: Kind) -> Bool {
    flock(number, (kind == .shared ? LOCK_SH : LOCK_EX) | LOCK_NB) == 0
  }
}

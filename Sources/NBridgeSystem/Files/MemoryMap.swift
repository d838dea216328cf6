// SPDX-License-Identifier: MIT

internal import Glibc

/// Bytes of a file as memory (mmap(2)), until it goes. The file may be closed meanwhile, and must not be cut
/// off: a thread that touches what is behind its end gets a signal.
public struct MemoryMap: ~Copyable {
  /// Whether other mappings of the file see the changes.
  public enum Sharing: Sendable {
    /// What is written is the file's, and all processes that map it see it.
    case shared
    /// What is written is this mapping's own.
    case own
  }

  /// Where it lies: pages of the system's, so that any number may begin there.
  public let start: UnsafeMutableRawPointer
  /// In bytes.
  public let count: Int

  /// Maps so many bytes of an open file.
  ///
  /// - Parameters:
  ///   - offset: in bytes, of whole pages.
  ///   - isWritable: whether it may be written to; a shared one needs a file that is open for writing then.
  public init(
    _ number: Int32, count: Int, offset: Int = 0, isWritable: Bool = true, _ sharing: Sharing = .shared
  ) throws(SystemError) {
    let access = isWritable ? PROT_READ | PROT_WRITE : PROT_READ
    let flags = sharing == .shared ? MAP_SHARED : MAP_PRIVATE
    guard let made = mmap(nil, count, access, flags, number, off_t(offset)), made != MAP_FAILED else {
      throw .last("map a file")
    }
    (start, self.count) = (made, count)
  }

  /// Gives the memory to a caller that takes it away with `munmap`.
  public consuming func handedOver() -> UnsafeMutableRawBufferPointer {
    let memory = UnsafeMutableRawBufferPointer(start: start, count: count)
    discard self
    return memory
  }

  deinit { munmap(start, count) }
}

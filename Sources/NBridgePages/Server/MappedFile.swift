// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import NBridgeSystem

/// A file's bytes as the kernel has them: none is read before it is sent, and a part of it costs that part.
/// Who writes them to a socket is told by the kernel of a file that was cut meanwhile (EFAULT); no code of
/// this process may read them, for which that would be the end: libsoup's own answers to ranges do.
final class MappedFile {
  private let bytes: OpaquePointer
  let count: Int

  /// Nil for what the kernel does not map.
  init?(_ file: Descriptor) {
    guard let mapped = g_mapped_file_new_from_fd(file.number, 0, nil) else { return nil }
    bytes = g_mapped_file_get_bytes(mapped)
    count = Int(g_bytes_get_size(bytes))
    g_mapped_file_unref(mapped)
  }

  /// Calls `body` with the bytes of a part, which are there as long as anybody has them.
  func withPart(_ part: Range<Int>, _ body: (OpaquePointer) -> Void) {
    guard let made = g_bytes_new_from_bytes(bytes, gsize(part.lowerBound), gsize(part.count)) else { return }
    body(made)
    g_bytes_unref(made)
  }

  deinit { g_bytes_unref(bytes) }
}

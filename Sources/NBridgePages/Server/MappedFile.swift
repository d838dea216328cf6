// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import NBridgeSystem

/// A file's bytes as the kernel has them: none is read before it is sent, and a part of it costs that part.
/// Who writes them to a socket is told by the kernel of a file that was cut meanwhile (EFAULT); no code of
/// this process may read them, for which that would be the end.
final class MappedFile {
  /// Kept as long as this is.
  let bytes: OpaquePointer

  /// Nil for what the kernel does not map.
  init?(_ file: Descriptor) {
    guard let mapped = g_mapped_file_new_from_fd(file.number, 0, nil) else { return nil }
    bytes = g_mapped_file_get_bytes(mapped)
    g_mapped_file_unref(mapped)
  }

  deinit { g_bytes_unref(bytes) }
}

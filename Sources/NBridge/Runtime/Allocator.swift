// SPDX-License-Identifier: MIT

internal import CNBridgeGLib

/// How the process's allocator treats large blocks.
public enum Allocator {
  /// Keeps freed blocks of up to 64 MiB in the process instead of giving each back to the system at once.
  ///
  /// A call with a megabyte of text passes through half a dozen such blocks; fetching fresh pages for each
  /// costs more than the call's own work. For programs that are nothing but their scripts: it is the whole
  /// process's setting.
  public static func keepLargeBlocks() {
    let limit: Int32 = 64 << 20
    mallopt(M_MMAP_THRESHOLD, limit)
    mallopt(M_TRIM_THRESHOLD, limit)
  }
}

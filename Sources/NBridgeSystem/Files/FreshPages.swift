// SPDX-License-Identifier: MIT

internal import Glibc

/// Memory straight from the system (mmap(2)), which the allocator gives nobody a part of.
public enum FreshPages {
  /// So many bytes, zero; nil when the system has none.
  public static func take(_ size: Int) -> UnsafeMutableRawPointer? {
    let made = mmap(nil, size, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    return made == MAP_FAILED ? nil : made
  }

  /// Gives them back.
  public static func give(_ base: UnsafeMutableRawPointer?, _ size: Int) {
    if let base { munmap(base, size) }
  }
}

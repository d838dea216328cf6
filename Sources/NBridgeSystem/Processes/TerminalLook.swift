// SPDX-License-Identifier: MIT

internal import Glibc

/// What a terminal is fit for.
public enum TerminalLook {
  /// Whether what is written to a descriptor may have colours: it is a terminal, and neither `NO_COLOR`
  /// (no-color.org) nor `TERM=dumb` is against it.
  public static func wantsColours(_ descriptor: Int32) -> Bool {
    let isUnwanted = getenv("NO_COLOR").map { $0.pointee != 0 } ?? false
    return isatty(descriptor) == 1 && !isUnwanted && !isDumb
  }

  /// Whether the terminal can only write one line after the other.
  public static var isDumb: Bool { getenv("TERM").map { String(cString: $0) == "dumb" } ?? false }
}

// SPDX-License-Identifier: MIT

internal import CNBridgeLinux
internal import Glibc

/// A process's stdin, stdout and stderr.
public enum StandardStreams {
  /// Takes the numbers of those that the process was started without: else the next file that it opens, a
  /// database or a key, would be its stdin or its stdout. A stdin that was closed is empty; writing fails
  /// with `EBADF` as before. Before anything is opened.
  public static func fillClosed() {
    for number in STDIN_FILENO...STDERR_FILENO where fcntl(number, F_GETFD) < 0 {
      // The lowest number that is free, and nothing that can be written to.
      _ = nb_openat(AT_FDCWD, "/dev/null", O_RDONLY, 0)
    }
  }
}

// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgePlugin

struct TerminalOptions: Codable {
  enum Stream: String, Codable, CaseIterable { case stdin, stdout, stderr }

  var stream: Stream
}

/// How large a terminal is, in characters.
struct TerminalSize: Codable {
  let columns: Int
  let rows: Int

  /// Nil where the stream is no terminal. One that does not tell its size has the usual one.
  init?(of stream: TerminalOptions.Stream) {
    let descriptor =
      switch stream {
      case .stdin: STDIN_FILENO
      case .stdout: STDOUT_FILENO
      case .stderr: STDERR_FILENO
      }
    guard isatty(descriptor) == 1 else { return nil }
    var size = winsize()
    let isTold = ioctl(descriptor, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 && size.ws_row > 0
    (columns, rows) = isTold ? (Int(size.ws_col), Int(size.ws_row)) : (80, 24)
  }
}

// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
internal import NBridgeHost
internal import Synchronization

/// The terminal behind stdin and stdout: its size, its mode, what is written to it.
///
/// In raw mode keys come one by one, without echo; ^C stays a signal, so that it reaches a script that runs
/// for ever.
package final class Terminal: Sendable {
  private let original: Mutex<termios?>
  /// Whether it is left to edit what is typed itself, and gets nothing but text.
  package let isPlain: Bool

  /// Fails when stdin or stdout is no terminal.
  package init?(isPlain: Bool = false) {
    guard isatty(STDIN_FILENO) != 0, isatty(STDOUT_FILENO) != 0 else { return nil }
    var mode = termios()
    guard tcgetattr(STDIN_FILENO, &mode) == 0 else { return nil }
    original = Mutex(mode)
    self.isPlain = isPlain
  }

  /// Columns and rows; 80 × 24 where the terminal does not tell.
  package var size: (columns: Int, rows: Int) {
    var size = winsize()
    guard nb_window_size(STDOUT_FILENO, &size) == 0, size.ws_col > 0, size.ws_row > 0 else { return (80, 24) }
    return (Int(size.ws_col), Int(size.ws_row))
  }

  /// Keys come one by one; pastes are told apart (bracketed paste, xterm).
  package func enterRawMode() {
    guard !isPlain, var mode = original.withLock({ $0 }) else { return }
    mode.c_lflag &= ~tcflag_t(ICANON | ECHO | IEXTEN)
    mode.c_lflag |= tcflag_t(NOFLSH)
    mode.c_iflag &= ~tcflag_t(IXON | ICRNL | INLCR)
    withUnsafeMutableBytes(of: &mode.c_cc) { characters in
      characters[Int(VMIN)] = 1
      characters[Int(VTIME)] = 0
      characters[Int(VQUIT)] = 0
    }
    tcsetattr(STDIN_FILENO, TCSADRAIN, &mode)
    write("\u{1B}[?2004h")
  }

  /// As it was found. Callable from any thread.
  package func restore() {
    guard !isPlain, var mode = original.withLock({ $0 }) else { return }
    write("\u{1B}[?2004l")
    tcsetattr(STDIN_FILENO, TCSADRAIN, &mode)
  }

  /// The same where the process is about to end, from any thread: does not wait for a terminal that reads
  /// nothing.
  package func restoreAtOnce() {
    guard !isPlain, var mode = original.withLock({ $0 }) else { return }
    var descriptor = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
    if poll(&descriptor, 1, 0) > 0, descriptor.revents & Int16(POLLOUT) != 0 {
      let text = Array("\u{1B}[?2004l".utf8)
      _ = Glibc.write(STDOUT_FILENO, text, text.count)
    }
    tcsetattr(STDIN_FILENO, TCSANOW, &mode)
  }

  /// Writes to the terminal at once, or when no question stands any more; what can't be written is lost with
  /// it.
  package func write(_ text: String) { OutputGate.process.passOrHold { Self.writeNow(text) } }

  private static func writeNow(_ text: String) {
    var text = text
    text.withUTF8 { bytes in
      var done = 0
      while done < bytes.count {
        let count = Glibc.write(STDOUT_FILENO, bytes.baseAddress.map { $0 + done }, bytes.count - done)
        if count > 0 {
          done += count
        } else if errno == EAGAIN {
          var descriptor = pollfd(fd: STDOUT_FILENO, events: Int16(POLLOUT), revents: 0)
          poll(&descriptor, 1, -1)
        } else if errno != EINTR {
          return
        }
      }
    }
  }

  /// What waits on stdin, at least one byte; empty when the terminal has gone.
  package func read() -> [UInt8] {
    withUnsafeTemporaryAllocation(byteCount: 1 << 16, alignment: 8) { buffer in
      while true {
        let count = Glibc.read(STDIN_FILENO, buffer.baseAddress, buffer.count)
        if count < 0, errno == EINTR || errno == EAGAIN { continue }
        return count > 0 ? Array(buffer[..<count]) : []
      }
    }
  }
}

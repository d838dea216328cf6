// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
internal import Synchronization

/// The terminal while a person is asked: the other screen, in modes that scripts did not choose. A terminal
/// that has no such screen shows the question in lines, again after each answer.
final class AuthPage: Sendable {
  private let original = Mutex<termios?>(nil)
  /// Whether it understands more than lines.
  let isScreen: Bool
  private let shown = Mutex<[String]>([])

  /// Ends whatever sequence a program left open (ECMA-48: CAN, ST).
  private static let cancelling = "\u{18}\u{1B}\\"
  /// Ends modes that could hide or move text, too: colours, margins, origin, insertion, character sets; shows
  /// the cursor, and what it is told at once (2026).
  private static let usual =
    cancelling
    + "\u{1B}[?2026l\u{1B}[0m\u{1B}[?6l\u{1B}[?69l\u{1B}[r\u{1B}[4l"
    + "\u{1B}[?7h\u{1B}[?5l\u{1B}(B\u{0F}\u{1B}[?25h"
  /// No reports of a mouse, and pastes that are told apart.
  private static let input = "\u{1B}[?1000l\u{1B}[?1002l\u{1B}[?1003l\u{1B}[?1006l\u{1B}[?2004h"

  init() {
    let name = getenv("TERM").map { String(cString: $0) } ?? ""
    isScreen = !name.isEmpty && name != "dumb"
  }

  /// Takes the terminal: keys come one by one, without an echo; ^C and ^Z stay signals.
  func open() {
    var mode = termios()
    guard isScreen, tcgetattr(STDIN_FILENO, &mode) == 0 else { return }
    original.withLock { $0 = mode }
    mode.c_lflag &= ~tcflag_t(ICANON | ECHO | IEXTEN)
    mode.c_lflag |= tcflag_t(ISIG)
    mode.c_iflag &= ~tcflag_t(IXON)
    withUnsafeMutableBytes(of: &mode.c_cc) { ($0[Int(VMIN)], $0[Int(VTIME)]) = (1, 0) }
    tcsetattr(STDIN_FILENO, TCSANOW, &mode)
    // The other screen first: margins move the cursor, which has to come back to where it stood.
    write(Self.cancelling + "\u{1B}[?1049h" + Self.usual + Self.input + "\u{1B}[2J")
  }

  /// Draws all of it, whatever is there.
  func draw(_ text: AuthQuestionText) {
    var text = text
    // In the terminal's own lines it echoes what is typed.
    if !isScreen { text.typed = "" }
    var size = winsize()
    let isKnown = nb_window_size(STDERR_FILENO, &size) == 0 && size.ws_col > 0 && size.ws_row > 0
    let rows = text.rows(columns: isKnown ? Int(size.ws_col) : 80, rows: isKnown ? Int(size.ws_row) : 24)
    guard isScreen else { return drawLines(rows) }
    let body = rows.joined(separator: "\u{1B}[K\r\n")
    write(Self.usual + "\u{1B}[?2026h\u{1B}[H" + body + "\u{1B}[J\u{1B}[?2026l")
  }

  /// Lines that are there already need not come again.
  private func drawLines(_ rows: [String]) {
    let known = shown.withLock { shown in
      defer { shown = rows }
      return shown
    }
    if known == rows { return }
    write("\n" + rows.dropFirst(rows.starts(with: known) ? known.count : 0).joined(separator: "\n"))
  }

  /// Gives it back as it was found. Any thread; does not wait for a terminal that takes nothing.
  func close() {
    guard
      var mode = original.withLock({ mode in
        defer { mode = nil }
        return mode
      })
    else { return }
    var file = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
    if poll(&file, 1, 0) > 0, file.revents & Int16(POLLOUT) != 0 {
      write(Self.cancelling + "\u{1B}[0m\u{1B}[?2004l\u{1B}[?1049l")
    }
    tcsetattr(STDIN_FILENO, TCSANOW, &mode)
  }

  private func write(_ text: String) {
    let bytes = Array(text.utf8)
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes {
        Glibc.write(STDERR_FILENO, $0.baseAddress.map { $0 + done }, $0.count - done)
      }
      if count > 0 {
        done += count
      } else if errno == EAGAIN {
        var file = pollfd(fd: STDERR_FILENO, events: Int16(POLLOUT), revents: 0)
        poll(&file, 1, -1)
      } else if errno != EINTR {
        return
      }
    }
  }
}

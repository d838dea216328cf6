// SPDX-License-Identifier: MIT

// Whose the terminal's mode is, is told in more than one way.
internal import CNBridgeGLib
internal import CNBridgeLinux
internal import Glibc

/// Asks for a passphrase at the terminal, which does not show it. Before anything else runs.
enum PassphraseQuestion {
  private static let signals = [SIGINT, SIGTERM, SIGHUP, SIGQUIT]
  /// How often it is looked whether a signal has come, in milliseconds.
  private static let look: Int32 = 50
  private static let attempts = 3

  private struct Stopped: Error {}

  /// - Throws: ``UsageError`` where nobody can be asked, or nobody answers.
  static func ask() throws -> String {
    // A program in the background would be stopped when it reads.
    guard isatty(STDIN_FILENO) == 1, isatty(STDERR_FILENO) == 1, tcgetpgrp(STDIN_FILENO) == getpgrp() else {
      throw UsageError(
        "browsers of other machines are asked for a passphrase, and there is no terminal to ask you for it: "
          + "--passphrase-file FILE names a file of mode 0600 with it")
    }
    return try withoutEcho {
      for _ in 0..<attempts {
        let given = try line("Passphrase for the page: ")
        if let flaw = ServedReach.flaw(of: given) {
          write("\(flaw)\n")
        } else if try line("The same again: ") == given {
          return given
        } else {
          write("these were not the same\n")
        }
      }
      throw UsageError("there is no passphrase, and without one no page is served beyond this machine")
    }
  }

  /// Until it has returned, the terminal shows nothing of what is typed, and a signal that would end the
  /// program waits: the terminal is as it was when it comes.
  private static func withoutEcho(_ body: () throws -> String) throws -> String {
    var set = sigset_t(), before = sigset_t()
    sigemptyset(&set)
    for signal in signals { sigaddset(&set, signal) }
    pthread_sigmask(SIG_BLOCK, &set, &before)
    defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
    var mode = termios()
    guard tcgetattr(STDIN_FILENO, &mode) == 0 else { throw UsageError("the terminal does not tell its mode") }
    var silent = mode
    silent.c_lflag &= ~tcflag_t(ECHO)
    silent.c_lflag |= tcflag_t(ICANON | ISIG | ECHONL)
    silent.c_iflag |= tcflag_t(ICRNL)
    // What was typed before the question is no answer.
    tcsetattr(STDIN_FILENO, TCSAFLUSH, &silent)
    defer { tcsetattr(STDIN_FILENO, TCSAFLUSH, &mode) }
    do { return try body() } catch is Stopped {
      write("\n")
      throw UsageError("the passphrase was not given")
    }
  }

  /// One line, which the terminal lets a person edit.
  private static func line(_ question: String) throws -> String {
    write(question)
    var line: [UInt8] = []
    while line.last != UInt8(ascii: "\n") {
      if isStopped { throw Stopped() }
      var file = pollfd(fd: STDIN_FILENO, events: Int16(POLLIN), revents: 0)
      guard poll(&file, 1, look) > 0 else { continue }
      var bytes = [UInt8](repeating: 0, count: 4096)
      let count = read(STDIN_FILENO, &bytes, bytes.count)
      if count < 0, errno == EINTR || errno == EAGAIN { continue }
      // ^D, or the terminal has gone.
      guard count > 0 else { throw Stopped() }
      line += bytes[..<count]
    }
    return String(decoding: line.dropLast(), as: UTF8.self)
  }

  private static var isStopped: Bool {
    var pending = sigset_t()
    sigpending(&pending)
    return signals.contains { sigismember(&pending, $0) == 1 }
  }

  private static func write(_ text: String) {
    let bytes = Array(text.utf8)
    _ = Glibc.write(STDERR_FILENO, bytes, bytes.count)
  }
}

// SPDX-License-Identifier: MIT

internal import CNBridgeLinux
internal import Glibc
internal import Synchronization

/// The terminal behind stdin while a program takes its keys one by one. Any thread.
///
/// A terminal keeps its mode when a program ends: whatever ends this process calls ``leave()`` before, and
/// the signals that end a process at once have a handler meanwhile. Nothing helps against SIGKILL.
public enum RawTerminal {
  private static let original = Mutex<termios?>(nil)

  /// Keys come one by one from now on, without echo, those that are signals else (^C) as well. What is
  /// written looks as it did.
  ///
  /// - Throws: ``SystemError`` with `ENOTTY` where stdin is no terminal.
  public static func enter() throws(SystemError) {
    try original.withLock { original throws(SystemError) in
      var mode = termios()
      guard tcgetattr(STDIN_FILENO, &mode) == 0 else { throw .last("read the mode of", "stdin") }
      if original == nil {
        original = mode
        nb_give_back_mode(&mode)
      }
      mode.c_iflag &= ~tcflag_t(BRKINT | ICRNL | INPCK | ISTRIP | IXON)
      mode.c_oflag |= tcflag_t(ONLCR)
      mode.c_cflag |= tcflag_t(CS8)
      mode.c_lflag &= ~tcflag_t(ECHO | ICANON | IEXTEN | ISIG)
      withUnsafeMutableBytes(of: &mode.c_cc) { characters in
        (characters[Int(VMIN)], characters[Int(VTIME)]) = (1, 0)
      }
      guard tcsetattr(STDIN_FILENO, TCSADRAIN, &mode) == 0 else { throw .last("set the mode of", "stdin") }
    }
  }

  /// The terminal is as it was found; nothing to do where ``enter()`` was not called.
  public static func leave() {
    original.withLock { original in
      guard var mode = original else { return }
      original = nil
      // A program in the background may not touch the terminal, unless it keeps the signal that says so away.
      var signal = sigset_t(), before = sigset_t()
      sigemptyset(&signal)
      sigaddset(&signal, SIGTTOU)
      pthread_sigmask(SIG_BLOCK, &signal, &before)
      tcsetattr(STDIN_FILENO, TCSANOW, &mode)
      pthread_sigmask(SIG_SETMASK, &before, nil)
    }
  }
}

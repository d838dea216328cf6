// SPDX-License-Identifier: MIT

internal import CGLib
internal import Glibc
internal import NBridgePlugin
internal import Synchronization

/// The process's stdout and stderr. Lines to a terminal go out at once, to a file or pipe in blocks.
///
/// For programs that are nothing but their script: a reader that went away (`nbridge run x | head -1`) ends the process
/// quietly, a disk that is full ends it with a message and status 1.
public final class StandardOutput: ScriptOutput {
  private let buffer = Mutex<[UInt8]>([])
  private static let block = 1 << 16
  /// Whether stdout is a terminal that wants colours.
  public let colours: Bool
  /// Whether stderr is a terminal that wants colours.
  public let errorColours: Bool
  private let isTerminal: Bool

  /// Looks at the process's streams, and at `NO_COLOR`.
  public init() {
    isTerminal = isatty(STDOUT_FILENO) != 0
    colours = TerminalLook.wantsColours(STDOUT_FILENO)
    errorColours = TerminalLook.wantsColours(STDERR_FILENO)
    signal(SIGPIPE, SIG_IGN)
  }

  /// Queues text for stdout.
  public func write(_ text: String) {
    buffer.withLock { bytes in
      bytes.append(contentsOf: text.utf8)
      if isTerminal || bytes.count >= Self.block { Self.drain(&bytes, to: STDOUT_FILENO) }
    }
  }

  /// Writes to stderr, after what waits for stdout: a reader of both sees them in order.
  public func writeError(_ text: String) {
    flush()
    var bytes = Array(text.utf8)
    Self.drain(&bytes, to: STDERR_FILENO)
  }

  /// Writes what waits.
  public func flush() { buffer.withLock { Self.drain(&$0, to: STDOUT_FILENO) } }

  /// What can't be printed is lost: the program must not end as if it had been.
  private static func endBecauseUnwritable(_ error: Int32) -> Never {
    var bytes = Array("nbridge: can't write to stdout: \(String(cString: strerror(error)))\n".utf8)
    drain(&bytes, to: STDERR_FILENO)
    _exit(1)
  }

  private static func drain(_ bytes: inout [UInt8], to file: Int32) {
    var done = 0
    while done < bytes.count {
      let written = bytes.withUnsafeBytes {
        Glibc.write(file, $0.baseAddress.map { $0 + done }, $0.count - done)
      }
      if written >= 0 {
        done += written
      } else if errno == EAGAIN {
        var descriptor = pollfd(fd: file, events: Int16(POLLOUT), revents: 0)
        poll(&descriptor, 1, -1)
      } else if errno == EPIPE, file == STDOUT_FILENO {
        _exit(0)
      } else if errno != EINTR {
        if file == STDOUT_FILENO { endBecauseUnwritable(errno) }
        break
      }
    }
    bytes.removeAll(keepingCapacity: bytes.count <= 2 * block)
  }
}

// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem
internal import Synchronization

/// The process's stdout and stderr. Lines to a terminal go out at once, to a file or pipe in blocks. While a
/// question stands (`OutputGate`) text is held, in its order; a script that prints much then waits for the
/// answer.
///
/// For programs that are nothing but their script: a reader that went away (`nbridge run x | head -1`) ends
/// the process quietly with status 141, a disk that is full ends it with a message and status 1.
public final class StandardOutput: ScriptOutput {
  struct Waiting {
    var bytes: [UInt8] = []
    /// What comes behind that, while a question stands: pieces for stdout and stderr.
    var held: [(file: Int32, bytes: [UInt8])] = []
    /// Of all pieces together.
    var heldSize = 0
    /// Whether the end of the question is waited for.
    var isHolding = false
    /// Whether `tell` was called for text that waits, and that text is not written yet.
    var isTold = false
    var tell: (@Sendable () -> Void)?
    /// Whether the reader has gone, or nothing can be written.
    var isBroken = false
    var end: (@Sendable (ExitStatus) -> Bool)?
    /// Bytes whose writers wait, in their order.
    var awaited: [AwaitedBytes] = []
    /// How many bytes were ever put behind what waits.
    var queued = 0
    /// Whether a thread sees to it that what writers wait for goes out.
    var isPumped = false

    var size: Int { bytes.count + heldSize }

    /// Puts text behind all that waits.
    mutating func put(_ text: some Collection<UInt8>, _ file: Int32) {
      queued += text.count
      if held.isEmpty, file == STDOUT_FILENO { return bytes.append(contentsOf: text) }
      heldSize += text.count
      if let last = held.indices.last, held[last].file == file {
        held[last].bytes.append(contentsOf: text)
      } else {
        held.append((file, Array(text)))
      }
    }
  }

  let buffer = Mutex<Waiting>(Waiting())
  let isStopping = Atomic<Bool>(false)
  private static let block = 1 << 16
  /// So much is held while a question stands.
  private static let maxHeld = 1 << 20
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
    let isFull = buffer.withLock { waiting in
      if waiting.isBroken { return false }
      waiting.put(text.utf8, STDOUT_FILENO)
      if isTerminal || waiting.bytes.count >= Self.block || !waiting.held.isEmpty { drainOrLeave(&waiting) }
      if waiting.isTold || waiting.bytes.isEmpty { return waiting.size > Self.maxHeld }
      waiting.isTold = true
      waiting.tell?()
      return waiting.size > Self.maxHeld
    }
    if isFull { waitForAnswer() }
  }

  /// Has `tell` called on the writing thread when text begins to wait, until ``flushWithoutWaiting()`` has
  /// written it: a script that never returns to its loop writes its text, too.
  public func whenTextWaits(_ tell: @escaping @Sendable () -> Void) { buffer.withLock { $0.tell = tell } }

  /// Writes to stderr, after what waits for stdout: a reader of both sees them in order.
  public func writeError(_ text: String) {
    let isFull = buffer.withLock { waiting in
      if waiting.awaited.isEmpty { drain(&waiting) }
      waiting.put(text.utf8, STDERR_FILENO)
      drainOrLeave(&waiting)
      return waiting.size > Self.maxHeld
    }
    if isFull { waitForAnswer() }
  }

  /// A script that prints more than can be held waits for the person's answer, or for the program's end.
  private func waitForAnswer() {
    OutputGate.process.wait { !isStopping.load(ordering: .acquiring) }
    flush()
  }

  /// Writes what waits.
  public func flush() { buffer.withLock { drain(&$0) } }

  /// Has `end` asked, on the writing thread, before a reader that went away or a full disk ends the process
  /// with a status: it answers whether it ends the program itself, which may first do what it has to do. What
  /// is written from then on is lost.
  public func whenBroken(_ end: @escaping @Sendable (ExitStatus) -> Bool) { buffer.withLock { $0.end = end } }

  // MARK: - On a thread that must not be held up

  /// From now on no thread waits longer than a second for a reader that takes nothing: what it does not take
  /// is lost.
  public func stopWaiting() { isStopping.store(true, ordering: .releasing) }

  /// Writes what a reader takes at once. Answers whether that is all; if not, the caller, which was told that
  /// text waits, calls again.
  public func flushWithoutWaiting() -> Bool {
    let error = buffer.withLockIfAvailable { waiting in
      var error: Int32?
      // What is held goes out with the answer: the caller need not come again for it.
      let isOpen = OutputGate.process.pass {
        error = Self.write(&waiting.bytes, to: STDOUT_FILENO) { Self.isReady(STDOUT_FILENO, within: 0) }
        waiting.settle()
      }
      if !isOpen { hold(&waiting) }
      if error == nil { waiting.isTold = false }
      return error
    }
    guard let error else { return false }
    // What else is wrong is told by the thread that writes, in its time.
    return error != ETIMEDOUT
  }

  /// Writes to stderr behind what waits, as far as the readers take it within a second.
  public func writeErrorInTime(_ text: String) {
    let end = g_get_monotonic_time() + Self.patience
    while !flushWithoutWaiting(), g_get_monotonic_time() < end { usleep(5000) }
    OutputGate.process.passOrHold {
      var bytes = Array(text.utf8)
      _ = Self.write(&bytes, to: STDERR_FILENO) { Self.isReady(STDERR_FILENO, within: 1000) }
    }
  }

  /// Writes what waits, or sees to it that it is written behind the answer.
  func drain(_ waiting: inout Waiting) {
    while !OutputGate.process.pass({ writeAll(&waiting) }) {
      if hold(&waiting) { return }
    }
  }

  /// False when no question stands any more.
  @discardableResult
  func hold(_ waiting: inout Waiting) -> Bool {
    if waiting.isHolding { return true }
    waiting.isHolding = OutputGate.process.whenOpen { [self] in
      buffer.withLock { waiting in
        waiting.isHolding = false
        drain(&waiting)
      }
    }
    return waiting.isHolding
  }

  private func writeAll(_ waiting: inout Waiting) {
    if !waiting.isBroken { writeWaiting(&waiting) }
    let held = waiting.held
    (waiting.held, waiting.heldSize) = ([], 0)
    for var piece in held {
      if piece.file == STDERR_FILENO {
        let error = Self.write(&piece.bytes, to: STDERR_FILENO) { waitForReader(STDERR_FILENO) }
        if let error { waiting.fail(STDERR_FILENO, error) }
      } else if !waiting.isBroken {
        waiting.bytes = piece.bytes
        writeWaiting(&waiting)
      }
    }
    waiting.settle()
  }

  /// What can't be printed is lost: the program must not end as if it had been.
  private func writeWaiting(_ waiting: inout Waiting) {
    let failure = Self.write(&waiting.bytes, to: STDOUT_FILENO) { waitForReader(STDOUT_FILENO) }
    guard let error = failure else { return }
    breakOff(&waiting, error)
  }

  /// Stdout takes no more. A script that waits for what it wrote is told; else the program ends.
  func breakOff(_ waiting: inout Waiting, _ error: Int32) {
    waiting.bytes = []
    if waiting.fail(STDOUT_FILENO, error) { return waiting.dropHeldOutput() }
    waiting.isBroken = true
    // The reader took nothing, and the program is being ended anyway.
    if error == ETIMEDOUT { return }
    if error != EPIPE {
      var bytes = Array("nbridge: can't write to stdout: \(SystemError.reason(of: error))\n".utf8)
      _ = Self.write(&bytes, to: STDERR_FILENO) { waitForReader(STDERR_FILENO) }
    }
    let status = error == EPIPE ? ExitStatus.readerGone : .failure
    if waiting.end?(status) == true { return }
    RawTerminal.leave()
    _exit(status.code)
  }

  /// What a pipe that is ready has room for (POSIX, PIPE_BUF): more could wait.
  private static let atOnce = 4096
  /// How long a reader may take nothing once the program is to end, in microseconds.
  private static let patience = 1_000_000

  private static func isFile(_ file: Int32) -> Bool {
    var status = stat()
    return fstat(file, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
  }

  static func isReady(_ file: Int32, within milliseconds: Int32) -> Bool {
    var descriptor = pollfd(fd: file, events: Int16(POLLOUT), revents: 0)
    return poll(&descriptor, 1, milliseconds) > 0
  }

  /// Writes and takes away what `isReady` has room for; answers the error that kept it from all, ETIMEDOUT
  /// where there was none.
  static func write(_ bytes: inout [UInt8], to file: Int32, _ isReady: () -> Bool) -> Int32? {
    var done = 0
    defer {
      if done < bytes.count {
        bytes.removeFirst(done)
      } else {
        bytes.removeAll(keepingCapacity: bytes.count <= 2 * block)
      }
    }
    // A file has no reader to wait for.
    let portion = bytes.count > atOnce && isFile(file) ? bytes.count : atOnce
    while done < bytes.count {
      guard portion > atOnce || isReady() else { return ETIMEDOUT }
      let written = bytes.withUnsafeBytes {
        Glibc.write(file, $0.baseAddress.map { $0 + done }, min(portion, $0.count - done))
      }
      if written >= 0 {
        done += written
      } else if errno != EINTR, errno != EAGAIN {
        return errno
      }
    }
    return nil
  }

  /// Waits until a reader has room; false when it took nothing for a second and the program is to end.
  private func waitForReader(_ file: Int32) -> Bool {
    var isLast = false
    while !Self.isReady(file, within: isLast ? Int32(Self.patience / 1000) : 100) {
      if isLast { return false }
      isLast = isStopping.load(ordering: .acquiring)
    }
    return true
  }
}

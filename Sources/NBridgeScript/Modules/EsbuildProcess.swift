// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem
internal import Synchronization

/// esbuild as a child process that answers on its stdin and stdout. Ends when nobody holds it.
final class EsbuildProcess: Sendable {
  private let child: ChildProcess
  private let input: Int32
  private let output: Int32

  /// Starts `esbuild --service`, or takes the one that is under way. It wants to be told its own version: to
  /// ask it would be a second process, so the first one hears that of Debian's, and ends where that is wrong.
  ///
  /// - Parameter program: what is started, if it is another.
  static func start(_ program: String = "esbuild") throws(BundleError) -> EsbuildProcess {
    let spare = program == "esbuild" ? takeSpare() : nil
    let process = if let spare { spare } else { try begin(program, usualVersion) }
    if (try? process.isGreeted()) == true { return process }
    let another = try begin(program, version(program))
    guard try another.isGreeted() else { throw BundleError("esbuild ended before it was done") }
    return another
  }

  private static let usualVersion = "0.17.0"

  private static func begin(_ program: String, _ version: String) throws(BundleError) -> EsbuildProcess {
    let (child, input, output) = try spawn(program, ["--service=\(version)"])
    return EsbuildProcess(child: child, input: input, output: output)
  }

  /// Waits until it has said its version; false where it ended instead.
  private func isGreeted() throws(BundleError) -> Bool {
    guard let head = try Self.bytes(4, from: output) else { return false }
    return try Self.bytes(Self.length(head), from: output) != nil
  }

  /// One that starts while the engine does.
  private static let spare = Mutex<EsbuildProcess?>(nil)

  /// Begins one that ``start(_:)`` will take. It ends with the thread that asks for it.
  static func beginSpare() {
    let made = try? begin("esbuild", usualVersion)
    spare.withLock { $0 = made }
  }

  private static func takeSpare() -> EsbuildProcess? { spare.withLock { $0.take() } }

  private init(child: ChildProcess, input: Int32, output: Int32) {
    self.child = child
    self.input = input
    self.output = output
  }

  deinit {
    close(input)
    close(output)
    // It keeps nothing, and what goes on without its pipes would be waited for for ever. Its end takes a
    // while, for which nobody here waits.
    child.signal(SIGKILL)
    if !PlainThread.start("nb-esbuild-end", { [child] in child.wait() }) { child.wait() }
  }

  private static func end(_ child: ChildProcess) {
    child.signal(SIGKILL)
    child.wait()
  }

  /// Sends a packet.
  func send(_ packet: EsbuildPacket) throws(BundleError) {
    let bytes = packet.encoded
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes { write(input, $0.baseAddress.map { $0 + done }, bytes.count - done) }
      if count < 0 {
        if errno == EINTR { continue }
        throw BundleError("esbuild ended before it was done")
      }
      done += count
    }
  }

  /// Waits for the next packet.
  func receive() throws(BundleError) -> EsbuildPacket {
    guard let packet = EsbuildPacket(body: try read()) else {
      throw BundleError("esbuild said something unknown")
    }
    return packet
  }

  /// The bytes that a length in front announces.
  private func read() throws(BundleError) -> [UInt8] {
    try Self.read(Self.length(Self.read(4, from: output)), from: output)
  }

  private static func length(_ head: [UInt8]) throws(BundleError) -> Int {
    let count = (0..<4).reduce(0) { $0 | Int(head[$1]) << (8 * $1) }
    guard count <= largest else { throw BundleError("esbuild said something unknown") }
    return count
  }

  /// More is no packet of any program, but text that is none: four characters of it say a larger number.
  private static let largest = 1 << 29

  private static func read(_ count: Int, from file: Int32) throws(BundleError) -> [UInt8] {
    if let bytes = try bytes(count, from: file) { return bytes }
    throw BundleError("esbuild ended before it was done")
  }

  /// As many bytes; nil where it ends before.
  private static func bytes(_ count: Int, from file: Int32) throws(BundleError) -> [UInt8]? {
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      try wait(for: file)
      let part = bytes.withUnsafeMutableBytes {
        Glibc.read(file, $0.baseAddress.map { $0 + done }, count - done)
      }
      if part < 0, errno == EINTR { continue }
      guard part > 0 else { return nil }
      done += part
    }
    return bytes
  }

  /// In milliseconds: esbuild opens what it takes for settings, and a pipe under such a name opens never.
  private static let longestSilence: Int32 = 60_000

  private static func wait(for file: Int32) throws(BundleError) {
    var files = pollfd(fd: file, events: Int16(POLLIN), revents: 0)
    while true {
      let ready = poll(&files, 1, longestSilence)
      if ready > 0 { return }
      guard ready < 0, errno == EINTR else {
        throw BundleError(
          "esbuild has said nothing for \(longestSilence / 1000) s; is something where it looks for settings "
            + "(package.json, tsconfig.json, .pnp.cjs) a pipe?")
      }
    }
  }

  private static func version(_ program: String) throws(BundleError) -> String {
    let (child, input, output) = try spawn(program, ["--version"])
    close(input)
    defer { close(output) }
    var text: [UInt8] = []
    while text.count < 64, let byte = try? read(1, from: output).first, byte != 0x0A { text.append(byte) }
    end(child)
    guard let version = String(validating: text, as: UTF8.self), version.first?.isNumber == true else {
      throw BundleError.missing
    }
    return version
  }

  private static func spawn(_ program: String, _ arguments: [String]) throws(BundleError) -> (
    ChildProcess, input: Int32, output: Int32
  ) {
    let nothing = open("/dev/null", O_WRONLY | O_CLOEXEC)
    guard nothing >= 0, let toChild = Pipe(), let fromChild = Pipe() else {
      throw BundleError("no pipe for esbuild: \(SystemError.lastReason)")
    }
    defer {
      close(nothing)
      close(toChild.reading)
      close(fromChild.writing)
    }
    do {
      // It waits for our answers, and would wait for ever for one that was killed; ^C is for this process,
      // which then ends it.
      let child = try ChildProcess.startBound(
        program, arguments, streams: [toChild.reading, fromChild.writing, nothing], endsBy: SIGKILL,
        newSession: true)
      return (child, toChild.writing, fromChild.reading)
    } catch {
      close(toChild.writing)
      close(fromChild.reading)
      throw error.code == ENOENT ? BundleError.missing : BundleError("can't start esbuild: \(error.reason)")
    }
  }
}

/// A pipe whose ends other children don't inherit by themselves.
private struct Pipe {
  let reading: Int32
  let writing: Int32

  /// Makes one; nil when the process has no descriptors left.
  init?() {
    var ends: (Int32, Int32) = (-1, -1)
    let failed = withUnsafeMutablePointer(to: &ends) {
      $0.withMemoryRebound(to: Int32.self, capacity: 2) { pipe2($0, O_CLOEXEC) }
    }
    guard failed == 0 else { return nil }
    (reading, writing) = ends
  }
}

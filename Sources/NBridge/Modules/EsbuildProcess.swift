// SPDX-License-Identifier: MIT

internal import CGLib
internal import Glibc

/// esbuild as a child process that answers on its stdin and stdout. Ends with the value.
struct EsbuildProcess: ~Copyable {
  private let child: pid_t
  private let input: Int32
  private let output: Int32

  /// Starts `esbuild --service`, which wants to be told its own version.
  static func start() throws(BundleError) -> EsbuildProcess {
    let (child, input, output) = try spawn(["esbuild", "--service=\(try version())"])
    let process = EsbuildProcess(child: child, input: input, output: output)
    _ = try process.read()  // the version once more
    return process
  }

  private init(child: pid_t, input: Int32, output: Int32) {
    self.child = child
    self.input = input
    self.output = output
  }

  deinit {
    close(input)
    close(output)
    Self.wait(for: child)
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
    let head = try Self.read(4, from: output)
    let count = (0..<4).reduce(0) { $0 | Int(head[$1]) << (8 * $1) }
    return try Self.read(count, from: output)
  }

  private static func read(_ count: Int, from file: Int32) throws(BundleError) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: count)
    var done = 0
    while done < count {
      let part = bytes.withUnsafeMutableBytes {
        Glibc.read(file, $0.baseAddress.map { $0 + done }, count - done)
      }
      if part < 0, errno == EINTR { continue }
      guard part > 0 else { throw BundleError("esbuild ended before it was done") }
      done += part
    }
    return bytes
  }

  private static func version() throws(BundleError) -> String {
    let (child, input, output) = try spawn(["esbuild", "--version"])
    close(input)
    defer { close(output) }
    var text: [UInt8] = []
    while text.count < 64, let byte = try? read(1, from: output).first, byte != 0x0A { text.append(byte) }
    wait(for: child)
    guard let version = String(validating: text, as: UTF8.self), version.first?.isNumber == true else {
      throw BundleError.missing
    }
    return version
  }

  private static func wait(for child: pid_t) {
    var status: Int32 = 0
    while waitpid(child, &status, 0) < 0, errno == EINTR {}
  }

  private static func spawn(_ arguments: [String]) throws(BundleError) -> (pid_t, input: Int32, output: Int32)
  {
    var toChild: (Int32, Int32) = (-1, -1)
    var fromChild: (Int32, Int32) = (-1, -1)
    guard pipe(&toChild), pipe(&fromChild) else {
      throw BundleError("no pipe for esbuild: \(String(cString: strerror(errno)))")
    }
    var actions = posix_spawn_file_actions_t()
    posix_spawn_file_actions_init(&actions)
    defer { posix_spawn_file_actions_destroy(&actions) }
    posix_spawn_file_actions_adddup2(&actions, toChild.0, 0)
    posix_spawn_file_actions_adddup2(&actions, fromChild.1, 1)
    posix_spawn_file_actions_addopen(&actions, 2, "/dev/null", O_WRONLY, 0)
    var attributes = posix_spawnattr_t()
    posix_spawnattr_init(&attributes)
    defer { posix_spawnattr_destroy(&attributes) }
    // Our own blocked signals are no business of the child's.
    var none = sigset_t()
    sigemptyset(&none)
    posix_spawnattr_setsigmask(&attributes, &none)
    posix_spawnattr_setflags(&attributes, Int16(POSIX_SPAWN_SETSIGMASK))
    var list: [UnsafeMutablePointer<CChar>?] = arguments.map { strdup($0) } + [nil]
    defer { list.forEach { free($0) } }
    var child = pid_t()
    let failed = posix_spawnp(&child, arguments[0], &actions, &attributes, &list, environ)
    close(toChild.0)
    close(fromChild.1)
    guard failed == 0 else {
      close(toChild.1)
      close(fromChild.0)
      throw failed == ENOENT
        ? BundleError.missing : BundleError("can't start esbuild: \(String(cString: strerror(failed)))")
    }
    return (child, toChild.1, fromChild.0)
  }

  /// A pipe that children don't inherit by themselves.
  private static func pipe(_ ends: inout (Int32, Int32)) -> Bool {
    withUnsafeMutablePointer(to: &ends) {
      $0.withMemoryRebound(to: Int32.self, capacity: 2) { pipe2($0, O_CLOEXEC) == 0 }
    }
  }
}

// SPDX-License-Identifier: MIT

internal import CNBridgeLinux
internal import Glibc

/// A program that leads a session and a group of its own, so that all that it starts can be ended with it.
///
/// It gets none of this process's descriptors but its three streams, no terminal, and the usual signals. It
/// is killed when the thread that started it ends, this process with it, however that ends. The kernel
/// forgets that for a program that runs as another user than its file's starter (set-user-ID,
/// capabilities), and knows nothing of what the program starts itself.
public final class GroupedChild: Sendable {
  /// What is started.
  public struct Program: Sendable {
    /// The folder that the program lies in, open.
    public var folder: Descriptor
    /// Its name there, and its whole path: one without links.
    public var path: RealPath
    /// What it is told that it is called, and what it is told besides; as the kernel has them.
    public var arguments: [[UInt8]]
    /// Its variables, as `NAME=value`.
    public var environment: [[UInt8]]
    /// The folder that it starts in, open; nil for this process's own.
    public var workingFolder: Descriptor?
    /// How much memory it may have, in bytes; 0 for as much as this process.
    public var memory: UInt64

    /// Names a program.
    public init(
      folder: Descriptor, path: RealPath, arguments: [[UInt8]], environment: [[UInt8]],
      workingFolder: Descriptor? = nil, memory: UInt64 = 0
    ) {
      (self.folder, self.path, self.arguments) = (folder, path, arguments)
      (self.environment, self.workingFolder, self.memory) = (environment, workingFolder, memory)
    }
  }

  /// How a process ended.
  public enum Ending: Sendable, Equatable {
    /// By itself, with a status from 0 to 255.
    case status(Int32)
    /// By a signal.
    case signal(Int32)
  }

  /// Its process id, and that of its group.
  public let id: Int32
  /// Readable once it has ended.
  public let ended: Descriptor

  private init(id: Int32, ended: Descriptor) { (self.id, self.ended) = (id, ended) }

  /// Starts a program. On a thread that lives as long as the program may.
  ///
  /// - Parameter streams: its stdin, stdout and stderr; numbers of 3 and above, as ``PipeEnds`` makes.
  /// - Throws: ``SystemError`` with `ENOENT` for a program that is not there, `EACCES` for one that can't be
  ///   run.
  public static func start(
    _ program: Program, streams: (Descriptor, Descriptor, Descriptor)
  ) throws(SystemError) -> GroupedChild {
    let arguments = CStrings(program.arguments)
    let environment = CStrings(program.environment)
    let name = CStrings([Array(program.path.name), program.path.bytes])
    guard let file = name.list[0], let path = name.list[1] else { preconditionFailure("two names were made") }
    let id = arguments.list.withUnsafeBufferPointer { arguments in
      environment.list.withUnsafeBufferPointer { environment -> pid_t in
        guard let arguments = arguments.baseAddress, let environment = environment.baseAddress else {
          preconditionFailure("never empty: a nil ends each list")
        }
        var start = nb_child(
          folder: program.folder.number, name: file, path: path, arguments: arguments,
          environment: environment, streams: (streams.0.number, streams.1.number, streams.2.number),
          working_folder: program.workingFolder?.number ?? -1, memory: program.memory)
        return nb_spawn_child(&start)
      }
    }
    guard id > 0 else { throw .last("run", program.path.text) }
    ProcessGroups.add(id)
    let ended = Descriptor(taking: nb_open_process(id))
    let child = GroupedChild(id: id, ended: ended)
    guard ended.isOpen else {
      let error = SystemError.last("wait for", program.path.text)
      child.signal(SIGKILL)
      _ = child.reap(waiting: true)
      throw error
    }
    return child
  }

  /// Sends a signal to it and all of its group. Not after ``reap(waiting:)`` has answered.
  public func signal(_ number: Int32) { _ = kill(-id, number) }

  /// Takes its end, once it has ended; what is left of its group is killed before, as long as the number
  /// can't be another's. Nil while it runs.
  public func reap(waiting: Bool = false) -> Ending? {
    var facts = siginfo_t()
    let options = WEXITED | WNOWAIT | (waiting ? 0 : WNOHANG)
    while waitid(P_PID, id_t(id), &facts, options) < 0 { if errno != EINTR { break } }
    guard facts.si_signo == SIGCHLD else { return nil }
    signal(SIGKILL)
    ProcessGroups.remove(id)
    var status: Int32 = 0
    while waitpid(id, &status, 0) < 0 { if errno != EINTR { return .status(1) } }
    return status & 0x7F == 0 ? .status(status >> 8 & 0xFF) : .signal(status & 0x7F)
  }
}

/// Texts as C has them, a nil behind the last.
private final class CStrings {
  let list: [UnsafeMutablePointer<CChar>?]

  init(_ texts: [[UInt8]]) { list = texts.map { $0.withCString { strdup($0) } } + [nil] }

  deinit { for text in list { free(text) } }
}

/// The two ends of a pipe; each is closed on exec, and 3 or above: no stream of a program is in its way.
public struct PipeEnds: Sendable {
  /// What was written comes out here.
  public let reading: Descriptor
  /// What is written here comes out there.
  public let writing: Descriptor

  /// Makes one.
  public init() throws(SystemError) {
    var ends: [Int32] = [-1, -1]
    guard nb_pipe(&ends) == 0 else { throw .last("make a pipe") }
    reading = try Self.aboveStreams(Descriptor(taking: ends[0]))
    writing = try Self.aboveStreams(Descriptor(taking: ends[1]))
  }

  private static func aboveStreams(_ end: Descriptor) throws(SystemError) -> Descriptor {
    if end.number > 2 { return end }
    return try .aboveStreams(end.number)
  }
}

extension Descriptor {
  /// Another descriptor of what is open under a number; 3 or above.
  public static func aboveStreams(_ number: Int32) throws(SystemError) -> Descriptor {
    let other = nb_above_streams(number)
    guard other >= 0 else { throw .last("duplicate a descriptor") }
    return Descriptor(taking: other)
  }

  /// Reads and writes of it, and of all that share its open file, never wait from now on.
  public func neverWait() { _ = nb_never_wait(number) }
}

// SPDX-License-Identifier: MIT

internal import CNBridgePlugin
internal import Glibc
internal import NBridgeIsolation
internal import NBridgePlugin
internal import NBridgeSystem
internal import Synchronization

/// A process that runs one plugin: the program `nbridge-plugin-host` with the plugin's library.
final class IsolatedProcess: PluginProcess {
  let channel: Channel
  let streams: (output: Descriptor, errors: Descriptor)?
  let access: Set<PluginAccess>?
  private let program: GroupedChild.Program
  /// Its stdin, stdout and stderr, until it has them.
  private let given: Mutex<Streams?>
  private let child = Mutex(Held())

  private struct Streams { let all: (Descriptor, Descriptor, Descriptor) }
  private struct Held {
    var child: GroupedChild?
    /// Its number may be another process's from then on.
    var isReaped = false
  }

  init(_ files: PluginFileNames, _ isolation: Isolation, _ home: PluginHome) throws {
    let path = try Self.path()
    access = home.access.contains(.everything) ? nil : home.access
    program = GroupedChild.Program(
      folder: try .open(path.parent?.text ?? "/", O_RDONLY | O_DIRECTORY), path: path,
      arguments: (["nbridge-plugin-host", files.library] + PluginSandbox.arguments(files, home)).map {
        Array($0.utf8)
      },
      environment: PluginSandbox.environment(home),
      memory: UInt64(isolation.memoryMegabytes ?? 0) << 20)
    let (own, theirs) = try UnixSocket.pair()
    let (output, errors) = (try PipeEnds(), try PipeEnds())
    channel = Channel(try Descriptor.aboveStreams(own.number))
    for pipe in [output, errors] { pipe.reading.neverWait() }
    streams = (output.reading, errors.reading)
    given = Mutex(Streams(all: (try .aboveStreams(theirs.number), output.writing, errors.writing)))
  }

  func launch() throws {
    let given = given.withLock { given in
      defer { given = nil }
      return given
    }
    guard let given else { return }
    let started = try ChildKeeper.start(program, given.all)
    child.withLock { $0.child = started }
  }

  var ended: Descriptor? { child.withLock { $0.child }?.ended }

  func signal(_ number: Int32) {
    child.withLock { held in if !held.isReaped { held.child?.signal(number) } }
  }

  func reap(waiting: Bool) -> GroupedChild.Ending? {
    if waiting, let ended { Poller.wait(for: ended.number) }
    return child.withLock { held in
      guard !held.isReaped, let ending = held.child?.reap(waiting: waiting) else { return nil }
      held.isReaped = true
      return ending
    }
  }

  /// The program that runs the plugin: beside this program, or in `libexec/nbridge` of its installation.
  private static func path() throws -> RealPath {
    let name = "nbridge-plugin-host"
    guard let folder = RealPath("/proc/self/exe")?.parent?.text else {
      throw BridgeError(.unavailable, "this program's own place can't be read: /proc is not there")
    }
    for place in ["\(folder)/\(name)", "\(folder)/../libexec/nbridge/\(name)"] {
      if let found = RealPath(place) { return found }
    }
    throw BridgeError(
      .unavailable,
      "the program '\(name)', which runs isolated plugins, is neither in '\(folder)' nor in "
        + "'\(folder)/../libexec/nbridge'; install nbridge as a whole (make install), or copy it there")
  }
}

/// A plugin of this process on a thread that has but a channel to its host: the messages of isolated plugins,
/// without a process.
final class ThreadProcess: PluginProcess {
  let channel: Channel
  var streams: (output: Descriptor, errors: Descriptor)? { nil }
  var access: Set<PluginAccess>? { nil }
  var ended: Descriptor? { nil }
  private nonisolated(unsafe) let table: UnsafePointer<nbridge_plugin>  // constant, and there for ever
  private let theirs: Descriptor

  init(_ table: UnsafePointer<nbridge_plugin>) throws {
    let (own, theirs) = try UnixSocket.pair()
    self.table = table
    (channel, self.theirs) = (Channel(own), theirs)
  }

  func launch() throws {
    let (table, theirs) = (UncheckedSendable(table), theirs)
    PlainThread.start("nb-plugin-host", stackSize: 8 << 20) { ChildHost(table.value, theirs).run() }
  }

  func signal(_ number: Int32) {
    // The only way to end it.
    _ = shutdown(channel.socket.number, Int32(SHUT_RDWR))
  }

  func reap(waiting: Bool) -> GroupedChild.Ending? { .status(0) }
}

/// The thread that starts processes: they end with the thread that started them, so it never ends.
private enum ChildKeeper {
  static func start(
    _ program: GroupedChild.Program, _ streams: (Descriptor, Descriptor, Descriptor)
  ) throws -> GroupedChild {
    let result = Mutex<Result<GroupedChild, any Error>?>(nil)
    let done = Gate()
    try keeper.perform {
      let started = Result { () throws -> GroupedChild in try GroupedChild.start(program, streams: streams) }
      result.withLock { $0 = started }
      done.open()
    }
    done.wait()
    guard let started = result.withLock({ $0 }) else { throw BridgeError(.unavailable, "the start was lost") }
    return try started.get()
  }

  private static let keeper = Keeper()

  private final class Keeper: Sendable {
    private struct State {
      var isRunning = false
      var bodies: [@Sendable () -> Void] = []
    }
    private let state = Mutex(State())
    private let wake = WakeFile()

    func perform(_ body: @escaping @Sendable () -> Void) throws {
      let isFirst = state.withLock { state in
        state.bodies.append(body)
        defer { state.isRunning = true }
        return !state.isRunning
      }
      if isFirst, !PlainThread.start("nb-plugin-keep", stackSize: 256 << 10, { [self] in run() }) {
        state.withLock { ($0.isRunning, $0.bodies) = (false, []) }
        throw BridgeError(.unavailable, "the system gives no thread to start it on")
      }
      wake.set()
    }

    private func run() -> Never {
      // It may be started before this process has settled which thread takes its signals.
      var all = sigset_t()
      sigfillset(&all)
      pthread_sigmask(SIG_BLOCK, &all, nil)
      while true {
        _ = Poller.wait(for: [(wake.number, .readable)], milliseconds: nil)
        wake.take()
        let bodies = state.withLock { state in
          defer { state.bodies = [] }
          return state.bodies
        }
        for body in bodies { body() }
      }
    }
  }
}

// SPDX-License-Identifier: MIT

internal import CGLib
internal import Glibc
internal import NBridgePlugin
internal import Synchronization

/// Starts an app that is to take a URL, and waits until it does. Of several who want to, one starts it.
final class AppLaunch: Sendable {
  private let app: RegisteredApp
  private let apps: RunningApps
  private let folder: String
  private let lock: Int32
  private let inotify: Int32
  private let ended: Int32
  private let status = Mutex<Int32?>(nil)
  private let hasStarted = Mutex<Bool>(false)
  /// How often whoever waits for another's start looks whether that came to nothing, in milliseconds.
  private static let look = 200

  init(_ app: RegisteredApp, _ apps: RunningApps) throws {
    (self.app, self.apps) = (app, apps)
    folder = try SharedFolders.make(app.id, in: apps.root)
    lock = open(folder + "/.launch", O_RDWR | O_CREAT | O_CLOEXEC | O_NOFOLLOW, 0o600)
    inotify = inotify_init1(Int32(IN_CLOEXEC | IN_NONBLOCK))
    ended = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    guard lock >= 0, inotify >= 0, ended >= 0, inotify_add_watch(inotify, folder, UInt32(IN_MOVED_TO)) >= 0
    else {
      let reason = String(cString: strerror(errno))
      for descriptor in [lock, inotify, ended] where descriptor >= 0 { close(descriptor) }
      throw BridgeError(.ioError, "can't watch '\(folder)': \(reason)")
    }
  }

  /// Starts the app if nobody else is about to, and waits until something happens.
  func wait(until end: Int) throws {
    if flock(lock, LOCK_EX | LOCK_NB) == 0,
      !apps.instances(of: app.id).contains(where: apps.isAlive),
      hasStarted.withLock({ started in
        defer { started = true }
        return !started
      })
    {
      try start()
    }
    var files = [
      pollfd(fd: inotify, events: Int16(POLLIN), revents: 0),
      pollfd(fd: ended, events: Int16(POLLIN), revents: 0),
    ]
    let isOurs = hasStarted.withLock { $0 }
    poll(&files, 2, Int32(clamping: min(end - Ticks.now, isOurs ? .max : Self.look)))
    var buffer = [UInt8](repeating: 0, count: 4096)
    while read(inotify, &buffer, buffer.count) > 0 {}
    if let status = status.withLock({ $0 }) {
      throw BridgeError(
        .unavailable,
        """
        '\(app.id)' ended with status \(status) without asking for URLs (app.onOpenURL); \
        what it wrote is in '\(log)'
        """
      )
    }
  }

  /// The app holds the lock for as long as it runs, whoever started it: under this descriptor.
  private static let kept: Int32 = 3

  private var log: String { folder + "/.output" }

  private func start() throws {
    guard access(app.script, R_OK) == 0 else {
      throw BridgeError(
        .notFound,
        """
        '\(app.id)' can't be started: its script '\(app.script)' is not there any more; \
        nbridge app unregister \(app.id)
        """
      )
    }
    let child: ChildProcess
    do {
      child = try ChildProcess.start(
        app.program, ["run", app.script],
        streams: [0: .nothing, 1: .file(log), 2: .descriptor(1), Self.kept: .descriptor(lock)],
        newSession: true)
    } catch {
      throw BridgeError(.unavailable, "'\(app.program)' could not be started: \(error.reason)")
    }
    let (ended, keeper) = (fcntl(self.ended, F_DUPFD_CLOEXEC, 0), self)
    PlainThread.start("nb-open-url") {
      let code = child.wait()
      keeper.status.withLock { $0 = code }
      var one: UInt64 = 1
      _ = write(ended, &one, 8)
      close(ended)
    }
  }

  func finish() {
    close(lock)
    close(inotify)
    close(ended)
  }
}

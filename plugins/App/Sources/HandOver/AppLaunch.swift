// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem
internal import Synchronization

/// Starts an app that is to take a URL, and waits until it does. Of several senders, one starts it.
final class AppLaunch: Sendable {
  private let app: RegisteredApp
  private let apps: RunningApps
  private let folder: String
  private let lock: FileLock
  private let inotify: Inotify
  private let end = End()
  private let hasStarted = Mutex<Bool>(false)
  /// How often a sender that waits for another's start looks whether that came to nothing, in milliseconds.
  private static let look = 200

  init(_ app: RegisteredApp, _ apps: RunningApps) throws {
    (self.app, self.apps) = (app, apps)
    folder = try SharedFolders.make(app.id, in: apps.root)
    do throws(SystemError) {
      lock = try FileLock(at: folder + "/.launch")
      inotify = try Inotify()
      guard end.wake.isOpen else { throw SystemError("wait", code: EMFILE) }
      _ = try inotify.watch(folder, UInt32(IN_MOVED_TO))
    } catch {
      throw BridgeError(SystemError("watch", folder, code: error.code))
    }
  }

  /// The started app's end.
  private final class End: Sendable {
    let wake = WakeFile()
    let status = Mutex<Int32?>(nil)
  }

  /// Starts the app if no other sender is about to, and waits until something happens.
  func wait(until end: Int) throws {
    if lock.tryTake(),
      !apps.instances(of: app.id).contains(where: apps.isAlive),
      hasStarted.withLock({ started in
        defer { started = true }
        return !started
      })
    {
      try start()
    }
    let isOurs = hasStarted.withLock { $0 }
    _ = Poller.wait(
      forAnyOf: [inotify.number, self.end.wake.number],
      milliseconds: min(end - MonotonicTime.milliseconds, isOurs ? .max : Self.look))
    _ = inotify.read()
    if let status = self.end.status.withLock({ $0 }) {
      throw BridgeError(
        .unavailable,
        """
        '\(app.id)' ended with status \(status) without asking for URLs (app.onOpenURL); \
        what it wrote is in '\(log)'
        """
      )
    }
  }

  /// The app holds the lock for as long as it runs, whichever sender started it: under this descriptor.
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
        streams: [0: .nothing, 1: .file(log), 2: .descriptor(1), Self.kept: .descriptor(lock.file.number)],
        newSession: true)
    } catch {
      throw BridgeError(.unavailable, "'\(app.program)' could not be started: \(error.reason)")
    }
    PlainThread.start("nb-open-url") { [end] in
      let code = child.wait()
      end.status.withLock { $0 = code }
      end.wake.set()
    }
  }

  func finish() { lock.file.close() }
}

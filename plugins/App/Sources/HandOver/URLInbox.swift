// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem
internal import Synchronization

/// A running app gets URLs here: a socket, a thread that takes messages, and the connections that wait for an
/// answer.
final class URLInbox: Sendable {
  private struct State {
    var waiting: [Int: Int32] = [:]
    var last = 0
    var isClosed = false
  }

  private let state = Mutex<State>(State())
  private let events: AsyncStream<OpenedURL>.Continuation
  private let socket: Descriptor
  private let lock: Descriptor
  private let instance: RunningApps.Instance
  private let apps: RunningApps
  private let schemes: Set<String>
  /// How long a sender has for its message.
  private static let patience = 2000

  /// - Throws: `invalid_parameter` without schemes in app.json, `conflict` for one that another app has.
  init(_ app: AppEnvironment, _ events: AsyncStream<OpenedURL>.Continuation) throws {
    self.events = events
    apps = RunningApps(shared: app.shared)
    schemes = Set(app.schemes.map { $0.lowercased() })
    let place = app.bundle ?? ""
    let claim = RunningApps.Claim(
      id: app.info.id, name: app.info.name, schemes: schemes.sorted(), place: place)
    try Self.check(claim, apps, AppRegistry(app.shared))
    let folder = try SharedFolders.make(claim.id, in: apps.root)
    let name = RandomName.make()
    instance = RunningApps.Instance(app: claim.id, folder: folder, name: name, made: 0)
    socket = try LocalSocket.listening(name, in: folder)
    // The file comes last, whole and locked: a sender that sees it may connect.
    lock = try Self.announce(claim, "\(folder)/\(name).json")
    PlainThread.start("nb-open-url") { [self] in accept() }
  }

  private static func check(_ claim: RunningApps.Claim, _ apps: RunningApps, _ registry: AppRegistry) throws {
    guard !claim.schemes.isEmpty else {
      throw BridgeError(
        .invalidParameter, "app.json declares no URL scheme; add \"schemes\": [\"my-scheme\"]")
    }
    for scheme in claim.schemes {
      try URLScheme.checkClaim(scheme)
      if let other = registry.app(for: scheme), other.id != claim.id {
        throw AppRegistry.claimed(scheme, by: (other.id, other.script), and: (claim.id, claim.place))
      }
      if let other = apps.app(for: scheme), other.id != claim.id {
        throw AppRegistry.claimed(scheme, by: (other.id, other.place), and: (claim.id, claim.place))
      }
    }
  }

  private static func announce(_ claim: RunningApps.Claim, _ path: String) throws -> Descriptor {
    let temporary = path + ".new"
    let text = try Value(encoding: claim).text
    do throws(SystemError) {
      let file = try Descriptor.open(temporary, O_RDWR | O_CREAT | O_EXCL | O_NOFOLLOW)
      guard try FileLock(file).attempt() else { throw SystemError("lock", path, code: EWOULDBLOCK) }
      try file.write(text)
      guard rename(temporary, path) == 0 else { throw .last("rename", path) }
      return file
    } catch {
      throw BridgeError(SystemError("write", path, code: error.code))
    }
  }

  private func accept() {
    while true {
      let descriptor = Glibc.accept(socket.number, nil, nil)
      if descriptor >= 0 {
        // A sender that says nothing must not keep the others waiting.
        if !PlainThread.start("nb-open-url", { [self] in take(descriptor) }) { close(descriptor) }
      } else if state.withLock({ $0.isClosed }) {
        break
      } else if errno != EINTR, errno != ECONNABORTED {
        usleep(Self.rest)  // no descriptors or no memory: others will let go of some
      }
    }
    socket.close()
    lock.close()
  }

  /// Microseconds.
  private static let rest: UInt32 = 50_000

  /// Reads a message and keeps the connection until it is answered or the sender has gone.
  private func take(_ descriptor: Int32) {
    _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
    let connection = LocalSocket(taking: descriptor)
    guard connection.isOwn,
      let message = try? connection.receive(milliseconds: Self.patience)?.decode(URLMessage.self),
      let scheme = try? URLScheme.of(message.url), schemes.contains(scheme)
    else { return }
    let number = state.withLock { state -> Int? in
      guard !state.isClosed else { return nil }
      state.last += 1
      state.waiting[state.last] = descriptor
      return state.last
    }
    guard let number else { return }
    events.yield(
      OpenedURL(number: number, url: message.url, source: message.source, annotation: message.annotation))
    connection.waitForEnd()
    // From here on no other thread uses the descriptor, which closes with this function.
    _ = state.withLock { $0.waiting.removeValue(forKey: number) }
  }

  /// Tells the sender whether its URL was handled. False when it does not wait any more.
  func answer(_ number: Int, handled: Bool) throws -> Bool {
    let reply = try Value(encoding: URLReply(handled: handled))
    return state.withLock { state in
      guard let descriptor = state.waiting.removeValue(forKey: number) else { return false }
      // The thread that keeps the connection closes it: it waits for the lock.
      let isSent = LocalSocket.send(reply, over: descriptor)
      shutdown(descriptor, Int32(SHUT_RDWR))
      return isSent
    }
  }

  func stop() {
    let waiting = state.withLock { state in
      defer { state.isClosed = true }
      return state.isClosed ? nil : state.waiting
    }
    guard let waiting else { return }
    apps.forget(instance)
    // Each thread wakes and closes what is its own.
    shutdown(socket.number, Int32(SHUT_RDWR))
    for descriptor in waiting.values { shutdown(descriptor, Int32(SHUT_RDWR)) }
    events.finish()
  }
}

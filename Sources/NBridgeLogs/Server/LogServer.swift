// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import CNBridgeLinux
internal import Glibc
internal import LoggerPlugin
internal import NBridgePlugin
internal import NBridgeSystem
internal import Synchronization

/// Takes records over a Unix socket and TCP, keeps them, confirms them, and tells the viewers that watch. One
/// thread.
package final class LogServer: @unchecked Sendable {
  // Sendable because after `start` only its thread uses what changes, but for `stop`.
  private let archive: LogArchive
  /// Kept for its lock.
  private let place: LogEndpoint
  private let listeners: [Descriptor]
  private let epoll: Epoll
  private let wakeup = WakeFile()
  /// Set when the thread has ended.
  private let hasEnded = WakeFile()
  private var clients: [Int32: LogClient] = [:]
  private var touched: Set<Int32> = []
  private let tell: @Sendable ([LogBatch]) -> Void
  private let fail: @Sendable (String) -> Void
  private let mustStop = Atomic<Bool>(false)
  private let socketPath: String
  /// Orphaned records of ended programs, taken in once.
  private let containers: [String]
  private var pendingSince: Int?
  private let takesAnyUser: Bool
  private let port: UInt16
  /// The users whose programs were turned away, so that each user is reported once.
  private var refused: Set<uid_t?> = []
  /// What all clients together hold of lines that have no end yet, in bytes.
  private var held = 0

  /// The bound of it. The client that holds most is cut.
  private static let maxHeld = 64 << 20
  /// What came is kept at once when there is so much of it, in bytes.
  private static let longCommit = 8 << 20

  /// Records wait so long for others, to be kept together.
  private static let commitDelay = 15
  private static let maxClients = 8192
  private let maxClients: Int
  private static let retry = 500
  private static let tidyEvery = 32
  private static let patience = 10_000

  /// - Parameters:
  ///   - tell: gets what was kept, on the server's thread.
  ///   - fail: gets what went wrong, on the server's thread.
  init(
    _ archive: LogArchive, _ place: LogEndpoint, tell: @escaping @Sendable ([LogBatch]) -> Void,
    fail: @escaping @Sendable (String) -> Void
  ) throws {
    self.archive = archive
    self.place = place
    self.tell = tell
    self.fail = fail
    socketPath = place.socketPath
    containers = place.containers
    takesAnyUser = place.takesAnyUser
    port = place.port
    listeners = [try place.listenLocally(), try place.listenTCP()].compactMap(\.self)
    do { epoll = try Epoll() } catch { throw BridgeError(error) }
    var limit = rlimit()
    if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
      limit.rlim_cur = limit.rlim_max
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
    // Some files are the store's and the terminal's.
    maxClients = max(1, min(Self.maxClients, Int(clamping: limit.rlim_cur) - 64))
    for number in listeners.map(\.number) + [wakeup.number] { watch(number) }
  }

  func start() {
    // What is large gets pages of its own, which go back to the system: many lines that grow side by side
    // would leave a heap of holes (mallopt(3): the threshold is fixed once it is set).
    mallopt(Self.mmapThreshold, 256 << 10)
    PlainThread.start("nb-logs") { [self] in run() }
  }

  /// M_MMAP_THRESHOLD (malloc.h).
  private static let mmapThreshold: Int32 = -3

  /// Ends it; returns when what came is kept.
  package func stop() {
    mustStop.store(true, ordering: .releasing)
    wakeup.set()
    hasEnded.wait(milliseconds: Self.patience)
  }

  private func watch(_ file: Int32) {
    // A connection that can't be waited for is never read; its sender still has what it sent.
    try? epoll.add(file, EPOLLIN.rawValue, tag: UInt64(file))
  }

  private static var now: Int { Int(g_get_monotonic_time() / 1000) }

  // MARK: - The thread

  private func run() {
    takeOrphans()
    var isTidy = false, commits = 0
    while !mustStop.load(ordering: .acquiring) {
      let events = epoll.wait(milliseconds: timeout(isTidy))
      for event in events { handle(Int32(event.tag)) }
      if !events.isEmpty { isTidy = false }
      if archive.hasNews, pendingSince == nil { pendingSince = Self.now }
      if let since = pendingSince, Self.now - since >= Self.commitDelay {
        commit()
        commits += 1
        // Where records never cease, what can wait must not wait for ever.
        if commits.isMultiple(of: Self.tidyEvery) { _ = try? archive.tidy() }
      }
      if events.isEmpty, pendingSince == nil { isTidy = (try? archive.tidy()) != true }
    }
    if archive.hasNews { commit() }
    unlink(socketPath)
    for listener in listeners { listener.close() }
    hasEnded.set()
  }

  private func timeout(_ isTidy: Bool) -> Int {
    if let pendingSince { return max(0, pendingSince + Self.commitDelay - Self.now) }
    return isTidy ? 10_000 : 5
  }

  /// Keeps what came, however long it takes: meanwhile nothing more is read, and the senders still have what
  /// they sent.
  private func commit() {
    var hasProblem = false
    while true {
      do {
        let batches = try archive.commit()
        pendingSince = nil
        if hasProblem { fail("the store can be written again") }
        for file in touched { clients[file]?.confirm(archive) }
        touched = []
        if !batches.isEmpty { tell(batches) }
        return
      } catch {
        if !hasProblem { fail("\((error as? BridgeError)?.message ?? "\(error)"); it is tried again") }
        hasProblem = true
        if mustStop.load(ordering: .acquiring) { return }
        usleep(useconds_t(Self.retry * 1000))
      }
    }
  }

  private func handle(_ file: Int32) {
    if file == wakeup.number { return }
    if listeners.contains(where: { $0.number == file }) { return accept(file) }
    guard let client = clients[file] else { return }
    let before = client.held
    let goesOn = client.read(archive)
    held += (goesOn ? client.held : 0) - before
    if held > Self.maxHeld { cutLongest() }
    if archive.waiting > Self.longCommit { commit() }
    if !goesOn {
      epoll.remove(file)
      clients[file] = nil
      touched.remove(file)
      return
    }
    touched.insert(file)
    // A client that greeted gets an answer at once.
    if client.mustAnswer { client.confirm(archive) }
  }

  /// Ends lines that have none, the longest first, until there is room again.
  private func cutLongest() {
    while held > Self.maxHeld, let longest = clients.values.max(by: { $0.held < $1.held }) {
      let before = longest.held
      longest.cut(archive)
      guard longest.held < before else { return }
      held += longest.held - before
    }
  }

  private func accept(_ listener: Int32) {
    let isLocal = listener == listeners.first?.number
    var new: [Int32] = []
    while case let file = nb_accept(listener), file >= 0 { new.append(file) }
    // One look at the tables for all of them, before anything is taken of any.
    let peers = isLocal || takesAnyUser || new.isEmpty ? nil : TCPPeers()
    for file in new {
      // Clients that come over TCP must not keep this user's programs out.
      guard clients.count < (isLocal ? maxClients : maxClients * 3 / 4), mayConnect(file, peers) else {
        close(file)
        continue
      }
      clients[file] = LogClient(file, isLocal: isLocal)
      watch(file)
    }
  }

  private func mayConnect(_ file: Int32, _ peers: TCPPeers?) -> Bool {
    if takesAnyUser { return true }
    guard let peers else { return UnixSocket.isOwn(file) }
    let user = peers.user(of: file)
    if user == getuid() { return true }
    if refused.insert(user).inserted {
      let who =
        user.map { "a program of user \($0)'s" }
        ?? "a program that closed its connection before it could be asked whose it is"
      fail("\(who) was turned away at port \(port); --any-user takes its lines")
    }
    return false
  }

  /// What programs left behind that ended while there was no viewer.
  private func takeOrphans() {
    for container in containers {
      for (path, file) in SpooledRuns.abandoned(in: container + "/" + SpooledRuns.folder) {
        guard let bytes = SpooledRuns.contents(file) else { continue }
        let client = LogClient(-1, isLocal: true)
        bytes.withUnsafeBufferPointer { client.take($0, archive) }
        client.finish(archive)
        if client.isKnown, (try? archive.commit()).map(tell) != nil { unlink(path) }
      }
    }
  }
}

// SPDX-License-Identifier: MIT

internal import CGLib
internal import CLinux
internal import Glibc
internal import LoggerPlugin
internal import NBridgePlugin
internal import Synchronization

/// Takes records over a Unix socket and TCP, keeps them, confirms them, and tells who watches. One thread.
package final class LogServer: @unchecked Sendable {
  // Sendable because after `start` only its thread uses what changes, but for `stop`.
  private let archive: LogArchive
  private let listeners: [Int32]
  private let epoll: Int32
  private let wakeup: Int32
  /// Readable when the thread has ended.
  private let hasEnded: Int32
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
  /// Whose programs were turned away, so that each is told of once.
  private var refused: Set<uid_t?> = []
  /// What all clients together hold of lines that have no end yet, in bytes.
  private var held = 0

  /// The bound of it. Whoever holds most is cut.
  private static let maxHeld = 64 << 20
  /// What came is kept at once when there is so much of it, in bytes.
  private static let longCommit = 8 << 20

  /// Records wait so long for others, to be kept together.
  private static let commitDelay = 15
  private static let maxClients = 8192
  private let maxClients: Int
  private static let retry = 500
  private static let tidyEvery = 32
  private static let patience: Int32 = 10_000

  /// - Parameters:
  ///   - tell: gets what was kept, on the server's thread.
  ///   - fail: gets what went wrong, on the server's thread.
  init(
    _ archive: LogArchive, _ place: LogEndpoint, tell: @escaping @Sendable ([LogBatch]) -> Void,
    fail: @escaping @Sendable (String) -> Void
  ) throws {
    self.archive = archive
    self.tell = tell
    self.fail = fail
    socketPath = place.socketPath
    containers = place.containers
    takesAnyUser = place.takesAnyUser
    port = place.port
    listeners = [try place.listenLocally(), try place.listenTCP()].compactMap(\.self)
    epoll = epoll_create1(Int32(EPOLL_CLOEXEC))
    wakeup = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    hasEnded = eventfd(0, Int32(EFD_CLOEXEC | EFD_NONBLOCK))
    var limit = rlimit()
    if getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 {
      limit.rlim_cur = limit.rlim_max
      setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit)
    }
    // Some files are the store's and the terminal's.
    maxClients = max(1, min(Self.maxClients, Int(clamping: limit.rlim_cur) - 64))
    for file in listeners + [wakeup] { watch(file) }
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
    var one: UInt64 = 1
    _ = write(wakeup, &one, 8)
    var end = pollfd(fd: hasEnded, events: Int16(POLLIN), revents: 0)
    poll(&end, 1, Self.patience)
  }

  private func watch(_ file: Int32) {
    var event = epoll_event(events: EPOLLIN.rawValue, data: epoll_data(fd: file))
    epoll_ctl(epoll, EPOLL_CTL_ADD, file, &event)
  }

  private static var now: Int { Int(g_get_monotonic_time() / 1000) }

  // MARK: - The thread

  private func run() {
    takeOrphans()
    var isTidy = false, commits = 0
    withUnsafeTemporaryAllocation(of: epoll_event.self, capacity: 64) { events in
      while !mustStop.load(ordering: .acquiring) {
        let count = Int(epoll_wait(epoll, events.baseAddress, Int32(events.count), timeout(isTidy)))
        for event in events.prefix(max(0, count)) { handle(event.data.fd) }
        if count > 0 { isTidy = false }
        if archive.hasNews, pendingSince == nil { pendingSince = Self.now }
        if let since = pendingSince, Self.now - since >= Self.commitDelay {
          commit()
          commits += 1
          // Where records never cease, what can wait must not wait for ever.
          if commits.isMultiple(of: Self.tidyEvery) { _ = try? archive.tidy() }
        }
        if count == 0, pendingSince == nil { isTidy = (try? archive.tidy()) != true }
      }
    }
    if archive.hasNews { commit() }
    unlink(socketPath)
    for file in listeners { close(file) }
    var one: UInt64 = 1
    _ = write(hasEnded, &one, 8)
  }

  private func timeout(_ isTidy: Bool) -> Int32 {
    if let pendingSince {
      return Int32(max(0, pendingSince + Self.commitDelay - Self.now))
    }
    return isTidy ? 10_000 : 5
  }

  /// Keeps what came, however long it takes: meanwhile nothing more is read, and whoever sent it has it
  /// still.
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
    if file == wakeup { return }
    if listeners.contains(file) { return accept(file) }
    guard let client = clients[file] else { return }
    let before = client.held
    let goesOn = client.read(archive)
    held += (goesOn ? client.held : 0) - before
    if held > Self.maxHeld { cutLongest() }
    if archive.waiting > Self.longCommit { commit() }
    if !goesOn {
      epoll_ctl(epoll, EPOLL_CTL_DEL, file, nil)
      clients[file] = nil
      touched.remove(file)
      return
    }
    touched.insert(file)
    // Who greeted gets an answer at once.
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
    let isLocal = listener == listeners.first
    var new: [Int32] = []
    while case let file = nb_accept(listener), file >= 0 { new.append(file) }
    // One look at the tables for all of them, before anything is taken of any.
    let peers = isLocal || takesAnyUser || new.isEmpty ? nil : TCPPeers()
    for file in new {
      // Who comes over TCP must not keep this user's programs out.
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
    guard let peers else { return UnixAddress.isOwn(file) }
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
        defer { close(file) }
        guard let bytes = SpooledRuns.contents(file) else { continue }
        let client = LogClient(-1, isLocal: true)
        bytes.withUnsafeBufferPointer { client.take($0, archive) }
        client.finish(archive)
        if client.isKnown, (try? archive.commit()).map(tell) != nil { unlink(path) }
      }
    }
  }
}

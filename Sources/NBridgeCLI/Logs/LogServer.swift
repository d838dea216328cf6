// SPDX-License-Identifier: MIT

internal import CGLib
internal import CLinux
internal import Glibc
internal import LoggerPlugin
internal import NBridgePlugin
internal import Synchronization

/// Takes records over a Unix socket and TCP, keeps them, confirms them, and tells who watches. One thread.
final class LogServer: @unchecked Sendable {
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

  /// Records wait so long for others, to be kept together.
  private static let commitDelay = 15
  private static let mostClients = 8192
  private let mostClients: Int
  private static let retry = 500
  private static let tidyEvery = 32
  private static let patience: Int32 = 10_000

  /// - Parameters:
  ///   - tell: gets what was kept, on the server's thread.
  ///   - fail: gets what went wrong, on the server's thread.
  init(
    _ archive: LogArchive, _ place: LogPlace, tell: @escaping @Sendable ([LogBatch]) -> Void,
    fail: @escaping @Sendable (String) -> Void
  ) throws {
    self.archive = archive
    self.tell = tell
    self.fail = fail
    socketPath = place.socketPath
    containers = place.containers
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
    mostClients = max(1, min(Self.mostClients, Int(clamping: limit.rlim_cur) - 64))
    for file in listeners + [wakeup] { watch(file) }
  }

  func start() { PlainThread.start("nb-logs") { [self] in run() } }

  /// Ends it; returns when what came is kept.
  func stop() {
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

  /// Keeps what came, however long it takes: meanwhile nothing more is read, and whoever sent it has it still.
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
    if !client.read(archive) {
      epoll_ctl(epoll, EPOLL_CTL_DEL, file, nil)
      clients[file] = nil
      touched.remove(file)
      return
    }
    touched.insert(file)
    // Who greeted gets an answer at once.
    if client.mustAnswer { client.confirm(archive) }
  }

  private func accept(_ listener: Int32) {
    while true {
      let file = nb_accept(listener)
      guard file >= 0 else { return }
      let isLocal = listener == listeners.first
      // Who comes over TCP must not keep this user's programs out.
      guard clients.count < (isLocal ? mostClients : mostClients * 3 / 4),
        listener != listeners.first || UnixAddress.isOwn(file)
      else {
        close(file)
        continue
      }
      clients[file] = LogClient(file, isLocal: isLocal)
      watch(file)
    }
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

/// One connection. Used by the server's thread.
final class LogClient {
  private let file: Int32
  private let isLocal: Bool
  private var intake = LogIntake()
  private var name: String?
  private var hasEnded = false
  private(set) var mustAnswer = false
  private static let piece = 256 << 10
  private static let longestName = 256

  init(_ file: Int32, isLocal: Bool) { (self.file, self.isLocal) = (file, isLocal) }
  deinit { if file >= 0 { close(file) } }

  /// Whether it is a program that greeted.
  var isKnown: Bool { name != nil }

  /// Reads once; false when it is over.
  func read(_ archive: LogArchive) -> Bool {
    withUnsafeTemporaryAllocation(byteCount: Self.piece, alignment: 16) { buffer in
      let count = recv(file, buffer.baseAddress, buffer.count, Int32(MSG_DONTWAIT))
      if count < 0, errno == EAGAIN || errno == EINTR { return true }
      guard count > 0 else {
        finish(archive)
        return false
      }
      take(
        UnsafeBufferPointer(rebasing: UnsafeBufferPointer(buffer.bindMemory(to: UInt8.self))[..<count]),
        archive)
      return true
    }
  }

  func take(_ bytes: UnsafeBufferPointer<UInt8>, _ archive: LogArchive) {
    var intake = self.intake
    self.intake = LogIntake()
    intake.take(bytes) { event, line in handle(event, line, archive) }
    self.intake = intake
  }

  func finish(_ archive: LogArchive) {
    intake.finish { event, line in handle(event, line, archive) }
    guard let name else { return }
    if !hasEnded { noteLoss(archive) }
    archive.leave(name)
  }

  private func handle(_ event: LogIntake.Event, _ line: UnsafeBufferPointer<UInt8>, _ archive: LogArchive) {
    switch event {
    case .hello(let hello):
      guard name == nil, hello.source.utf8.count <= Self.longestName, hello.app.utf8.count <= Self.longestName
      else {
        return
      }
      // Who comes over TCP may be anybody: he is not taken for one of this user's programs.
      let name = isLocal ? hello.source : "tcp:" + hello.source
      guard (try? archive.join(name, app: isLocal ? hello.app : "tcp:" + hello.app, pid: hello.pid)) != nil
      else { return }
      self.name = name
      mustAnswer = true
    case .record(let number, let rank):
      if let name { _ = archive.add(number, rank, line, of: name) }
    case .foreign(let rank, let json):
      guard let source = try? archive.source(isLocal ? "socket" : "tcp", app: "socket", pid: 0) else {
        return
      }
      json.withUnsafeBufferPointer { archive.add(source.id, rank, $0) }
    case .end: hasEnded = true
    case .lost: noteLoss(archive)
    }
  }

  /// The program was killed, or crashed.
  private func noteLoss(_ archive: LogArchive) {
    hasEnded = true
    guard let name, let source = try? archive.source(name, app: "", pid: 0) else { return }
    let text =
      "\(source.app) (process \(source.pid)) ended without a word: what it logged last may be missing"
    var json = Array(
      "{\"time\":\"\(WallTime.now())\",\"level\":\"notice\",\"service\":\"logs\",\"message\":".utf8)
    JSONText.append(text, to: &json)
    json.append(UInt8(ascii: "}"))
    json.withUnsafeBufferPointer { archive.add(source.id, LogLevel.notice.rank, $0) }
  }

  /// Says how far its records are kept.
  func confirm(_ archive: LogArchive) {
    mustAnswer = false
    guard let name, file >= 0 else { return }
    let line = ViewerWire.next(archive.next(of: name))
    _ = send(file, line, line.count, Int32(MSG_NOSIGNAL | MSG_DONTWAIT))
  }
}

// SPDX-License-Identifier: MIT

internal import CNBridgeLinux
internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem
internal import Synchronization

/// Peers of one user on one machine: Unix sockets in a folder that no other user can enter. No daemon.
final class LocalTransport: PeerTransport {
  private struct State {
    var links: [LinkID: LocalLink] = [:]
    var touched: [LinkID] = []
    var listener: LocalListener?
    var delegate: (any TransportDelegate)?
    var id: PeerID?
    var unanswered = 0
    var isOver = false

    /// Behind the last link, nobody hears of anything: who would keeps this, too.
    mutating func letGo() {
      if isOver, links.isEmpty { delegate = nil }
    }
  }

  private let reactor: Reactor
  private let rendezvous: Rendezvous
  private let state = Mutex(State())
  private let key: Int

  /// Numbers for links and for sessions' times, unique in the process.
  private static let numbers = Atomic<Int>(1)
  static func number() -> Int { numbers.add(1, ordering: .relaxed).newValue }

  /// A backlog that is full is tried again so often, a little later each time.
  private static let connectPause: Microseconds = 10_000
  private static let connectAttempts = 100
  /// So many links at most; a peer that connects then is not let in.
  private static let maxLinks = 2048

  init(_ rendezvous: Rendezvous, _ reactor: Reactor) {
    (self.rendezvous, self.reactor) = (rendezvous, reactor)
    key = Self.number()
  }

  var now: Microseconds { Reactor.now }
  func address(of id: PeerID) -> String { id.description }

  func start(_ id: PeerID, _ delegate: any TransportDelegate) throws {
    let listener = try LocalListener(id.description, in: rendezvous.folder) { [weak self] in
      self?.accepted($0)
    }
    state.withLock { state in
      (state.id, state.delegate, state.listener) = (id, delegate, listener)
    }
    reactor.start()
    reactor.submit { [reactor] in listener.start(reactor) }
  }

  // MARK: - Finding

  func advertise(_ advertisement: Advertisement?) throws { try rendezvous.advertise(advertisement) }

  func browse() throws {
    try rendezvous.browse { [weak self] event in
      let delegate = self?.state.withLock { $0.isOver ? nil : $0.delegate }
      switch event {
      case .found(let advertisement): delegate?.found(advertisement)
      case .lost(let id): delegate?.lost(id)
      }
    }
  }

  // MARK: - Links

  func connect(attempt: Int, to address: String) {
    reactor.submit { [weak self] in self?.connect(attempt, address, tries: 0) }
  }

  private func connect(_ attempt: Int, _ address: String, tries: Int) {
    guard let delegate = state.withLock({ $0.isOver ? nil : $0.delegate }) else { return }
    guard PeerID(address) != nil else { return delegate.connectFailed(attempt: attempt, isGone: true) }
    let descriptor = socket(
      AF_UNIX, Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue | SOCK_NONBLOCK.rawValue), 0)
    guard descriptor >= 0 else { return delegate.connectFailed(attempt: attempt, isGone: false) }
    let status =
      (try? UnixAddress.with(address, in: rendezvous.folder) { Glibc.connect(descriptor, $0, $1) }) ?? -1
    let reason = errno
    if status == 0, UnixSocket.isOwn(descriptor) {
      let link = add(descriptor)
      delegate.linkUp(
        link.id, attempt: attempt, isReliable: true, binding: LocalBinding.of(descriptor))
      link.start()
      return
    }
    Glibc.close(descriptor)
    if status != 0, reason == EAGAIN, tries < Self.connectAttempts {
      reactor.call(Self.number(), at: now + Self.connectPause) { [weak self] in
        self?.connect(attempt, address, tries: tries + 1)
      }
      return
    }
    let isGone = status != 0 && (reason == ECONNREFUSED || reason == ENOENT)
    if isGone, reason == ECONNREFUSED { rendezvous.forget(address) }
    delegate.connectFailed(attempt: attempt, isGone: isGone)
  }

  private func accepted(_ descriptor: Int32) {
    let delegate = state.withLock { $0.isOver || $0.links.count >= Self.maxLinks ? nil : $0.delegate }
    guard let delegate, UnixSocket.isOwn(descriptor) else {
      Glibc.close(descriptor)
      return
    }
    let link = add(descriptor)
    delegate.linkUp(link.id, attempt: nil, isReliable: true, binding: LocalBinding.of(descriptor))
    link.start()
  }

  private func add(_ descriptor: Int32) -> LocalLink {
    let link = LocalLink(Self.number(), descriptor, reactor, self)
    state.withLock { $0.links[link.id] = link }
    return link
  }

  func send(_ frame: OutFrame, over link: LinkID) {
    let link = state.withLock { state -> LocalLink? in
      guard let found = state.links[link] else { return nil }
      if state.touched.last != link { state.touched.append(link) }
      return found
    }
    link?.put(frame)
  }

  func flush() {
    let links = state.withLock { state in
      defer { state.touched.removeAll(keepingCapacity: true) }
      return state.touched.compactMap { state.links[$0] }
    }
    for link in links { link.flush(mayWait: true) }
  }

  func close(_ link: LinkID) {
    state.withLock { $0.links[link] }?.end()
  }

  func wake(at time: Microseconds?) {
    reactor.call(key, at: time) { [weak self] in
      self?.state.withLock { $0.isOver ? nil : $0.delegate }?.tick()
    }
  }

  // MARK: - What links tell

  func received(_ memory: UnsafeRawBufferPointer, _ frames: [Range<Int>], _ link: LocalLink) {
    state.withLock { $0.delegate }?.received(memory, frames: frames, over: link.id)
  }

  func broken(_ link: LocalLink, _ problem: String) {
    state.withLock { $0.delegate }?.broken(link.id, problem)
  }

  func ended(_ link: LocalLink) {
    let delegate = state.withLock { state -> (any TransportDelegate)? in
      guard state.links.removeValue(forKey: link.id) != nil else { return nil }
      defer { state.letGo() }
      return state.delegate
    }
    delegate?.linkDown(link.id)
  }

  // MARK: - The end

  func stop() {
    let (listener, links) = state.withLock { state in
      defer {
        (state.isOver, state.listener) = (true, nil)
        state.letGo()
      }
      return (state.listener, Array(state.links.values))
    }
    rendezvous.stop()
    listener?.unlink()
    if let listener { reactor.submit { [reactor] in listener.stop(reactor) } }
    for link in links { link.end() }
    reactor.call(key, at: nil) {}
  }
}

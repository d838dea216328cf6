// SPDX-License-Identifier: MIT

internal import Glibc
package import NBridgeHost
internal import NBridgePlugin
internal import NBridgeSystem

/// Broadcast channels between the programs of one app that run at the same time.
///
/// Each listens at a socket in a folder of the app's container. One that begins connects with all that are
/// there, and says where it listens itself; those connect back. A program writes to the connections that it
/// made and reads from those that were made to it, so nothing comes twice. Nothing of this is there before a
/// script makes a `BroadcastChannel`.
///
/// Confined to the loop's thread, but for what says otherwise.
package final class ProgramChannels: @unchecked Sendable {  // see above
  private let loop: EventLoop
  private let makeFolder: () throws -> String
  private let note: (String) -> Void
  private var deliver: (ChannelFrame) -> Void = { _ in }
  private var folder = ""
  private var name = ""
  private var listener: Descriptor?
  private var listening: DescriptorSource?
  private var peers: [String: ChannelPeer] = [:]
  private var readers: [ObjectIdentifier: ChannelReader] = [:]
  private var hasBegun = false
  /// How often each program was left out that took nothing.
  private var omissions: [String: Int] = [:]

  /// So many may come while a program computes and takes nobody.
  private static let queue = SOMAXCONN
  /// More programs than one app has; each costs two descriptors.
  private static let mostPeers = 256
  /// How long a program without a free descriptor waits before it looks for one again, in microseconds.
  private static let pause = 1_000_000
  /// How long one may take nothing of what waits for it, in milliseconds.
  private static let longestRest = 1000
  /// Each time it is tried again after twice the time, up to a minute.
  private static let mostDoublings = 6
  /// How long all others together have to take what is left at the end, in milliseconds.
  private static let patience = 5000

  /// - Parameters:
  ///   - makeFolder: makes the folder of the sockets, which is the user's alone. Where there is none, the
  ///     channels are those of this program.
  ///   - note: hears, in a sentence for people, that messages were lost.
  package init(
    _ loop: EventLoop, makeFolder: @escaping () throws -> String, note: @escaping (String) -> Void
  ) {
    (self.loop, self.makeFolder, self.note) = (loop, makeFolder, note)
  }

  /// Begins to hear others. Any thread; at once on the loop's.
  func begin(_ deliver: @escaping @Sendable (ChannelFrame) -> Void) {
    onLoop { $0.open(deliver) }
  }

  /// Tells the others, if there are any. Any thread.
  func send(_ makeFrame: @escaping @Sendable () -> ChannelFrame) {
    onLoop { channels in
      guard !channels.peers.isEmpty else { return }
      let bytes = makeFrame().bytes
      for (name, peer) in channels.peers {
        peer.send(bytes)
        if !channels.waitForRoom(peer) { channels.leaveOut(name, peer) }
      }
    }
  }

  /// Waits until no more waits for a program than may: a script that posts without end goes no faster than
  /// who takes it. What others send is read meanwhile, for two may tell each other much at once.
  ///
  /// - Returns: false for one that takes nothing.
  private func waitForRoom(_ peer: ChannelPeer) -> Bool {
    var end = MonotonicTime.milliseconds + Self.longestRest
    while peer.isFull {
      let readers = Array(readers.values)
      var events = [pollfd(fd: peer.number, events: Int16(POLLOUT), revents: 0)]
      events += readers.map { pollfd(fd: $0.number, events: Int16(POLLIN), revents: 0) }
      let left = end - MonotonicTime.milliseconds
      guard left > 0 else { return false }
      if poll(&events, nfds_t(events.count), Int32(left)) < 0, errno != EINTR { return false }
      for (reader, event) in zip(readers, events.dropFirst()) where event.revents != 0 { reader.read() }
      guard events[0].revents != 0 else { continue }
      peer.write()
      end = MonotonicTime.milliseconds + Self.longestRest
    }
    return true
  }

  /// What waits for it is lost. It may be stopped, or compute for long, and come back.
  private func leaveOut(_ name: String, _ peer: ChannelPeer) {
    peer.close()
    peers[name] = nil
    let times = omissions[name, default: 0]
    omissions[name] = min(times + 1, Self.mostDoublings)
    if times == 0 {
      note(
        "another program of this app takes no messages of BroadcastChannel: those that wait for it are lost")
    }
    loop.schedule(at: loop.clock.now + Self.pause << times) { [weak self] in self?.connect(name) }
  }

  private func onLoop(_ body: @escaping @Sendable (ProgramChannels) -> Void) {
    if loop.isIsolatingCurrentContext() == true { return body(self) }
    loop.post { [weak self] in if let self { body(self) } }
  }

  // MARK: - Meeting

  private func open(_ deliver: @escaping (ChannelFrame) -> Void) {
    if hasBegun { return }
    hasBegun = true
    self.deliver = deliver
    guard let folder = try? makeFolder(), let made = Self.listen(in: folder) else { return }
    (self.folder, name, listener) = (folder, made.name, made.socket)
    listenAgain()
    for other in FolderNames.of(folder) where other != name { connect(other) }
  }

  /// A socket that can be seen is one that listens: it gets its name when it does.
  private static func listen(in folder: String) -> (name: String, socket: Descriptor)? {
    let name = RandomName.make()
    guard let socket = try? UnixSocket.listening(".\(name)", in: folder, queue: queue, waits: false),
      rename("\(folder)/.\(name)", "\(folder)/\(name)") == 0
    else { return nil }
    return (name, socket)
  }

  private func connect(_ other: String) {
    guard peers[other] == nil, peers.count < Self.mostPeers, Self.isName(other), !folder.isEmpty else {
      return
    }
    let socket: Descriptor
    do {
      socket = try UnixSocket.make(waits: false)
      try UnixSocket.connect(socket, other, in: folder)
    } catch {
      switch error.code {
      // It was left behind: no program gets its name again.
      case ECONNREFUSED: unlink("\(folder)/\(other)")
      // Here or there is no room for now.
      case EAGAIN, EMFILE, ENFILE:
        loop.schedule(at: loop.clock.now + Self.pause) { [weak self] in self?.connect(other) }
      default: break
      }
      return
    }
    guard UnixSocket.isOwn(socket.number) else { return }
    let peer = ChannelPeer(socket, loop) { [weak self] in self?.peers[other] = nil }
    peers[other] = peer
    peer.send(ChannelFrame.hello(name).bytes)
  }

  /// As `RandomName` makes them: a name that says the way elsewhere is none.
  private static func isName(_ text: String) -> Bool {
    text.utf8.count == 32 && text.utf8.allSatisfy { 0x30...0x39 ~= $0 || 0x61...0x66 ~= $0 }
  }

  /// Takes who has connected, and goes on taking; does nothing while that is so already.
  private func listenAgain() {
    guard let listener, listening == nil else { return }
    listening = loop.watch(listener.number) { [weak self] in self?.accept() }
  }

  private func accept() {
    guard let listener else { return }
    while readers.count < Self.mostPeers {
      let socket: Descriptor
      do { socket = try UnixSocket.accept(listener.number) } catch {
        if error.code == EAGAIN || error.code == ECONNABORTED || error.code == EINTR { return }
        loop.schedule(at: loop.clock.now + Self.pause) { [weak self] in self?.listenAgain() }
        break
      }
      if UnixSocket.isOwn(socket.number) { hear(socket) }
    }
    // No room for another: who comes waits until there is, and is not looked at again and again.
    listening?.close()
    listening = nil
  }

  private func hear(_ socket: Descriptor) {
    var key: ObjectIdentifier?
    let reader = ChannelReader(socket, loop) { [weak self] frame in
      self?.take(frame)
    } gone: { [weak self] in
      if let key { self?.readers[key] = nil }
      self?.listenAgain()
    }
    key = ObjectIdentifier(reader)
    readers[ObjectIdentifier(reader)] = reader
  }

  private func take(_ frame: ChannelFrame) {
    if case .hello(let other) = frame { return connect(other) }
    deliver(frame)
  }

  // MARK: - The end

  /// Lets the others take what is left, and goes.
  package func close() {
    let end = MonotonicTime.milliseconds + Self.patience
    for peer in peers.values where !peer.hasSentAll { peer.finish(by: end) }
    for peer in peers.values { peer.close() }
    for reader in readers.values { reader.close() }
    (peers, readers) = ([:], [:])
    listening?.close()
    listening = nil
    listener?.close()
    listener = nil
    if !name.isEmpty { unlink("\(folder)/\(name)") }
    folder = ""
    deliver = { _ in }
  }
}

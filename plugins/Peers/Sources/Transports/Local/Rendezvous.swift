// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import CNBridgeLinux
internal import Glibc
internal import NBridgePlugin
internal import NBridgeStore
internal import NBridgeSystem
internal import Synchronization

/// Where the peers of one service type find each other: a folder with a socket for each, and beside it, while
/// it is announced, a file that says which peer it is. The announcer holds that file open and locked; the
/// kernel lets the lock go however the process ends, so a file that is not locked has no owner, and the peer
/// that finds it takes it away.
final class Rendezvous: Sendable {
  /// What browsing tells.
  enum Event: Sendable {
    case found(Advertisement)
    case lost(PeerID)
  }

  private struct State {
    var file: Descriptor?
    var path: String?
    var watcher: FolderWatcher?
    var known: [PeerID: Advertisement] = [:]
  }

  let folder: String
  private let state = Mutex(State())

  private static let suffix = ".peer"
  /// The largest announcement, in bytes.
  private static let largest = 8192
  /// A lock goes a little after the file was closed: so often, and in so many milliseconds, it is looked at
  /// again.
  private static let looks = (count: 20, pause: 2)

  init(_ serviceType: String, in runtime: String) throws {
    folder = try SharedFolders.make("peers/\(serviceType)", in: runtime)
  }

  // MARK: - Being found

  func advertise(_ advertisement: Advertisement?) throws {
    guard let advertisement else { return withdraw() }
    let text = try Value(encoding: advertisement).text
    let path = "\(folder)/\(advertisement.id)\(Self.suffix)"
    let temporary = "\(folder)/.\(RandomName.make())"
    let file = try announce(text, temporary, path)
    // The one before goes with its lock.
    state.withLock { ($0.file, $0.path) = (file, path) }
  }

  /// A file with a text, locked before it gets its name.
  private func announce(_ text: [UInt8], _ temporary: String, _ path: String) throws -> Descriptor {
    do throws(SystemError) {
      let file = try Descriptor.open(temporary, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW)
      guard try FileLock(file).attempt() else { throw SystemError("lock", temporary, code: EWOULDBLOCK) }
      try file.write(text)
      guard rename(temporary, path) == 0 else { throw .last("rename", temporary) }
      return file
    } catch {
      unlink(temporary)
      throw BridgeError(SystemError("announce the peer in", folder, code: error.code))
    }
  }

  private func withdraw() {
    state.withLock { state in
      if let path = state.path { unlink(path) }
      (state.file, state.path) = (nil, nil)
    }
  }

  /// Removes a socket that no process listens at any more.
  func forget(_ name: String) {
    guard PeerID(name) != nil else { return }
    unlink("\(folder)/\(name)")
  }

  // MARK: - Finding

  func browse(_ tell: @escaping @Sendable (Event) -> Void) throws {
    guard state.withLock({ $0.watcher == nil }) else { return }
    let mask = IN_MOVED_TO | IN_DELETE | IN_CLOSE_WRITE
    let watcher = try FolderWatcher([(folder, mask)]) { [folder] in try? Folders.make(folder) }
    let isFirst = state.withLock { state in
      guard state.watcher == nil else { return false }
      state.watcher = watcher
      return true
    }
    guard isFirst else { return }
    let looker = Looker(self, tell)
    watcher.start("nb-rendezvous") { looker.look($0) }
  }

  private func stopBrowsing() {
    let watcher = state.withLock { state in
      defer { (state.watcher, state.known) = (nil, [:]) }
      return state.watcher
    }
    watcher?.stop()
  }

  func stop() {
    withdraw()
    stopBrowsing()
  }

  /// Looks at the folder: wholly at first, then at what changed. Used by the watcher's thread only.
  private final class Looker: Sendable {
    private let rendezvous: Rendezvous
    private let tell: @Sendable (Event) -> Void
    private let state = Mutex<(hasLooked: Bool, again: [String: Int])>((false, [:]))

    init(_ rendezvous: Rendezvous, _ tell: @escaping @Sendable (Event) -> Void) {
      (self.rendezvous, self.tell) = (rendezvous, tell)
    }

    /// Answers in how many milliseconds it looks again.
    func look(_ events: [FolderWatcher.Event]) -> Int? {
      state.withLock { state in
        var names = Set(state.again.keys)
        let isLost = events.contains { $0.mask & UInt32(IN_Q_OVERFLOW | IN_IGNORED) != 0 }
        if !state.hasLooked || isLost {
          state.hasLooked = true
          let all = FolderNames.of(rendezvous.folder)
          rendezvous.sweep(all)
          names.formUnion(all)
          names.formUnion(rendezvous.knownNames)
        }
        for event in events {
          names.insert(event.name)
          if event.mask & UInt32(IN_CLOSE_WRITE) != 0 { state.again[event.name] = Rendezvous.looks.count }
        }
        for name in names.sorted() {
          rendezvous.look(at: name, tell)
          if let left = state.again[name] { state.again[name] = left > 1 ? left - 1 : nil }
        }
        return state.again.isEmpty ? nil : Rendezvous.looks.pause
      }
    }
  }

  /// Takes away sockets that no process listens at: killed processes left them before they were announced.
  fileprivate func sweep(_ names: [String]) {
    let announced = Set(names.filter { $0.hasSuffix(Self.suffix) })
    for name in names where PeerID(name) != nil && !announced.contains(name + Self.suffix) {
      guard let probe = try? UnixSocket.make(waits: false) else { return }
      do { try UnixSocket.connect(probe, name, in: folder) } catch {
        if error.code == ECONNREFUSED { unlink("\(folder)/\(name)") }
      }
    }
  }

  private var knownNames: [String] { state.withLock { $0.known.keys.map { "\($0)\(Self.suffix)" } } }

  private func look(at name: String, _ tell: (Event) -> Void) {
    guard name.hasSuffix(Self.suffix), let id = PeerID(name.dropLast(Self.suffix.count)) else { return }
    let found = read(name, id)
    let event = state.withLock { state -> Event? in
      guard let found else { return state.known.removeValue(forKey: id) == nil ? nil : .lost(id) }
      guard state.known[id] != found else { return nil }
      state.known[id] = found
      return .found(found)
    }
    if let event { tell(event) }
  }

  /// An announcement whose announcer lives; files without an owner are removed. Anything else that stands
  /// there is passed over: a link, a pipe, a folder, a file of another user, a huge one, one that says what
  /// can't be.
  private func read(_ name: String, _ id: PeerID) -> Advertisement? {
    let path = "\(folder)/\(name)"
    guard let file = try? Descriptor.open(path, O_RDONLY | O_NOFOLLOW | O_NONBLOCK) else { return nil }
    var status = stat()
    guard fstat(file.number, &status) == 0, status.st_mode & S_IFMT == S_IFREG, status.st_uid == getuid()
    else {
      return nil
    }
    if FileLock(file).tryTake(.shared) {
      // The lock of one that was replaced goes after the new one stands in its place.
      var current = stat()
      if lstat(path, &current) == 0, current.st_ino == status.st_ino {
        unlink(path)
        unlink("\(folder)/\(id)")
      }
      return nil
    }
    guard status.st_size <= Self.largest, let bytes = try? file.read(Self.largest, at: 0), !bytes.isEmpty
    else {
      return nil
    }
    let value = Value(text: bytes)
    guard value.isSound, let found = try? value.decode(Advertisement.self), found.id == id.description,
      found.address == found.id, PeerName.problem(found.name) == nil, DiscoveryInfo.problem(found.info) == nil
    else { return nil }
    return found
  }
}

// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgeHost
internal import NBridgePlugin
internal import NBridgeSystem

/// The one program of an app that has a window. A second start gives it its arguments, and ends. Confined to
/// the
/// engine's thread.
final class WindowInstance {
  private let lock: FileLock
  private let socket: Descriptor
  private let loop: EventLoop
  private var source: DescriptorSource?
  private var visits: [Int32: Visit] = [:]
  private let started: ([String]) -> Void

  private static let name = "instance"
  private static let queue: Int32 = 16
  /// In bytes.
  private static let limit = 1 << 20
  /// So long a second start waits for the first, in milliseconds.
  private static let patience = 5_000
  private static let taken = UInt8(ascii: "1")

  /// Takes the place in a folder of the app's own; nil when a program has it, which got the arguments.
  ///
  /// - Parameter started: called with the arguments of each later start.
  /// - Throws: when a program has it and does not answer.
  init?(
    _ folder: String, _ arguments: [String], _ loop: EventLoop, started: @escaping ([String]) -> Void
  ) throws {
    (self.loop, self.started) = (loop, started)
    lock = try FileLock(at: "\(folder)/\(Self.name).lock")
    guard try lock.attempt() else {
      try Self.handOver(arguments, folder)
      return nil
    }
    // Who has the lock is the only one: what lies there is an ended program's.
    unlink("\(folder)/\(Self.name)")
    socket = try UnixSocket.listening(Self.name, in: folder, queue: Self.queue, waits: false)
    source = loop.watch(socket.number) { [unowned self] in accept() }
  }

  deinit { source?.close() }

  // MARK: - The first

  private final class Visit {
    let connection: Descriptor
    var source: DescriptorSource?
    var bytes: [UInt8] = []
    init(_ connection: Descriptor) { self.connection = connection }
  }

  private func accept() {
    while let made = try? UnixSocket.accept(socket.number) {
      guard UnixSocket.isOwn(made.number) else { continue }
      let number = made.number
      let visit = Visit(made)
      visits[number] = visit
      visit.source = loop.watch(number) { [unowned self] in read(number) }
    }
  }

  private func read(_ number: Int32) {
    guard let visit = visits[number] else { return }
    while true {
      var bytes = [UInt8](repeating: 0, count: 4096)
      let count = recv(number, &bytes, bytes.count, Int32(bitPattern: UInt32(MSG_DONTWAIT)))
      if count < 0, errno == EINTR { continue }
      if count < 0, errno == EAGAIN { return }
      visit.bytes += bytes.prefix(max(0, count))
      if count <= 0 || visit.bytes.count > Self.limit { break }
    }
    visit.source?.close()
    visits[number] = nil
    // Each word has an end, and so a message has: a start that was killed meanwhile asks for nothing.
    guard visit.bytes.last == 0, visit.bytes.count <= Self.limit else { return }
    let words = visit.bytes.dropLast().split(separator: 0, omittingEmptySubsequences: false)
    started(words.dropFirst().map { String(decoding: $0, as: UTF8.self) })
    try? visit.connection.write([Self.taken])
  }

  // MARK: - A later one

  private static func handOver(_ arguments: [String], _ folder: String) throws {
    let end = MonotonicTime.milliseconds + patience
    // The first may have the lock, and not listen yet.
    while MonotonicTime.milliseconds < end {
      let made = try UnixSocket.make()
      if (try? UnixSocket.connect(made, name, in: folder)) != nil, UnixSocket.isOwn(made.number) {
        // A word that is no argument begins it, so that none is no message.
        try made.write((["window"] + arguments).flatMap { Array($0.utf8) + [0] })
        shutdown(made.number, Int32(SHUT_WR))
        var answer: UInt8 = 0
        if Poller.wait(for: made.number, milliseconds: end - MonotonicTime.milliseconds),
          Glibc.read(made.number, &answer, 1) == 1, answer == taken
        {
          return
        }
        break
      }
      usleep(20_000)
    }
    throw BridgeError(
      .unavailable, "the app runs already, and its window does not answer; plugins.window.single is set")
  }
}

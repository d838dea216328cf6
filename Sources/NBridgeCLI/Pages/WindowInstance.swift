// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgeHost
internal import NBridgePlugin
internal import NBridgeSystem

/// The one program of an app that has a window. A second start gives it its arguments, and ends. Confined to
/// the engine's thread.
final class WindowInstance {
  private let lock: FileLock
  private let socket: Descriptor
  private let loop: EventLoop
  private var source: DescriptorSource?
  private var visits: [Int32: Visit] = [:]
  /// False where the program is ending, and takes nothing any more.
  private let started: ([String]) -> Bool

  private static let name = "instance"
  private static let queue: Int32 = 16
  /// In bytes.
  private static let limit = 1 << 20
  /// So long a second start waits for the first, in milliseconds.
  private static let patience = 5_000
  private static let taken = UInt8(ascii: "1")

  /// Takes the place in a folder of the app's own; nil when a program has it, which got the arguments.
  ///
  /// - Parameter started: called with the arguments of each later start; answers whether it took them.
  /// - Throws: when a program has it and does not answer.
  init?(
    _ folder: String, _ arguments: [String], _ loop: EventLoop, started: @escaping ([String]) -> Bool
  ) throws {
    (self.loop, self.started) = (loop, started)
    lock = try FileLock(at: "\(folder)/\(Self.name).lock")
    guard try Self.takes(lock, or: arguments, folder) else { return nil }
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
    guard started(words.dropFirst().map({ String(decoding: $0, as: UTF8.self) })) else { return }
    try? visit.connection.write([Self.taken])
  }

  // MARK: - A later one

  /// Whether the place is free, or becomes free, as of a program that is ending; false when who has it took
  /// the arguments.
  private static func takes(_ lock: FileLock, or arguments: [String], _ folder: String) throws -> Bool {
    let end = MonotonicTime.milliseconds + patience
    while MonotonicTime.milliseconds < end {
      if try lock.attempt() { return true }
      // The first may not listen yet, or no more.
      if try handsOver(arguments, folder, until: end) { return false }
      usleep(20_000)
    }
    throw BridgeError(
      .unavailable, "the app runs already, and its window does not answer; plugins.window.single is set")
  }

  private static func handsOver(_ arguments: [String], _ folder: String, until end: Int) throws -> Bool {
    let made = try UnixSocket.make()
    guard (try? UnixSocket.connect(made, name, in: folder)) != nil, UnixSocket.isOwn(made.number) else {
      return false
    }
    // A word that is no argument begins it, so that none is no message.
    var message: [UInt8] = []
    for word in ["window"] + arguments { message += Array(word.utf8) + [0] }
    guard (try? made.write(message)) != nil else { return false }
    shutdown(made.number, Int32(SHUT_WR))
    var answer: UInt8 = 0
    return Poller.wait(for: made.number, milliseconds: end - MonotonicTime.milliseconds)
      && Glibc.read(made.number, &answer, 1) == 1 && answer == taken
  }
}

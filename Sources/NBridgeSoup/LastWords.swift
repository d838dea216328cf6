// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgeSystem
internal import Synchronization

/// What a connection had still to say when it was closed, and its peer had no room for: a thread of its own
/// says it when that has, for some seconds, and closes it then. Any thread may use it.
final class LastWords: Sendable {
  /// Another descriptor of the connection's, which outlives that.
  private let socket: Descriptor
  private let rest: Mutex<Rest>
  /// In milliseconds of the monotonic clock.
  private let end = MonotonicTime.milliseconds + patience

  private static let patience = 5000
  /// For others there are none: a descriptor each.
  private static let most = 1024

  private struct State {
    var added: [LastWords] = []
    var count = 0
    var isRunning = false
  }

  private static let state = Mutex(State())

  private struct Rest: Sendable {
    var bytes: ArraySlice<UInt8>
    var isOver = false
  }

  private init(_ socket: Descriptor, _ bytes: UnsafeRawBufferPointer) {
    self.socket = socket
    rest = Mutex(Rest(bytes: Array(bytes)[...]))
  }

  /// The first of a connection's; nil where there are too many.
  static func begin(_ bytes: UnsafeRawBufferPointer, by socket: Int32) -> LastWords? {
    let copy = fcntl(socket, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else { return nil }
    let words = LastWords(Descriptor(taking: copy), bytes)
    let isFirst = state.withLock { state -> Bool? in
      if state.count >= most { return nil }
      state.added.append(words)
      state.count += 1
      defer { state.isRunning = true }
      return !state.isRunning
    }
    guard let isFirst else { return nil }
    if isFirst, !PlainThread.start("nb-last-words", run) { state.withLock { $0 = State() } }
    return words
  }

  /// Says this behind the others; false where all were said, so that the connection may go on by itself.
  func say(_ bytes: UnsafeRawBufferPointer) -> Bool {
    rest.withLock { rest in
      if !rest.isOver { rest.bytes += bytes }
      return !rest.isOver
    }
  }

  // MARK: - The thread

  private static func run() {
    var all: [LastWords] = []
    while true {
      let isOver = state.withLock { state in
        all += state.added
        (state.added, state.count) = ([], all.count)
        if all.isEmpty { state.isRunning = false }
        return all.isEmpty
      }
      if isOver { return }
      wait(for: all)
      all = all.filter { $0.goOn() }
    }
  }

  /// Others are added meanwhile, in milliseconds.
  private static let turn: Int32 = 100

  private static func wait(for all: [LastWords]) {
    var events = all.map { pollfd(fd: $0.socket.number, events: Int16(POLLOUT), revents: 0) }
    _ = poll(&events, nfds_t(events.count), turn)
  }

  /// Says what there is room for; false at the end.
  private func goOn() -> Bool {
    let isOver = rest.withLock { rest in
      let count = rest.bytes.withUnsafeBytes {
        send(socket.number, $0.baseAddress, $0.count, Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
      }
      if count > 0 { rest.bytes.removeFirst(count) }
      let waits = count >= 0 || errno == EAGAIN || errno == EINTR
      rest.isOver = !waits || rest.bytes.isEmpty || MonotonicTime.milliseconds >= end
      return rest.isOver
    }
    if !isOver { return true }
    socket.close()
    return false
  }
}

// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgeSystem
internal import Synchronization

/// What connections still had to say when they were closed, and their peers had no room for: a thread of its
/// own says it when they have, for some seconds, and closes them then. Any thread may use it.
enum LastWords {
  private struct Words {
    let socket: Descriptor
    var rest: ArraySlice<UInt8>
    /// In milliseconds of the monotonic clock.
    let end: Int
  }

  private struct State {
    var added: [Words] = []
    var count = 0
    var isRunning = false
  }

  private static let state = Mutex(State())
  /// For what takes no more words, there are none: a descriptor each.
  private static let most = 64
  private static let patience = 5000

  /// Takes words over, and another descriptor of a socket's; they are not said where there are too many.
  static func say(_ bytes: UnsafeRawBufferPointer, by socket: Int32) {
    let copy = fcntl(socket, F_DUPFD_CLOEXEC, 0)
    guard copy >= 0 else { return }
    let words = Words(
      socket: Descriptor(taking: copy), rest: Array(bytes)[...], end: MonotonicTime.milliseconds + patience)
    let isFirst = state.withLock { state in
      if state.count >= most { return false }
      state.added.append(words)
      state.count += 1
      defer { state.isRunning = true }
      return !state.isRunning
    }
    if isFirst, !PlainThread.start("nb-last-words", run) { state.withLock { $0 = State() } }
  }

  private static func run() {
    var all: [Words] = []
    while true {
      let isOver = state.withLock { state in
        all += state.added
        (state.added, state.count) = ([], all.count)
        if all.isEmpty { state.isRunning = false }
        return all.isEmpty
      }
      if isOver { return }
      wait(for: all)
      all = all.compactMap(goOn)
    }
  }

  /// Others are added meanwhile.
  private static let turn: Int32 = 100

  private static func wait(for all: [Words]) {
    var events = all.map { pollfd(fd: $0.socket.number, events: Int16(POLLOUT), revents: 0) }
    _ = poll(&events, nfds_t(events.count), turn)
  }

  /// Says what there is room for; nil at the end.
  private static func goOn(_ words: Words) -> Words? {
    var words = words
    let count = words.rest.withUnsafeBytes {
      send(
        words.socket.number, $0.baseAddress, $0.count,
        Int32(MSG_NOSIGNAL) | Int32(MSG_DONTWAIT))
    }
    if count > 0 { words.rest.removeFirst(count) }
    let waits = count > 0 || (count < 0 && (errno == EAGAIN || errno == EINTR))
    if waits, !words.rest.isEmpty, MonotonicTime.milliseconds < words.end { return words }
    words.socket.close()
    return nil
  }
}

// SPDX-License-Identifier: MIT

package import CNBridgePlugin
internal import Glibc
package import NBridgeSystem
internal import Synchronization

/// One end of the socket between a program and a plugin in a process of its own. Any thread may send.
package final class Channel: Sendable {
  private struct State: ~Copyable {
    var outbox = Outbox()
    /// What a write failed with: nothing goes out any more.
    var failure: Int32 = 0
  }

  /// The socket, which never waits.
  package let socket: Descriptor
  private let state = Mutex(State())

  package init(_ socket: Descriptor) {
    self.socket = socket
    socket.neverWait()
  }

  /// So many bytes are worth a system call before the sender has come to its end.
  private static let enough = 8 << 10

  /// Puts a message behind all others, and writes when there are many. It goes out with ``flush()``. Answers
  /// whether it is the first of those that wait.
  @discardableResult
  package func put(
    _ head: consuming FrameHead, _ value: UnsafePointer<nbridge_value>? = nil,
    words: (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>) = (.empty, .empty)
  ) throws(FrameError) -> Bool {
    let given = UncheckedBox(value: (head, value, words))  // for the time of the call
    let result = state.withLock { state -> Result<Bool, FrameError> in
      let wasEmpty = state.outbox.isEmpty
      do throws(FrameError) {
        try state.outbox.put(given.value.0, given.value.1, words: given.value.2)
      } catch { return .failure(error) }
      if state.failure != 0 || state.outbox.waiting >= Self.enough { Self.write(&state, socket.number) }
      return .success(wasEmpty)
    }
    return try result.get()
  }

  /// How many bytes wait that were copied.
  package var waiting: Int { state.withLock { $0.outbox.waiting } }

  /// Writes what waits, as much as the socket takes. False when some of it still waits.
  @discardableResult
  package func flush() -> Bool {
    state.withLock { state in
      Self.write(&state, socket.number)
      return state.outbox.isEmpty || state.failure != 0
    }
  }

  private static func write(_ state: inout State, _ socket: Int32) {
    if state.failure == 0, !state.outbox.isEmpty {
      let failure = state.outbox.write(to: socket)
      if failure != EAGAIN { state.failure = failure }
    }
    // Nobody will read it: the other side is gone, and what was lent is given back.
    if state.failure != 0 { state.outbox = Outbox() }
  }

  /// Waits until something comes, what waits can be written, or the time is over. Answers whether something
  /// came, or the other side went.
  ///
  /// - Parameters:
  ///   - wake: another descriptor that ends the wait.
  ///   - microseconds: so long it looks around before it sleeps: to be woken takes longer than most calls.
  package func wait(milliseconds: Int32, wake: Int32 = -1, looking microseconds: Int = 0) -> Bool {
    let isWaiting = !flush()
    var looks = [
      pollfd(fd: socket.number, events: Int16(POLLIN | (isWaiting ? POLLOUT : 0)), revents: 0),
      pollfd(fd: wake, events: Int16(POLLIN), revents: 0),
    ]
    if !Self.looksAround(&looks, microseconds) {
      var count: Int32 = 0
      repeat { count = poll(&looks, 2, milliseconds) } while count < 0 && errno == EINTR
    }
    return looks[0].revents & Int16(POLLIN | POLLHUP | POLLERR) != 0
  }

  /// Whether it found something.
  private static func looksAround(_ looks: inout [pollfd], _ microseconds: Int) -> Bool {
    if microseconds <= 0 { return false }
    let end = MonotonicTime.microseconds + microseconds
    repeat { if poll(&looks, 2, 0) > 0 { return true } } while MonotonicTime.microseconds < end
    return false
  }
}

struct UncheckedBox<Value>: @unchecked Sendable {
  // Sendable because it is read before the call that made it returns.
  let value: Value
}

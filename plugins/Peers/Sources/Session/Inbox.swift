// SPDX-License-Identifier: MIT

internal import Synchronization

/// What came and was not taken, in order, for one reader. What waits here counts against its sender's window,
/// so no sender can fill the inbox beyond that.
final class Inbox<Element: Sendable>: Sendable {
  private struct State {
    var waiting: [Element] = []
    var head = 0
    var bytes = 0
    var reader: UnsafeContinuation<Void, Never>?
    var isOver = false
  }

  private let state = Mutex(State())
  /// Called with the elements that were taken.
  private let taken: @Sendable ([Element]) -> Void

  private let size: @Sendable (Element) -> Int
  /// So many elements, and so many bytes, are taken at once.
  private let maximum: (count: Int, bytes: Int)

  init(
    maximum: (count: Int, bytes: Int), size: @escaping @Sendable (Element) -> Int,
    taken: @escaping @Sendable ([Element]) -> Void
  ) {
    (self.maximum, self.size, self.taken) = (maximum, size, taken)
  }

  func put(_ element: Element) { put([element]) }

  func put(_ elements: [Element]) {
    let reader = state.withLock { state -> UnsafeContinuation<Void, Never>? in
      guard !state.isOver else { return nil }
      state.waiting += elements
      state.bytes += elements.reduce(0) { $0 + size($1) }
      defer { state.reader = nil }
      return state.reader
    }
    reader?.resume()
  }

  /// No more comes; what waits can still be taken.
  func finish() {
    let reader = state.withLock { state in
      defer { state.reader = nil }
      state.isOver = true
      return state.reader
    }
    reader?.resume()
  }

  /// What waits, in bytes.
  var bytes: Int { state.withLock(\.bytes) }

  /// What waits, or nothing at the end, or when another reader has taken over.
  func next(isolation: isolated (any Actor)?, while isReader: @Sendable () -> Bool = { true }) async
    -> ArraySlice<Element>
  {
    while isReader() {
      let (elements, isOver) = take()
      if !elements.isEmpty {
        taken(Array(elements))
        return elements
      }
      if isOver || Task.isCancelled { return [] }
      await withTaskCancellationHandler {
        await withUnsafeContinuation(isolation: isolation) { continuation in
          let mustWait = state.withLock { state in
            guard state.head == state.waiting.count, !state.isOver, state.reader == nil, !Task.isCancelled
            else { return false }
            state.reader = continuation
            return true
          }
          if !mustWait { continuation.resume() }
        }
      } onCancel: {
        wake()
      }
    }
    return []
  }

  /// Takes all that waits.
  func takeAll() -> [Element] {
    var all: [Element] = []
    while case let (elements, _) = take(), !elements.isEmpty { all += elements }
    if !all.isEmpty { taken(all) }
    return all
  }

  /// Has the reader look again.
  func wake() {
    let reader = state.withLock { state in
      defer { state.reader = nil }
      return state.reader
    }
    reader?.resume()
  }

  private func take() -> (ArraySlice<Element>, Bool) {
    state.withLock { state in
      var end = state.head, bytes = 0
      while end < state.waiting.count, end - state.head < maximum.count, bytes < maximum.bytes {
        bytes += size(state.waiting[end])
        end += 1
      }
      let elements = state.waiting[state.head..<end]
      state.bytes -= bytes
      state.head = end
      if state.head == state.waiting.count {
        state.waiting = []
        state.head = 0
      } else if state.head > 4096 {
        state.waiting.removeFirst(state.head)
        state.head = 0
      }
      return (elements, state.isOver)
    }
  }
}

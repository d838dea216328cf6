// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import CNBridgeLinux
internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem
internal import Synchronization

/// A change below a watched folder.
struct FileChange: Codable, Sendable, Equatable {
  enum Kind: String, Codable, CaseIterable, Sendable {
    case created, modified, removed, renamed
    /// More happened than could be kept: list again.
    case overflow
  }
  var kind: Kind
  /// From the watched folder on; empty for an overflow.
  var path: String
  /// The earlier path of a thing that was renamed.
  var from: String?
}

/// Changes that the watch's reader has not taken yet. Changes of one path that say the same are kept once, so
/// that a million writes to a file are one; when there are too many paths, all of them become an overflow.
struct PendingChanges {
  private(set) var list: [FileChange] = []
  private var last: [String: FileChange.Kind] = [:]

  static let limit = 65_536

  mutating func add(_ change: FileChange) {
    if list.count >= Self.limit {
      (list, last) = ([FileChange(kind: .overflow, path: "")], [:])
    }
    let before = last[change.path]
    if change.kind != .renamed, before == change.kind { return }
    if change.kind == .modified, before == .created { return }
    last[change.path] = change.kind
    if let from = change.from { last[from] = nil }
    list.append(change)
  }

  mutating func take() -> [FileChange] {
    defer { self = PendingChanges() }
    return list
  }
}

/// Watches a folder, and the folders below it if asked to: inotify on each, a thread that sleeps until
/// something happens.
final class FileWatch: Sendable {
  private struct State {
    var pending = PendingChanges()
    var reader: CheckedContinuation<Void, Never>?
    var isOver = false
    var failure: BridgeError?
  }
  private let state = Mutex<State>(State())
  private let wake = WakeFile()

  init(_ folder: OpenFile, recursive: Bool) throws {
    // Used by the thread below only.
    let reader = try UncheckedSendable(InotifyReader(folder, recursive: recursive))
    let started = PlainThread.start("nb-documents") { [weak self, wake] in
      while reader.value.wait(or: wake) {
        let changes = reader.value.read()
        guard let self else { break }
        self.add(changes)
      }
    }
    if !started {
      throw BridgeError(.ioError, "the system gives no thread to watch '\(folder.path.shown)' on")
    }
  }

  deinit { stop() }

  private func add(_ changes: [FileChange]) {
    if changes.isEmpty { return }
    state.withLock { state in
      for change in changes { state.pending.add(change) }
      defer { state.reader = nil }
      return state.reader
    }?.resume()
  }

  func stop() {
    let isFirst = state.withLock { state in
      defer { state.isOver = true }
      return !state.isOver
    }
    guard isFirst else { return }
    wake.set()
    wakeReader()
  }

  private func wakeReader() {
    state.withLock { state in
      defer { state.reader = nil }
      return state.reader
    }?.resume()
  }

  /// The next changes; empty when the watch is over.
  func next(isolation actor: isolated (any Actor)?) async -> [FileChange] {
    while true {
      let (changes, isOver) = state.withLock { ($0.pending.take(), $0.isOver) }
      if !changes.isEmpty || isOver || Task.isCancelled { return changes }
      await withTaskCancellationHandler {
        await withCheckedContinuation(isolation: actor) { continuation in
          let goesOn = state.withLock { state in
            if state.pending.list.isEmpty, !state.isOver, !Task.isCancelled {
              state.reader = continuation
              return false
            }
            return true
          }
          if goesOn { continuation.resume() }
        }
      } onCancel: {
        wakeReader()
      }
    }
  }
}

/// The changes as events.
struct FileChanges: AsyncSequence, Sendable {
  let watch: FileWatch

  struct AsyncIterator: AsyncIteratorProtocol {
    let watch: FileWatch
    var page: ArraySlice<FileChange> = []
    mutating func next() async -> FileChange? { await next(isolation: nil) }
    mutating func next(isolation actor: isolated (any Actor)?) async -> FileChange? {
      if page.isEmpty { page = await watch.next(isolation: actor)[...] }
      return page.popFirst()
    }
  }
  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(watch: watch) }
}

// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
internal import Glibc
internal import NBridgePlugin
internal import NBridgeSystem

/// The way of records to the viewer: straight over the connection as long as it keeps up, else by way of the
/// spool. Used by the sink's thread.
final class ViewerDelivery {
  private let place: ViewerPlace
  private let hello: [UInt8]
  private let spool: Spool
  private var connection: ViewerConnection?
  /// Sent straight, and not confirmed.
  private var unconfirmed: [LogChunk] = []
  private var unconfirmedBytes = 0
  /// Nil where it can't be had.
  private let inotify = try? Inotify()
  private(set) var statistics = SinkStatistics(kind: "viewer")
  private let tell: @Sendable (String) -> Void
  private var isFirstConnection = true
  private var mustConnect = true
  private var triedAt = 0
  /// Records that the disk did not take.
  private var held: [LogChunk] = []

  private static let maxUnconfirmed = 8 << 20
  private static let maxQueued = 1 << 20
  private static let piece = 256 << 10
  private static let retry = 5000
  private static let maxHeld = 16 << 20

  init(_ place: ViewerPlace, _ tell: @escaping @Sendable (String) -> Void) {
    self.place = place
    self.tell = tell
    hello = ((try? Value(encoding: place.hello).text) ?? []) + [0x0A]
    spool = Spool("\(place.spool)/\(place.hello.source).jsonl", hello, limit: place.limit)
    _ = try? inotify?.watch(place.runtime, UInt32(IN_CREATE | IN_MOVED_TO))
  }

  /// Whether nothing would be lost if the program ended now.
  var isSafe: Bool { unconfirmed.isEmpty && held.isEmpty }
  /// Whether a viewer is there to take the records that wait.
  var isConnected: Bool { connection != nil }
  /// Whether the viewer has everything.
  var isDone: Bool { isSafe && spool.isEmpty }

  func take(_ chunk: LogChunk) {
    if connection?.next != nil, spool.isEmpty, held.isEmpty, unconfirmedBytes < Self.maxUnconfirmed {
      connection?.put(chunk.bytes)
      unconfirmed.append(chunk)
      unconfirmedBytes += chunk.bytes.count
    } else {
      keep(chunk)
    }
  }

  /// Goes as far as it can without waiting.
  func advance() {
    if mustConnect { connect() }
    guard let connection else { return }
    connection.read()
    if let next = connection.next { confirm(next) }
    feed(connection)
    connection.write()
    if connection.isBroken { disconnect() }
    statistics.waiting = unconfirmedBytes + spool.bytes
  }

  /// Waits until something can go on.
  func wait(_ work: WakeFile, milliseconds: Int?) {
    var files: [(number: Int32, events: Poller.Readiness)] = [
      (work.number, .readable), (inotify?.number ?? -1, .readable),
    ]
    if let connection {
      files.append((connection.descriptor, connection.wantsToWrite ? [.readable, .writable] : .readable))
    }
    // inotify says when a viewer comes; where that can't be had, it is looked for now and then.
    let retry = connection == nil && !spool.isEmpty ? Self.retry : nil
    let limit = [milliseconds, retry].compactMap(\.self).min()
    let ready = Poller.wait(for: files, milliseconds: limit)
    work.take()
    let isNew = !ready[1].isEmpty && hasNews()
    if connection == nil { mustConnect = isNew || MonotonicTime.milliseconds >= triedAt + Self.retry }
  }

  /// At the end: what the viewer did not confirm waits for another time.
  func finish() {
    if isDone {
      connection?.put(ViewerWire.end)
      connection?.write()
      return
    }
    disconnect()
    spool.appendEnd()
  }

  // MARK: - Connecting

  private func hasNews() -> Bool {
    inotify?.read().contains { $0.name.elementsEqual(ViewerWire.socketName.utf8) } ?? false
  }

  private func connect() {
    (mustConnect, triedAt) = (false, MonotonicTime.milliseconds)
    connection = ViewerConnection(ViewerWire.socketName, in: place.runtime, hello: hello)
    guard connection != nil else { return }
    spool.rewind()
    guard isFirstConnection else { return }
    isFirstConnection = false
    place.earlierRuns.start(place)
  }

  /// Records that were sent straight and not confirmed go first when there is a viewer again.
  private func disconnect() {
    guard connection != nil else { return }
    connection = nil
    let chunks = unconfirmed
    (unconfirmed, unconfirmedBytes) = ([], 0)
    if spool.isEmpty { for chunk in chunks { keep(chunk) } }
  }

  private func confirm(_ next: Int) {
    while let first = unconfirmed.first, first.next <= next {
      unconfirmed.removeFirst()
      unconfirmedBytes -= first.bytes.count
      statistics.written += first.lines.count
    }
    if !spool.isEmpty, spool.isRead, spool.next <= next { spool.clear() }
  }

  // MARK: - The file

  private func keep(_ chunk: LogChunk) {
    held.append(chunk)
    do {
      // The file holds all that is not confirmed, in order; what comes twice the viewer knows by its number.
      if spool.isEmpty {
        held.insert(contentsOf: unconfirmed, at: 0)
        (unconfirmed, unconfirmedBytes) = ([], 0)
      }
      while let next = held.first {
        note(dropped: try spool.append(next), "more than \(place.limit >> 20) MiB waited for one")
        held.removeFirst()
      }
      statistics.problem = nil
    } catch {
      let problem = (error as? BridgeError)?.message ?? "\(error)"
      if statistics.problem == nil { tell("\(problem); records for the viewer wait in memory") }
      statistics.problem = problem
      while held.count > 1, held.reduce(0, { $0 + $1.bytes.count }) > Self.maxHeld {
        note(dropped: held.removeFirst().lines.count, problem)
      }
    }
  }

  private func note(dropped count: Int, _ reason: String) {
    guard count > 0 else { return }
    statistics.dropped += count
    tell("\(count) record(s) for the viewer were dropped: \(reason)")
  }

  private func feed(_ connection: ViewerConnection) {
    guard connection.next != nil else { return }
    while connection.queued < Self.maxQueued, let bytes = spool.read(atMost: Self.piece) {
      connection.put(bytes)
    }
  }
}

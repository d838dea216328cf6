// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import Synchronization

/// What the engines of one program share: its own and those of its workers. Any thread.
package final class EngineGroup: Sendable {
  private struct State {
    /// The members of each broadcast channel that has any.
    ///
    /// By the bytes of their names: texts that look the same, as e and an accent and the letter that has
    /// both, are equal to Swift and not to scripts.
    var channels: [[UInt8]: Members] = [:]
    var workers = 0
    /// Of the last worker.
    var number = 0
  }

  /// The ends of one broadcast channel. One that joins or leaves looks at no other.
  private struct Members {
    private var places: [ObjectIdentifier: Int] = [:]
    /// In the order in which they joined; nil for one that has left.
    private var queues: [MessageQueue?] = []

    var isEmpty: Bool { places.isEmpty }
    var all: [MessageQueue] { queues.compactMap { $0 } }

    mutating func join(_ queue: MessageQueue) {
      places[ObjectIdentifier(queue)] = queues.count
      queues.append(queue)
    }

    mutating func leave(_ queue: MessageQueue) {
      guard let place = places.removeValue(forKey: ObjectIdentifier(queue)) else { return }
      queues[place] = nil
      guard queues.count > 2 * places.count + 16 else { return }
      queues = all
      for (place, queue) in queues.enumerated() { if let queue { places[ObjectIdentifier(queue)] = place } }
    }
  }

  private let state = Mutex(State())
  package let locks = LockTable()
  let blobs = BlobTable()
  /// So many workers run at once: each has an engine and threads of its own.
  package static let mostWorkers = 256

  /// The way to other programs of the app; nil for none.
  private let outside: ProgramChannels?

  package init(outside: ProgramChannels? = nil) { self.outside = outside }

  /// The program ends, on its loop's thread.
  package func close() { outside?.close() }

  // MARK: - Workers

  /// Takes a place for a worker and answers its number; nil when all are taken.
  package func enter() -> Int? {
    state.withLock { state in
      guard state.workers < Self.mostWorkers else { return nil }
      state.workers += 1
      state.number += 1
      return state.number
    }
  }

  /// Gives the place back.
  package func leave() { state.withLock { $0.workers -= 1 } }

  // MARK: - Broadcast channels

  func join(_ name: String, _ queue: MessageQueue) {
    state.withLock { $0.channels[Array(name.utf8), default: Members()].join(queue) }
    outside?.begin { [weak self] frame in self?.take(frame) }
  }

  func leave(_ name: String, _ queue: MessageQueue) {
    state.withLock { state in
      let key = Array(name.utf8)
      state.channels[key]?.leave(queue)
      if state.channels[key]?.isEmpty == true { state.channels[key] = nil }
    }
  }

  /// Gives a message to all members of a channel but its sender, here and in other programs.
  func publish(_ parcel: Parcel, _ name: String, from sender: MessageQueue) {
    for queue in members(of: Array(name.utf8)) where queue !== sender { queue.put(parcel) }
    outside?.send {
      // Native objects are this program's.
      if !parcel.things.isEmpty { return .unreadable(channel: name) }
      return .message(channel: name, text: parcel.text, blocks: parcel.blocks.map { Array($0) })
    }
  }

  /// What another program has sent.
  private func take(_ frame: ChannelFrame) {
    guard case .message(let name, let text, let blocks) = frame else { return }
    let parcel = Parcel(text: text, blocks: blocks.map { Bytes($0) }, isForMany: true)
    for queue in members(of: Array(name.utf8)) { queue.put(parcel) }
  }

  private func members(of channel: [UInt8]) -> [MessageQueue] {
    state.withLock { $0.channels[channel]?.all ?? [] }
  }
}

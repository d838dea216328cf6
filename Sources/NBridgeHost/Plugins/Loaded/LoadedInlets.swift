// SPDX-License-Identifier: MIT

internal import CNBridgePlugin
internal import NBridgePlugin
internal import Synchronization

/// Streams and functions of scripts on their way over the table, in both directions.
extension LoadedInstance {
  /// A call begins that was given some; on any thread.
  func open(_ link: any InletLink, _ call: UInt64) {
    links.withLock { $0[call] = link }
    link.divert { [weak self] inlet, event in self?.feed(call, inlet, event) }
  }

  /// Nothing comes to calls of a plugin that is being stopped.
  func endLinks() {
    for call in links.withLock({ $0.keys.sorted() }) { feed(call, 0, .over(Self.stopped)) }
  }

  // MARK: - To the plugin, on the engine's thread

  private func feed(_ call: UInt64, _ inlet: UInt32, _ event: InletEvent) {
    if case .over = event {
      guard links.withLock({ $0.removeValue(forKey: call) }) != nil else { return }
    }
    switch event {
    case .value(let value): feed(call, inlet, NBRIDGE_FEED_VALUE, 0, value)
    case .end(nil): feed(call, inlet, NBRIDGE_FEED_END, 0, nil)
    case .end(let failure?): feed(call, inlet, NBRIDGE_FEED_END, failure)
    case .answer(let number, .success(let value)): feed(call, inlet, NBRIDGE_FEED_ANSWER, number, value)
    case .answer(let number, .failure(let failure)): feed(call, inlet, NBRIDGE_FEED_ANSWER, failure, number)
    case .over(let failure): feed(call, inlet, NBRIDGE_FEED_OVER, failure)
    }
  }

  private func feed(_ call: UInt64, _ inlet: UInt32, _ kind: Int, _ number: UInt64, _ value: Value?) {
    var feed = nbridge_feed(kind, inlet, number)
    guard let value else { return hand(call, &feed) }
    let bytes = value.attachments.map { nbridge_bytes(borrowed: $0) }
    value.text.withUnsafeBufferPointer { text in
      bytes.withUnsafeBufferPointer { list in
        feed.value.fill(borrowed: text, list)
        hand(call, &feed)
      }
    }
  }

  private func feed(
    _ call: UInt64, _ inlet: UInt32, _ kind: Int, _ failure: BridgeError, _ number: UInt64 = 0
  ) {
    let sink = WireSink()
    var feed = nbridge_feed(kind, inlet, number)
    feed.value.fill(failure: failure, sink)
    hand(call, &feed)
  }

  private func hand(_ call: UInt64, _ feed: inout nbridge_feed) {
    guard table.pointee.minor >= 4, let take = table.pointee.feed else { return }
    whileStarted { state in take(state, call, &feed) }
  }

  // MARK: - From the plugin, on any thread

  func ask(_ call: UInt64, _ inlet: UInt32, _ request: InletRequest) {
    links.withLock { $0[call] }?.ask(inlet, request)
  }

  func callBack(_ call: UInt64, _ inlet: UInt32, _ number: UInt64, _ value: UnsafePointer<nbridge_value>) {
    let sink = WireSink()
    do {
      let given = try Value(value.pointee.take(into: sink), sink)
      ask(call, inlet, .call(number, given))
    } catch { report("called a script's function with what is no value: \(error)") }
  }
}

extension nbridge_feed {
  fileprivate init(_ kind: Int, _ index: UInt32, _ number: UInt64) {
    self.init(
      size: UInt32(MemoryLayout<nbridge_feed>.size), kind: UInt32(kind), index: index, reserved: 0,
      number: number, value: nbridge_value())
  }
}

// SPDX-License-Identifier: MIT

internal import CNBridgePlugin
internal import NBridgePlugin
internal import Synchronization

/// Streams and functions of scripts on their way over the table, in both directions.
extension LoadedInstance {
  /// A call begins that was given some; on any thread.
  func open(_ link: any InletLink, _ call: UInt64) {
    links.withLock { $0[call] = OpenLink(link: link) }
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
    case .value(let value):
      // First: what the plugin asks for in the middle of it comes behind what it has asked for.
      noteValue(call, inlet)
      feed(call, inlet, NBRIDGE_FEED_VALUE, 0, value)
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

  /// What a plugin asks for beyond what may be under way is kept, and asked for when values have come: one
  /// that asks for more and more has the script read no faster than it takes.
  func ask(_ call: UInt64, _ inlet: UInt32, _ request: InletRequest) {
    let (link, values) = links.withLock { links -> ((any InletLink)?, Int) in
      guard case .more(let values) = request else { return (links[call]?.link, 0) }
      return (links[call]?.link, links[call]?.pulls[inlet, default: Pull()].want(values) ?? 0)
    }
    guard case .more = request else { return link?.ask(inlet, request) ?? () }
    if values > 0 { link?.ask(inlet, .more(values)) }
  }

  /// A value has come: there is room for one that is wanted.
  private func noteValue(_ call: UInt64, _ inlet: UInt32) {
    let (link, values) = links.withLock { links in
      (links[call]?.link, links[call]?.pulls[inlet]?.take() ?? 0)
    }
    if values > 0 { link?.ask(inlet, .more(values)) }
  }

  func callBack(_ call: UInt64, _ inlet: UInt32, _ number: UInt64, _ value: UnsafePointer<nbridge_value>) {
    let sink = WireSink()
    do {
      let given = try Value(value.pointee.take(into: sink), sink)
      try given.text.withUnsafeBufferPointer { _ = try WireSource($0, attachments: given.attachments) }
      ask(call, inlet, .call(number, given))
    } catch {
      report("called a script's function with what is no value: \(error)")
      let failure = BridgeError(.invalidParameter, "the value for the script's function is none: \(error)")
      loop.post { [self] in feed(call, inlet, .answer(number, .failure(failure))) }
    }
  }
}

/// The way to the script of a call, and what was asked of its streams.
struct OpenLink {
  let link: any InletLink
  var pulls: [UInt32: Pull] = [:]
}

/// What a plugin asked for of one stream.
struct Pull {
  /// How many values have been asked of the script and have not come.
  private var underWay = 0
  /// How many more are wanted.
  private var wanted = 0

  /// Wants so many more; 0: none. Answers how many the script is to be asked for now.
  mutating func want(_ values: Int) -> Int {
    wanted = wanted.addingReportingOverflow(values).overflow ? .max : wanted + values
    return next()
  }

  /// One has come. Answers how many the script is to be asked for now.
  mutating func take() -> Int {
    underWay = max(0, underWay - 1)
    return next()
  }

  private mutating func next() -> Int {
    let count = min(wanted, Inlet.window - underWay)
    wanted -= count
    underWay += count
    return count
  }
}

extension nbridge_feed {
  fileprivate init(_ kind: Int, _ index: UInt32, _ number: UInt64) {
    self.init(
      size: UInt32(MemoryLayout<nbridge_feed>.size), kind: UInt32(kind), index: index, reserved: 0,
      number: number, value: nbridge_value())
  }
}

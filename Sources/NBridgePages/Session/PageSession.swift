// SPDX-License-Identifier: MIT

internal import NBridgeHost
internal import NBridgePlugin

/// A page's front end of a ``CallSession``: frames become calls, replies frames. It outlives a link that is
/// cut, and goes on when the page comes back. Confined to the engine's thread.
final class PageSession: SessionClient {
  let calls: CallSession
  /// What the page says by its console; level and text.
  var onSay: (UInt8, String) -> Void = { _, _ in }
  /// Whether anybody can see it.
  var onSeen: (Bool) -> Void = { _ in }
  /// What it tells of itself and of what it was asked: which, the question's number, text. Answers false for
  /// what no page of ours says; nil where pages are asked nothing.
  var onTold: ((UInt8, UInt32, UnsafeBufferPointer<UInt8>) -> Bool)?
  /// Those of the catalogue, in its order, and those of them that the page has called.
  private let catalog: [BoundAction]
  private var actions: [SessionAction?]
  private var outgoing = PageWriter()
  /// Replies that wait for room.
  private var backlog: [(slot: UInt32, reply: Reply)] = []
  private var link: (any PageLink)?
  /// The page's slots of its open calls by those of the session, and the other way round.
  private var slots: [UInt32: Int] = [:]
  private var pageSlots: [Int: UInt32] = [:]
  /// Messages that the page has not said it has; the first of them has the number behind `seen`.
  private var unseen: [PageParcel] = []
  private var unseenBytes = 0
  private var seen: UInt32 = 0
  private var sent: UInt32 = 0
  private var received: UInt32 = 0
  private var untold = 0
  private var untoldBytes = 0
  /// The objects that the page holds. Two plugins may give the same number.
  private var objects: Set<Reply.Handle> = []
  private(set) var isOver = false
  /// Whether it ends when its last calls are answered.
  private var isLeaving = false
  var isDone: Bool { isLeaving && slots.isEmpty && backlog.isEmpty }
  /// Called when it is done.
  var onDone: () -> Void = {}
  /// How often its link was lost.
  private(set) var cuts = 0

  /// So much may be under way to a page; what else there is waits, since a WebSocket of libsoup's takes all.
  private static let mostUnseen = 16 << 20
  /// A message that is so long goes out.
  private static let message = 1 << 20
  /// So many calls may a page have open.
  private static let mostCalls = 1_000_000
  /// After so much the page is told that it came, where nothing else is said.
  private static let untoldLimit = 16
  private static let untoldBytesLimit = 1 << 20

  /// - Parameter actions: those of the catalogue, in its order.
  init(_ calls: CallSession, _ catalog: [BoundAction]) {
    (self.calls, self.catalog) = (calls, catalog)
    actions = Array(repeating: nil, count: catalog.count)
    calls.client = self
  }

  /// The page is gone for good: what it had open ends, and its objects are closed.
  func end() {
    if isOver { return }
    isOver = true
    link?.close(PageLinks.goingAway)
    link = nil
    for object in objects { calls.letGo(object) }
    objects = []
    calls.isClosed = true
    calls.cancelAll()
    calls.client = nil
    (unseen, backlog, slots, pageSlots) = ([], [], [:], [:])
  }

  // MARK: - The link

  var isLinked: Bool { link != nil }

  /// The page is there, for the first time or again, and has got messages up to a number.
  func take(_ link: any PageLink, received theirs: UInt32) {
    self.link?.close(PageLinks.goingAway)
    self.link = link
    // What is written meanwhile goes by a link of the same kind: a page has one.
    outgoing.usesFiles = link.takesFiles
    link.send("{\"received\":\(received)}")
    forget(upTo: theirs)
    for index in unseen.indices {
      unseen[index].set(seen + UInt32(index) + 1, received)
      link.send(unseen[index])
    }
    calls.loop.wantsRound = true
  }

  /// Answers whether it was this session's.
  func lost(_ link: any PageLink) -> Bool {
    guard self.link === link else { return false }
    self.link = nil
    cuts += 1
    return true
  }

  private func forget(upTo number: UInt32) {
    guard number > seen, number <= sent else { return }
    let count = Int(number - seen)
    for message in unseen.prefix(count) { unseenBytes -= message.size }
    unseen.removeFirst(count)
    seen = number
    if !backlog.isEmpty { sendBacklog() }
    calls.loop.wantsRound = true
  }

  private func flush() {
    guard !outgoing.isEmpty else { return }
    sent += 1
    let message = outgoing.take(number: sent, received: received)
    unseen.append(message)
    unseenBytes += message.size
    (untold, untoldBytes) = (0, 0)
    link?.send(message)
  }

  // MARK: - What the page says

  /// Takes a message. Answers false for what no page of ours says.
  func take(_ coming: ComingMessage) -> Bool {
    guard var message = PageMessage(coming.bytes, files: coming.files.count), !isOver else { return false }
    forget(upTo: message.received)
    if message.number == 0 { return message.isAtEnd }
    // What was under way when a link was cut comes again.
    if message.number <= received { return true }
    guard message.number == received + 1 else { return false }
    received = message.number
    untold += 1
    untoldBytes += coming.files.reduce(coming.bytes.count) { $0 + $1.count }
    while let frame = message.next() {
      guard take(frame, of: coming) else { return false }
    }
    flush()
    if untold >= Self.untoldLimit || untoldBytes >= Self.untoldBytesLimit { tell() }
    return message.isAtEnd
  }

  /// Says what has come.
  private func tell() {
    var empty = PageWriter()
    link?.send(empty.take(number: 0, received: received))
    (untold, untoldBytes) = (0, 0)
  }

  private func take(_ frame: PageFrame, of message: ComingMessage) -> Bool {
    switch frame.kind {
    case .call: return begin(frame, of: message)
    case .unknown: return refuse(frame)
    case .cancel:
      // Its answer may have crossed with this.
      if let slot = slots.removeValue(forKey: frame.slot) {
        pageSlots[slot] = nil
        calls.cancel(slot: slot)
        outgoing.put(.over, slot: frame.slot)
      }
    case .grant:
      if let slot = slots[frame.slot] { calls.grant(slot: slot, count: Int(frame.first)) }
    case .feed:
      if let slot = slots[frame.slot] {
        guard let event = InletEvent(frame, of: message) else { return false }
        calls.feed(slot: slot, inlet: frame.first, event)
      }
    case .letGo:
      let names = frame.text.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
      guard names.count == 2 else { return false }
      let object = Reply.Handle(
        number: UInt64(frame.second) << 32 | UInt64(frame.first),
        service: String(decoding: names[0], as: UTF8.self), type: String(decoding: names[1], as: UTF8.self))
      if objects.remove(object) != nil { calls.letGo(object) }
    case .leave: isLeaving = true
    case .say: onSay(frame.what, String(decoding: frame.text, as: UTF8.self))
    case .seen: onSeen(frame.what != 0)
    case .told: return onTold?(frame.what, frame.slot, frame.text) ?? false
    }
    return true
  }

  private func begin(_ frame: PageFrame, of message: ComingMessage) -> Bool {
    guard slots[frame.slot] == nil, slots.count < Self.mostCalls, let action = action(frame.first) else {
      return false
    }
    var control = CallControl.none
    if frame.second != 0 { control.timeout = Int(min(frame.second, UInt32(Int32.max))) }
    control.letsGo = frame.what != 0
    if action.bound.declaration.isOfProgram {
      answer(Reply(Self.noProgram(action.bound), action: action.bound), frame.slot)
      return true
    }
    var streams: CallStreams?
    defer { streams?.callReturned() }
    let attachments = frame.parts.enumerated().map { index, part -> Bytes in
      switch part {
      case .bytes(let memory): return message.part(memory)
      case .file(let number): return message.files[number]
      case .stream, .progress: break
      }
      let given = streams ?? CallStreams(calls)
      streams = given
      if case .progress = part { return given.add(at: index, isProgress: true) }
      return given.add(at: index, isProgress: false)
    }
    // A library is promised JSON.
    if action.bound.instance != nil, !frame.text.isEmpty,
      (try? WireSource(frame.text, attachments: attachments)) == nil
    {
      return false
    }
    let waiting = calls.loop.waitingJobs
    switch calls.begin(action, WireInput(text: frame.text, attachments: attachments), control) {
    case .answered(let output): answer(frame.slot, output)
    case .failed(let error):
      calls.host.sink.reset()
      answer(Reply(error, action: action.bound), frame.slot)
    case .pending(let slot):
      slots[frame.slot] = slot
      pageSlots[slot] = frame.slot
    }
    if calls.loop.waitingJobs > waiting { calls.loop.runWaiting(to: waiting) }
    return true
  }

  private static func noProgram(_ action: BoundAction) -> BridgeError {
    BridgeError(
      .unavailable,
      "'\(action.service).\(action.declaration.spokenName ?? action.declaration.key)' is about the program "
        + "itself, its terminal or its end; a page has none of them")
  }

  private func action(_ index: UInt32) -> SessionAction? {
    guard let place = Int(exactly: index), actions.indices.contains(place) else { return nil }
    if let known = actions[place] { return known }
    let bound = catalog[place]
    let made = try? calls.action(bound.service, bound.declaration.key)
    actions[place] = made
    return made
  }

  private func answer(_ slot: UInt32, _ output: WireOutput) {
    let sink = calls.host.sink
    guard case .text = output, sink.attachments.isEmpty, !sink.isTagged else {
      return answer(Reply(output, sink), slot)
    }
    guard backlog.isEmpty, unseenBytes < Self.mostUnseen else { return answer(Reply(output, sink), slot) }
    defer { sink.reset() }
    outgoing.put(ReplyKind.text, sink.text, slot: slot)
  }

  /// A name that the catalogue does not have: the host says what is nearest.
  private func refuse(_ frame: PageFrame) -> Bool {
    let names = String(decoding: frame.text, as: UTF8.self).split(
      separator: "\n", maxSplits: 1, omittingEmptySubsequences: false)
    guard names.count == 2, slots[frame.slot] == nil else { return false }
    let (service, name) = (String(names[0]), String(names[1]))
    do {
      _ = try calls.action(service, name)
      throw calls.host.plugins.unknown(service, name)
    } catch { answer(Reply(error, action: nil), frame.slot) }
    return true
  }

  // MARK: - What it hears

  var takesReplies: Bool { backlog.isEmpty }

  func deliver(_ replies: inout [SlotReply]) {
    calls.reuseSlots()
    for (slot, reply) in replies {
      guard let pageSlot = pageSlots[slot] else {
        // Its caller went while it was on its way.
        for object in reply.handles { calls.letGo(object) }
        continue
      }
      if reply.kind.rawValue < ReplyKind.events.rawValue {
        pageSlots[slot] = nil
        slots[pageSlot] = nil
      }
      backlog.append((pageSlot, reply))
    }
    sendBacklog()
    if isDone { onDone() }
  }

  /// Sends replies as long as there is room, in messages of a size that others can pass.
  private func sendBacklog() {
    var count = 0
    while count < backlog.count, unseenBytes < Self.mostUnseen {
      put(backlog[count].reply, backlog[count].slot)
      count += 1
      if outgoing.size >= Self.message { flush() }
    }
    backlog.removeFirst(count)
    flush()
  }

  /// An answer that is there at once. Where much is under way it waits as the others do.
  private func answer(_ reply: Reply, _ slot: UInt32) {
    if backlog.isEmpty, unseenBytes < Self.mostUnseen {
      put(reply, slot)
    } else {
      backlog.append((slot, reply))
    }
  }

  private func put(_ reply: Reply, _ slot: UInt32) {
    objects.formUnion(reply.handles)
    outgoing.put(reply, slot: slot)
  }

  /// The process of an isolated plugin has ended.
  func tellEnd(of service: String) {
    outgoing.put(.ended, text: service)
    flush()
  }

  /// Asks the page to run what a person entered.
  func ask(_ number: UInt32, _ text: String) {
    outgoing.put(.asked, slot: number, text: text)
    flush()
  }

  /// The program ends: the page saves what is unsaved, and leaves.
  func tellEnding() {
    outgoing.put(.ending)
    flush()
  }

  /// Files of the page have changed.
  func tellChange(ofStyles: Bool) {
    outgoing.put(.changed, what: ofStyles ? 1 : 0)
    flush()
  }
}

extension InletEvent {
  /// nil for what no script says.
  init?(_ frame: PageFrame, of message: ComingMessage) {
    let bytes = frame.parts.map { part -> Bytes in
      switch part {
      case .bytes(let memory): message.part(memory)
      case .file(let number): message.files[number]
      case .stream, .progress: .none
      }
    }
    let value = frame.text.isEmpty ? Value.undefined : Value(text: Array(frame.text), attachments: bytes)
    if !frame.text.isEmpty, !value.isSound { return nil }
    let failure = { value.text.withUnsafeBufferPointer { BridgeError(foreign: $0) } }
    switch frame.what {
    case 0: self = .value(value)
    case 1: self = .end(nil)
    case 2: self = .end(failure())
    case 3: self = .answer(UInt64(frame.second), .success(value))
    case 4: self = .answer(UInt64(frame.second), .failure(failure()))
    default: return nil
    }
  }
}

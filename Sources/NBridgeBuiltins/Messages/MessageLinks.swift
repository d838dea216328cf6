// SPDX-License-Identifier: MIT

package import JSEngine
package import NBridgeHost
internal import NBridgePlugin

/// What one engine has of channels to others: its ends by number, and the message that it writes or reads
/// just now. Confined to the engine's thread.
package final class MessageLinks {
  /// Something that messages come to and go out from.
  fileprivate enum Link {
    case port(PortEnd)
    /// A member of a broadcast channel with a name.
    case member(String, MessageQueue)
  }

  private let context: JSContext
  private let group: EngineGroup
  private let mailbox: Mailbox
  private let loop: EventLoop
  private var locks: LockClient?
  private var links: [UInt32: Link] = [:]
  private var last: UInt32 = 0
  /// What is handed over for the message that is sent next.
  private var outgoing = Parcel()
  /// The message that was taken last, and what of it was not read yet.
  private var incoming = Parcel()
  private var nextBlock = 0
  private var nextPort = 0
  private var nextThing = 0
  private let memory: SharedMemory

  package init(_ context: JSContext, _ loop: EventLoop, _ group: EngineGroup) {
    (self.context, self.loop, self.group) = (context, loop, group)
    mailbox = Mailbox(loop)
    memory = SharedMemory(context, mailbox)
  }

  /// Has a function of a script told with the number of an end that something came to; in a task of the
  /// program's recording, where there is one.
  package func open(
    tape: ((@escaping () -> Void) -> (() -> Void)?)?, _ deliver: @escaping (UInt32) -> Void
  ) {
    mailbox.open(tape: tape, deliver)
  }

  /// Closes all ends: the engine ends.
  package func close() {
    mailbox.close()
    locks?.close()
    group.blobs.removeAll(of: self)
    let open = links.values
    links = [:]
    for link in open { close(link) }
    (outgoing, incoming) = (Parcel(), Parcel())
  }

  /// What the engine has of the program's locks; one for all times.
  func lockClient(_ name: String) -> LockClient {
    if let locks { return locks }
    let made = LockClient(name, group.locks, Mailbox(loop))
    locks = made
    group.locks.join(made)
    return made
  }

  // MARK: - Ends

  /// Takes an end over and answers its number.
  package func adopt(_ end: PortEnd) -> UInt32 {
    let number = add(.port(end))
    end.incoming.own(mailbox, number)
    return number
  }

  func pair() -> (UInt32, UInt32) {
    let (first, second) = PortEnd.pair()
    return (adopt(first), adopt(second))
  }

  func join(_ name: String) -> UInt32 {
    let queue = MessageQueue()
    let number = add(.member(name, queue))
    queue.own(mailbox, number)
    group.join(name, queue)
    return number
  }

  private func add(_ link: Link) -> UInt32 {
    last &+= 1
    links[last] = link
    return last
  }

  func close(_ number: UInt32) {
    guard let link = links.removeValue(forKey: number) else { return }
    close(link)
  }

  private func close(_ link: Link) {
    switch link {
    case .port(let end): end.close()
    case .member(let name, let queue):
      group.leave(name, queue)
      queue.close()
    }
  }

  /// Whether nothing waits at an end, and nothing will come.
  func isOver(_ number: UInt32) -> Bool { links[number]?.queue.isOver ?? false }

  /// Has the engine told of what waits at an end: it did not listen before.
  func tellAgain(_ number: UInt32) { links[number]?.queue.tellAgain() }

  // MARK: - Sending

  /// Hands bytes over that belong to the next message: a buffer that nobody else has, which may be detached;
  /// or a view of bytes that nobody changes any more.
  func hand(_ value: JSValue) {
    if let bytes = memory.lend(value) { outgoing.blocks.append(bytes) }
  }

  /// What stands for a view's bytes from now on, which nobody changes: of memory that can be handed over.
  func keep(_ value: JSValue) throws(JSException) -> JSValue { try memory.keep(value) }

  // MARK: - URLs of blobs

  /// Has all engines find a `blob:` URL.
  ///
  /// - Parameter value: bytes that nobody changes any more.
  func publish(_ url: String, _ value: JSValue, _ type: String) {
    if let bytes = memory.lend(value) { group.blobs.add(url, bytes, type, of: self) }
  }

  func withdraw(_ url: String) { group.blobs.remove(url) }

  /// What any engine has published: bytes and type; undefined for nothing.
  func published(_ url: String) -> JSValue {
    guard let found = group.blobs.find(url) else { return context.undefined }
    let bytes = memory.take(found.bytes, isFrozen: true)
    return context.makeArray(count: 2) { $0 == 0 ? bytes : context.make(found.type) }
  }

  /// Hands an end over, which leaves this engine.
  func handPort(_ number: UInt32) {
    guard case .port(let end)? = links.removeValue(forKey: number) else { return }
    end.incoming.disown()
    outgoing.ports.append(PortTicket(end))
  }

  /// Hands over what an object stands for.
  func handThing(_ value: JSValue) {
    if let thing = value.boxed as? any ParcelThing { outgoing.things.append(thing.shared) }
  }

  /// Puts a text, with what was handed over for it, where it is the next that comes to an end of this engine.
  func putBack(_ number: UInt32, _ text: JSValue) {
    let parcel = parcel(text)
    guard case .port(let end)? = links[number], !parcel.ports.contains(where: { $0.leads(to: end.incoming) })
    else { return }
    end.incoming.putFirst(parcel)
  }

  private func parcel(_ text: JSValue) -> Parcel {
    _ = text.readUTF8 { outgoing.text = Array($0) }
    var parcel = Parcel()
    swap(&parcel, &outgoing)
    return parcel
  }

  /// Sends a text with what was handed over for it.
  func send(_ number: UInt32, _ text: JSValue) {
    var parcel = parcel(text)
    switch links[number] {
    case .port(let end):
      // A message can't arrive at a port that is in it.
      guard !parcel.ports.contains(where: { $0.leads(to: end.outgoing) }) else { return }
      end.outgoing.put(parcel)
    case .member(let name, let queue):
      parcel.isForMany = true
      group.publish(parcel, name, from: queue)
    case nil: return
    }
    mailbox.noteSent()
  }

  // MARK: - Receiving

  /// The text of the next message; null when the other end has closed, undefined when there is none.
  func take(_ number: UInt32, _ frame: borrowing JSCallFrame) -> JSValue {
    switch links[number]?.queue.take() {
    case .parcel(let parcel):
      (incoming, nextBlock, nextPort, nextThing) = (parcel, 0, 0, 0)
      return incoming.text.withUnsafeBufferPointer { frame.make(utf8: $0) }
    case .end: return frame.null
    default: return frame.undefined
    }
  }

  /// The next bytes of the message.
  ///
  /// - Parameter isFrozen: whether nobody writes to them, so that engines can have them together.
  func block(isFrozen: Bool) -> JSValue {
    guard incoming.blocks.indices.contains(nextBlock) else { return context.undefined }
    var bytes = incoming.blocks[nextBlock]
    nextBlock += 1
    if incoming.isForMany, !isFrozen { bytes = Bytes(copying: bytes) }
    return memory.take(bytes, isFrozen: isFrozen)
  }

  /// The number of the next port of the message.
  func port() -> UInt32 {
    guard incoming.ports.indices.contains(nextPort) else { return 0 }
    defer { nextPort += 1 }
    return incoming.ports[nextPort].take().map(adopt) ?? 0
  }

  /// An object for the next native one of the message; undefined where there is none.
  func thing() -> JSValue {
    guard incoming.things.indices.contains(nextThing) else { return context.undefined }
    defer { nextThing += 1 }
    return incoming.things[nextThing].box(in: context)
  }

  /// Lets go of the message that was read: ports that nobody took are closed.
  func done() { incoming = Parcel() }
}

extension MessageLinks.Link {
  fileprivate var queue: MessageQueue {
    switch self {
    case .port(let end): end.incoming
    case .member(_, let queue): queue
    }
  }
}

// SPDX-License-Identifier: MIT

package import CNBridgePlugin

/// Values on their way over the C table, in both directions.
extension nbridge_value {
  package static var undefined: nbridge_value { nbridge_value() }

  /// The text; readable as its giver says.
  package var utf8: UnsafeBufferPointer<UInt8> {
    UnsafeBufferPointer(
      start: UnsafeRawPointer(text)?.assumingMemoryBound(to: UInt8.self),
      count: text == nil ? 0 : Int(text_size))
  }

  /// The receiver is done with the text.
  package func releaseText() { release?(owner) }

  /// The bytes beside the text: taken over, or kept for as long as a reader here holds them.
  package func takeBytes(isLent: Bool = true) -> [Bytes] {
    UnsafeBufferPointer(start: bytes, count: bytes == nil ? 0 : Int(bytes_count)).map { foreign in
      foreign.retain?(foreign.owner)
      let memory = UnsafeRawBufferPointer(start: foreign.data, count: Int(foreign.size))
      let given = UncheckedSendable(foreign)  // its functions may be called on any thread
      return Bytes(storage: Bytes.Storage(memory, isLent: isLent) { given.value.release?(given.value.owner) })
    }
  }

  /// Gives back a value that is not wanted.
  package func drop() {
    _ = takeBytes()
    releaseText()
  }

  /// Whether its pointers and sizes can be true.
  private var isWellFormed: Bool {
    guard Self.canBe(text_size, text), bytes_count == 0 || bytes != nil else { return false }
    return UnsafeBufferPointer(start: bytes, count: Int(bytes_count)).allSatisfy {
      Self.canBe($0.size, $0.data)
    }
  }

  private static func canBe(_ size: UInt64, _ start: UnsafeRawPointer?) -> Bool {
    size <= 1 << 40 && (start != nil || size == 0)
  }

  private mutating func set(_ kind: Int, _ text: UnsafeBufferPointer<UInt8>) {
    self.kind = UInt32(kind)
    self.text = UnsafeRawPointer(text.baseAddress)?.assumingMemoryBound(to: CChar.self)
    text_size = UInt64(text.count)
  }

  // MARK: - Out

  /// Points to an output. Its text stays in `sink`: until the sink's next use, or, with `keepsSink`, until
  /// the receiver says that it has read it.
  package mutating func fill(_ output: consuming WireOutput, _ sink: WireSink, keepsSink: Bool = false) {
    switch consume output {
    case .undefined: kind = UInt32(NBRIDGE_UNDEFINED)
    case .bool(let value):
      kind = UInt32(NBRIDGE_BOOLEAN)
      number = value ? 1 : 0
    case .number(let value):
      kind = UInt32(NBRIDGE_NUMBER)
      number = value
    case .string(var value):
      sink.reset()
      value.withUTF8 { sink.put(raw: $0) }
      set(NBRIDGE_STRING, sink.text)
      if keepsSink { keep(ForeignList([], sink)) }
    case .bytes(var value):
      kind = UInt32(NBRIDGE_BYTES)
      number = value.isOnlyReference() ? 1 : 0
      keep(ForeignList([value], nil))
    case .text:
      set(sink.isTagged ? NBRIDGE_TAGGED : NBRIDGE_JSON, sink.text)
      if keepsSink || !sink.attachments.isEmpty {
        number = sink.ownsAttachments ? 1 : 0
        keep(ForeignList(sink.attachments, keepsSink ? sink : nil))
      }
    }
  }

  /// Points to a run of events, each with a comma and a line's end behind it. The text stays the caller's.
  package mutating func fill(events: Int, _ text: UnsafeBufferPointer<UInt8>, isTagged: Bool) {
    set(isTagged ? NBRIDGE_TAGGED : NBRIDGE_JSON, text)
    number = Double(events)
  }

  /// How many events the text holds. Throws for a run that is not as the header says.
  package func events() throws -> Int {
    guard isWellFormed else { throw Self.malformed("has sizes or pointers that can't be true") }
    guard Int(kind) == NBRIDGE_JSON || Int(kind) == NBRIDGE_TAGGED, number > 1 else { return 1 }
    let lines = utf8.reduce(0) { $1 == UInt8(ascii: "\n") ? $0 + 1 : $0 }
    guard Double(lines) == number, bytes_count == 0, utf8.suffix(2).elementsEqual(",\n".utf8) else {
      throw Self.malformed(
        """
        says that it holds \(Int(exactly: number).map(String.init) ?? "\(number)") events and has \(lines) \
        lines
        """
      )
    }
    return lines
  }

  /// Points to a failure.
  package mutating func fill(failure error: any Error, _ sink: WireSink, keepsSink: Bool = false) {
    sink.reset()
    sink.put("{")
    BridgeError(wrapping: error).writeMembers(into: sink)
    sink.put("}")
    set(NBRIDGE_FAILURE, sink.text)
    if keepsSink { keep(ForeignList([], sink)) }
  }

  /// Points to text and bytes that the caller keeps.
  package mutating func fill(
    borrowed text: UnsafeBufferPointer<UInt8>, _ list: UnsafeBufferPointer<nbridge_bytes>
  ) {
    if text.isEmpty { return kind = UInt32(NBRIDGE_UNDEFINED) }
    set(WireTag.mayStand(in: text) ? NBRIDGE_TAGGED : NBRIDGE_JSON, text)
    bytes = list.baseAddress
    bytes_count = UInt32(list.count)
  }

  private mutating func keep(_ list: ForeignList) {
    bytes = UnsafePointer(list.items.baseAddress)
    bytes_count = UInt32(list.items.count)
    owner = Unmanaged.passRetained(list).toOpaque()  // balanced by `release`, which the receiver calls
    release = { owner in
      if let owner { Unmanaged<ForeignList>.fromOpaque(owner).release() }
    }
  }

  // MARK: - In

  /// Reads an answer, its text put into `sink`. Throws the failure that it may be, and for what is no value.
  package func take(into sink: WireSink) throws -> WireOutput {
    guard isWellFormed else { throw Self.malformed("has sizes or pointers that can't be true") }
    var bytes = takeBytes(isLent: number != 1)
    defer { releaseText() }
    switch Int(kind) {
    case NBRIDGE_UNDEFINED: return .undefined
    case NBRIDGE_BOOLEAN: return .bool(number != 0)
    case NBRIDGE_NUMBER: return .number(number)
    case NBRIDGE_STRING: return .string(try checkedText())
    case NBRIDGE_BYTES:
      guard let first = bytes.popLast(), bytes.isEmpty else {
        throw Self.malformed("says that it holds bytes and has none, or several")
      }
      return .bytes(first)
    case NBRIDGE_JSON, NBRIDGE_TAGGED:
      sink.put(foreign: try checkedUTF8(), bytes, isTagged: Int(kind) == NBRIDGE_TAGGED)
      return .text
    case NBRIDGE_FAILURE: throw BridgeError(foreign: utf8)
    default: throw Self.malformed("has the unknown kind \(kind)")
    }
  }

  /// Whether it is JSON with no bytes beside it.
  package var isPlainText: Bool {
    bytes_count == 0 && (Int(kind) == NBRIDGE_JSON || Int(kind) == NBRIDGE_TAGGED)
  }

  /// The text. Throws for what is not UTF-8.
  package func checkedUTF8() throws -> UnsafeBufferPointer<UInt8> {
    guard UTF8Check.isValid(utf8) else { throw Self.malformed("is not UTF-8") }
    return utf8
  }

  private func checkedText() throws -> String {
    guard let text = String(validating: utf8, as: UTF8.self) else { throw Self.malformed("is not UTF-8") }
    return text
  }

  private static func malformed(_ what: String) -> BridgeError {
    BridgeError(.unknownError, "the plugin's answer \(what); this is a fault of the plugin")
  }
}

/// The list of bytes that a value points to, with the sink of its text where that has to be kept too.
private final class ForeignList {
  let items: UnsafeMutableBufferPointer<nbridge_bytes>
  private let sink: WireSink?

  /// Each item holds its bytes until the receiver releases it.
  init(_ bytes: [Bytes], _ sink: WireSink?) {
    self.sink = sink
    items = .allocate(capacity: bytes.count)
    _ = items.initialize(from: bytes.map { nbridge_bytes(owned: $0) })
  }
  deinit { items.deallocate() }
}

extension nbridge_bytes {
  /// Bytes that the receiver owns.
  fileprivate init(owned bytes: Bytes) {
    self.init(borrowed: bytes)
    retain?(owner)
    retain = nil
  }

  /// Bytes that the giver keeps for the time of a call.
  package init(borrowed bytes: Bytes) {
    let memory = bytes.withUnsafeBytes { $0 }
    self.init(
      data: memory.baseAddress?.assumingMemoryBound(to: UInt8.self), size: UInt64(memory.count),
      owner: Unmanaged.passUnretained(bytes.storage).toOpaque(),
      // Balanced by `release`, as the header says.
      retain: { owner in if let owner { _ = Unmanaged<Bytes.Storage>.fromOpaque(owner).retain() } },
      release: { owner in if let owner { Unmanaged<Bytes.Storage>.fromOpaque(owner).release() } })
  }
}

extension BridgeError {
  /// `"code":…,"message":…` and, if there are any, cause and details, as members of a JSON object.
  package func writeMembers(into sink: WireSink) {
    sink.put(#""code":"#)
    sink.write(code.rawValue)
    sink.put(#","message":"#)
    sink.write(message)
    if let cause {
      sink.put(#","cause":"#)
      sink.write(cause)
    }
    if let details, details.attachments.isEmpty {
      sink.put(#","details":"#)
      details.text.withUnsafeBufferPointer { sink.put(raw: $0) }
    }
  }

  private struct Foreign: Decodable {
    var code: String
    var message: String
    var cause: String?
    var details: Value?
  }

  /// Reads a failure that came over the table.
  package init(foreign text: UnsafeBufferPointer<UInt8>) {
    guard UTF8Check.isValid(text), let foreign = try? WireDecoder.decode(Foreign.self, text, root: "failure")
    else {
      self.init(
        .unknownError, "the plugin failed and did not say why: its failure is not {\"code\", \"message\"}")
      return
    }
    // Details that stand for no value would fail in the script, with the failure itself.
    self.init(Code(foreign.code), foreign.message, details: foreign.details.flatMap { $0.isSound ? $0 : nil })
    cause = foreign.cause
  }
}

// SPDX-License-Identifier: MIT

internal import Synchronization

/// A stream that the script hands to an action: a parameter of its options.
///
/// ```swift
/// struct Rows: Codable { var rows: Incoming<Row> }
///
/// Action("store", "Stores rows.") { (options: Rows, call) in
///   var count = 0
///   for try await row in options.rows { count += row.size }
///   return count
/// }
/// .positional("rows")
/// ```
///
/// The script gives a `ReadableStream`, any other async iterable, an iterable, or an array. Of `Bytes` it is
/// a stream of bytes. It is read as the plugin reads: its iterator is not moved before the plugin wants a
/// value, and at most 16 are under way. What the iterator throws is thrown here. A value of the wrong type
/// throws ``BridgeError/Code/invalidParameter`` with its path, as `option.rows[3].size`.
///
/// It belongs to its call. When that is over, the iterator's `return()` is called and reading throws
/// ``BridgeError/Code/closed``, or ``BridgeError/Code/cancelled``; a plugin that wants no more before calls
/// ``cancel()``. Several may read one stream: each value goes to one of them.
public struct Incoming<Element: Codable & Sendable>: AsyncSequence, Sendable {
  /// What reading may throw.
  public typealias Failure = any Error

  private let source: Source

  private enum Source: Sendable {
    case inlet(Inlet, Reading)
    case list(Shared)
  }

  /// What the values of a stream are called, and how far it has been read.
  private final class Reading: Sendable {
    let name: String
    let names = OptionNames(Element.self)
    private let count = Atomic<Int>(0)
    init(_ name: String) { self.name = name }

    func decode(_ value: Value) throws -> Element {
      let index = count.add(1, ordering: .relaxed).oldValue
      return try value.text.withUnsafeBufferPointer {
        try WireDecoder.decode(
          Element.self, $0, value.attachments, root: "option.\(name)[\(index)]", names: names)
      }
    }
  }

  /// What the script gave as a list is there at once.
  private final class Shared: Sendable {
    private let state: Mutex<(elements: [Element], next: Int)>
    init(_ elements: [Element]) { state = Mutex((elements, 0)) }

    func next() -> Element? {
      state.withLock { state in
        guard state.next < state.elements.count else { return nil }
        state.next += 1
        return state.elements[state.next - 1]
      }
    }

    func cancel() { state.withLock { $0 = ([], 0) } }
  }

  /// Reads one value after the other.
  public struct AsyncIterator: AsyncIteratorProtocol {
    private let incoming: Incoming
    fileprivate init(_ incoming: Incoming) { self.incoming = incoming }

    /// The next value; nil at the end.
    public mutating func next() async throws -> Element? { try await next(isolation: nil) }

    /// The next value; nil at the end.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Element? {
      switch incoming.source {
      case .list(let list): return list.next()
      case .inlet(let inlet, let reading):
        guard let value = try await inlet.next(isolation: actor) else { return nil }
        return try reading.decode(value)
      }
    }
  }

  /// Reads the values that nobody has read yet.
  public func makeAsyncIterator() -> AsyncIterator { AsyncIterator(self) }

  /// The next value, on a thread that may wait: in a ``Detached`` handler. nil at the end.
  ///
  /// Where the engine's thread would wait, it throws. It comes back when the call is cancelled, too.
  public func nextBlocking() throws -> Element? {
    switch source {
    case .list(let list): return list.next()
    case .inlet(let inlet, let reading): return try inlet.nextBlocking().map { try reading.decode($0) }
    }
  }

  /// Wants no more values: the script's iterator is told, as by `break`, and reading is at the end.
  public func cancel() {
    switch source {
    case .list(let list): list.cancel()
    case .inlet(let inlet, _): inlet.leave()
    }
  }
}

extension Incoming: Codable {
  /// Takes the stream that the script gave, of which nothing is read yet.
  public init(from decoder: any Decoder) throws {
    if let wire = decoder as? WireDecoder {
      if let (inlet, name) = try wire.inlet(Self.expected) {
        source = .inlet(inlet, Reading(name))
        return
      }
      if !wire.isList { throw wire.mismatch(Self.expected) }
    }
    source = .list(Shared(try [Element](from: decoder)))
  }

  private static var expected: String { "a sequence (a ReadableStream, an iterable or an array)" }

  /// A stream can't be handed on.
  public func encode(to encoder: any Encoder) throws { throw BridgeError.ofTheScript }
}

extension Incoming: SchemaDescribed {
  /// A stream of the elements' shape.
  public static var schema: Schema { get throws { .stream(try Schema.of(Element.self)) } }
}

extension BridgeError {
  static var ofTheScript: BridgeError {
    BridgeError(.invalidParameter, "a stream or function of a script's can't be handed on")
  }
}

extension WireDecoder {
  /// The stream or function that a tag stands for, and the parameter's name; nil for what has no tag.
  func inlet(_ expected: String) throws -> (Inlet, String)? {
    guard let (tag, payload) = source.tag(at: node), tag == .channel else { return nil }
    guard let index = source.tape.integer(payload, as: Int.self), source.attachments.indices.contains(index),
      let inlet = source.attachments[index].inlet
    else { throw mismatch(expected) }
    return (inlet, (try? source.tape.string(payload + 1)) ?? "")
  }

  /// Whether it is an array or a Set.
  fileprivate var isList: Bool { source.tape[node].kind == .array || source.tag(at: node)?.tag == .set }
}

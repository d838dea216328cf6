// SPDX-License-Identifier: MIT

/// The moments at which a descriptor can be read or written: a serial port, a socket, a pipe, a device.
///
/// ```swift
/// for try await _ in Readiness(of: socket) {
///   while let chunk = try readWhatIsThere(socket) { … }
/// }
/// ```
///
/// However many are waited for, one thread of the SDK waits for all of them, and the task is suspended
/// meanwhile: no handler's thread is held. A moment comes as long as there is something to read, the end and
/// an error among it; so it comes again at once when not all was read. Now and then there turns out to be
/// nothing, since somebody else was faster: open what you wait for with `O_NONBLOCK`. The sequence never ends
/// by itself; a task that is cancelled gets a `CancellationError`.
///
/// It waits for a duplicate of the descriptor: closing the number meanwhile wakes nobody, and does no harm.
public struct Readiness: AsyncSequence, Sendable {
  /// What a descriptor is waited for.
  public enum Moment: Sendable {
    /// Reading does not block: there are bytes, a connection, the end, or an error.
    case readable
    /// Writing does not block: there is room, or an error.
    case writable
  }

  private let descriptor: Int32
  private let moment: Moment

  /// The moments of an open descriptor. It is looked at when the first is asked for.
  public init(of descriptor: Int32, _ moment: Moment = .readable) {
    (self.descriptor, self.moment) = (descriptor, moment)
  }

  /// Waits for one moment; at once when it is there.
  ///
  /// - Throws: `CancellationError`; ``BridgeError/Code/ioError`` for a descriptor that can't be waited for.
  public static func wait(
    for moment: Moment = .readable, of descriptor: Int32, isolation: isolated (any Actor)? = #isolation
  ) async throws {
    try await WaitedDescriptor(descriptor, moment).wait()
  }

  /// Makes an iterator with a duplicate of the descriptor of its own.
  public func makeAsyncIterator() -> Iterator { Iterator(descriptor, moment) }

  /// Waits for one moment after the other.
  public struct Iterator: AsyncIteratorProtocol {
    private let descriptor: Int32
    private let moment: Moment
    private var waited: WaitedDescriptor?

    fileprivate init(_ descriptor: Int32, _ moment: Moment) {
      (self.descriptor, self.moment) = (descriptor, moment)
    }

    /// The next moment. Throws as ``Readiness/wait(for:of:isolation:)``.
    public mutating func next() async throws -> Void? { try await next(isolation: nil) }

    /// The same for a task that goes on where it is.
    public mutating func next(isolation actor: isolated (any Actor)?) async throws -> Void? {
      let waited = try waited ?? WaitedDescriptor(descriptor, moment)
      self.waited = waited
      try await waited.wait(isolation: actor)
      return ()
    }
  }
}

// SPDX-License-Identifier: MIT

internal import JSEngine
internal import NBridgePlugin
internal import Synchronization

/// The large memory that one engine has together with others: what it has lent to them, and what it has
/// borrowed of them. Confined to the engine's thread.
///
/// Lent memory keeps its engine, for the engine alone can free it, but nothing of its script (``LentBytes``);
/// and what an engine has borrowed is kept by its objects. If two engines each had borrowed of the other, or
/// one of itself, neither would ever end. So an engine lends only while it has borrowed nothing, and borrows
/// only while it has lent nothing: else bytes are copied. What nobody writes to comes back to its own engine
/// as what it was there; what was borrowed is handed on as it is.
final class SharedMemory {
  private struct Loan {
    weak var storage: Bytes.Storage?
    let value: LentValue
  }

  private struct Borrowed {
    weak var storage: Bytes.Storage?
  }

  private let context: JSContext
  private let mailbox: Mailbox
  /// By the address of the memory, as long as something keeps it.
  private var loans: [UnsafeRawPointer: Loan] = [:]
  private var borrowed: [UnsafeRawPointer: Borrowed] = [:]
  /// How many of them there are, which ends on other threads.
  private let lentCount = Count()
  private let borrowedCount = Count()
  /// Bytes up to so many are copied.
  private static let largestCopied = 1 << 20
  /// Where what is lent is made; nil before anything is.
  private var lentBytes: LentBytes?
  /// When what has gone is looked for next.
  private var most = 64

  init(_ context: JSContext, _ mailbox: Mailbox) { (self.context, self.mailbox) = (context, mailbox) }

  /// The bytes of a value for other engines; nil for what has none. What holds them must not change any more.
  ///
  /// - Parameter value: a buffer that nobody else has, which loses its memory where that is lent; or a view.
  func lend(_ value: JSValue) -> Bytes? {
    guard let own = try? keep(value), let memory = own.bytes else { return copy(value) }
    let source = UnsafeRawBufferPointer(memory)
    guard let start = source.baseAddress, source.count > Self.largestCopied else { return Bytes(source) }
    if let storage = borrowed[start]?.storage, storage.memory.count == source.count {
      return Bytes(storage: storage)
    }
    guard !borrowedCount.isAny, let vault = lentBytes else { return Bytes(source) }
    let lent = LentValue(JSHandle(own, in: vault.context))
    let one = lentCount.one()
    let storage = Bytes.Storage(source, isLent: true) { [mailbox] in
      one.end()
      mailbox.letGo(lent)
    }
    prune()
    loans[start] = Loan(storage: storage, value: lent)
    return Bytes(storage: storage)
  }

  /// What stands for bytes from now on, where they are lent: a view of memory that keeps nothing of the
  /// script.
  func keep(_ value: JSValue) throws(JSException) -> JSValue {
    guard let count = value.byteCount, count > Self.largestCopied, !borrowedCount.isAny else { return value }
    // A script that does not come back to its loop lends nothing that it could have back.
    mailbox.dropReturned()
    context.machine.drainReleases(in: context)
    if lentBytes == nil { lentBytes = try LentBytes(for: context) }
    return try lentBytes?.own(value) ?? value
  }

  private func copy(_ value: JSValue) -> Bytes? { value.bytes.map { Bytes(UnsafeRawBufferPointer($0)) } }

  /// A `Uint8Array` of bytes that came from another engine. They are the script's own.
  ///
  /// - Parameter isFrozen: whether nobody writes to them, nor transfers them: the engine does not let go of
  ///   what was lent once.
  func take(_ bytes: Bytes, isFrozen: Bool) -> JSValue {
    let storage = bytes.storage
    guard storage.isLent, let start = storage.memory.baseAddress else { return view(bytes, keeping: storage) }
    if isFrozen, let loan = loans[start], loan.storage === storage, let own = loan.value.value { return own }
    if lentCount.isAny {
      let copy = Bytes(copying: bytes)
      return view(copy, keeping: copy.storage)
    }
    prune()
    borrowed[start] = Borrowed(storage: storage)
    return view(bytes, keeping: Keeper(storage, borrowedCount.one()))
  }

  private func view(_ bytes: Bytes, keeping owner: some AnyObject & Sendable) -> JSValue {
    bytes.withUnsafeBytes { context.makeBytes(over: $0, keeping: owner) }
  }

  private func prune() {
    guard loans.count + borrowed.count >= most else { return }
    loans = loans.filter { $0.value.storage != nil }
    borrowed = borrowed.filter { $0.value.storage != nil }
    most = max(64, 2 * (loans.count + borrowed.count))
  }

  /// What the engine's own buffer keeps of another one's memory.
  private final class Keeper: Sendable {
    private let storage: Bytes.Storage
    private let one: One
    init(_ storage: Bytes.Storage, _ one: One) { (self.storage, self.one) = (storage, one) }
    deinit { one.end() }
  }

  /// How many there are. Any thread.
  private final class Count: Sendable {
    fileprivate let count = Atomic<Int>(0)
    var isAny: Bool { count.load(ordering: .sequentiallyConsistent) > 0 }

    func one() -> One {
      count.add(1, ordering: .sequentiallyConsistent)
      return One(self)
    }
  }

  private struct One: Sendable {
    private let counted: Count
    init(_ counted: Count) { self.counted = counted }
    func end() { counted.count.subtract(1, ordering: .sequentiallyConsistent) }
  }
}

// SPDX-License-Identifier: MIT

internal import Glibc

/// Bytes that cross the bridge without a copy: `Uint8Array` in JavaScript (any view or buffer on the way in).
///
/// On the way in, more than 4 KiB are the script's own memory: a script that writes to a buffer before the
/// call settled is seen writing; it can't free, move or shrink it. Copy with `Array(bytes)` what outlives the
/// call. On the way out they become the script's own: without a copy when the plugin keeps no reference to
/// them, else copied, so that no script writes to what a plugin reads. Sendable: readable from any thread.
public struct Bytes: Sendable {
  package private(set) var storage: Storage
  package let range: Range<Int>

  /// The name of the JavaScript view it came from, as `Float64Array`.
  package var view = "Uint8Array"

  /// Owns the memory, or keeps its owner alive.
  package final class Storage: Sendable {
    package nonisolated(unsafe) let memory: UnsafeRawBufferPointer  // never written through, freed in deinit
    /// Whether the memory has another owner, which may go on using it.
    package let isLent: Bool
    private let release: @Sendable () -> Void
    /// What stands among an option's bytes without being any: a stream or function of the script's.
    package let companion: (any AnyObject & Sendable)?

    package init(
      _ memory: UnsafeRawBufferPointer, isLent: Bool = false, companion: (any AnyObject & Sendable)? = nil,
      release: @escaping @Sendable () -> Void
    ) {
      self.memory = memory
      self.isLent = isLent
      self.companion = companion
      self.release = release
    }
    deinit { release() }
  }

  /// No bytes.
  package static let none = Bytes(count: 0) { _ in }

  /// Whether only the holder of this value can reach the memory, from here on, too.
  package mutating func isOnlyReference() -> Bool { !storage.isLent && isKnownUniquelyReferenced(&storage) }

  /// The same bytes in memory of their own.
  package init(copying bytes: Bytes) {
    self.init(capacity: bytes.count) { target in
      bytes.withUnsafeBytes { target.copyMemory(from: $0) }
      return bytes.count
    }
    view = bytes.view
  }

  /// No bytes, but what stands in their place.
  package init(companion: any AnyObject & Sendable) {
    let nothing = UnsafeRawBufferPointer(start: nil, count: 0)
    self.init(storage: Storage(nothing, isLent: true, companion: companion) {})
  }

  package init(storage: Storage, view: String = "Uint8Array") {
    self.storage = storage
    self.range = 0..<storage.memory.count
    self.view = view
  }

  /// Copies a sequence of bytes.
  public init(_ bytes: some Collection<UInt8>) {
    self.init(capacity: bytes.count) { target in
      target.bindMemory(to: UInt8.self).initialize(fromContentsOf: bytes)
    }
  }

  /// Makes `count` bytes, zero until `fill` writes them.
  public init(count: Int, _ fill: (UnsafeMutableRawBufferPointer) throws -> Void) rethrows {
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: Swift.max(1, count), alignment: 16)
    memory.initializeMemory(as: UInt8.self, repeating: 0)
    do { try fill(UnsafeMutableRawBufferPointer(rebasing: memory[0..<count])) } catch {
      memory.deallocate()
      throw error
    }
    let base = UInt(bitPattern: memory.baseAddress)
    storage = Storage(UnsafeRawBufferPointer(rebasing: memory[0..<count])) {
      UnsafeMutableRawPointer(bitPattern: base)?.deallocate()
    }
    range = 0..<count
  }

  /// Makes up to `capacity` bytes: `fill` writes to memory that holds anything, and answers how many it
  /// wrote. Much room for few bytes is given back.
  public init(capacity: Int, _ fill: (UnsafeMutableRawBufferPointer) throws -> Int) rethrows {
    var memory = Self.allocate(capacity)
    let count: Int
    do { count = try fill(memory) } catch {
      Self.free(memory.baseAddress, capacity)
      throw error
    }
    precondition(0...capacity ~= count, "\(count) of \(capacity) bytes")
    if capacity > Self.smallRoom, count < capacity / 4 { memory = Self.fitting(memory, count) }
    let (base, room) = (UInt(bitPattern: memory.baseAddress), memory.count)
    storage = Storage(UnsafeRawBufferPointer(rebasing: memory[0..<count])) {
      Self.free(UnsafeMutableRawPointer(bitPattern: base), room)
    }
    range = 0..<count
  }

  /// The first bytes of a room in one of their size, instead of it: who reads in small pieces would keep a
  /// room for each.
  private static func fitting(_ room: UnsafeMutableRawBufferPointer, _ count: Int)
    -> UnsafeMutableRawBufferPointer
  {
    let made = allocate(count)
    made.copyMemory(from: UnsafeRawBufferPointer(rebasing: room[0..<count]))
    free(room.baseAddress, room.count)
    return made
  }

  /// So many bytes more or less are nothing to save.
  private static let smallRoom = 4096

  /// Memory for so many bytes. Much of it is asked for in large pages: to touch small ones for the first time
  /// costs as much as to copy what goes into them.
  private static func allocate(_ capacity: Int) -> UnsafeMutableRawBufferPointer {
    if BlockPool.sizes ~= capacity {
      return UnsafeMutableRawBufferPointer(start: BlockPool.take(capacity), count: capacity)
    }
    guard capacity >= 2 * largePage else {
      let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: Swift.max(1, capacity), alignment: 16)
      return UnsafeMutableRawBufferPointer(rebasing: memory[0..<capacity])
    }
    let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: capacity, alignment: largePage)
    // A wish, which may be refused.
    madvise(memory.baseAddress, capacity / largePage * largePage, adviseHugePages)
    return memory
  }

  private static func free(_ base: UnsafeMutableRawPointer?, _ capacity: Int) {
    guard let base else { return }
    if BlockPool.sizes ~= capacity { BlockPool.give(base, capacity) } else { base.deallocate() }
  }

  private static let largePage = 2 << 20
  /// MADV_HUGEPAGE (linux/mman.h), which glibc shows to GNU programs only.
  private static let adviseHugePages: Int32 = 14

  /// How many bytes there are.
  public var count: Int { range.count }

  /// Calls `body` with the memory, valid only inside it.
  public func withUnsafeBytes<R>(_ body: (UnsafeRawBufferPointer) throws -> R) rethrows -> R {
    try body(UnsafeRawBufferPointer(rebasing: storage.memory[range]))
  }
}

extension Bytes: RandomAccessCollection {
  /// The first index, 0.
  public var startIndex: Int { 0 }
  /// One past the last index.
  public var endIndex: Int { range.count }
  /// The byte at `index`.
  public subscript(index: Int) -> UInt8 {
    precondition(index >= 0 && index < range.count, "byte \(index) of \(range.count)")
    return storage.memory[range.lowerBound + index]
  }
}

extension Bytes: Hashable {
  /// Equal when the bytes are.
  public static func == (left: Bytes, right: Bytes) -> Bool { left.elementsEqual(right) }
  /// Feeds the bytes.
  public func hash(into hasher: inout Hasher) { withUnsafeBytes { hasher.combine(bytes: $0) } }
}

extension Bytes: Codable {
  /// Decodes from the bridge, where bytes travel beside the text; from another coder, an array of numbers.
  public init(from decoder: any Decoder) throws {
    if let wire = decoder as? WireDecoder {
      self = try wire.bytes()
    } else {
      self.init(try [UInt8](from: decoder))
    }
  }

  /// Encodes for the bridge, where bytes travel beside the text; for another coder, an array of numbers.
  public func encode(to encoder: any Encoder) throws {
    if let wire = encoder as? WireEncoder {
      try wire.sink { try $0.writeBytes(self) }
    } else {
      try Array(self).encode(to: encoder)
    }
  }
}

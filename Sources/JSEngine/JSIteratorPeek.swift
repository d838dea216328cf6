// SPDX-License-Identifier: MIT

internal import CNBridgeJavaScriptCore

/// Looks at where an iterator of a Map or a Set stands, without moving it on.
///
/// No call of the library's tells, neither to scripts nor to C. So its own object is read: four values behind
/// the header, the number of the entry that comes next, the collection, the table of its entries, and what is
/// given of each. What is an iterator is told by the type byte in the header. Both are proven on iterators of
/// known state before the first use, and not used at all when the proof fails. Nothing is written.
public struct JSIteratorPeek {
  /// What an iterator gives of each entry, in the library's own order.
  public enum Part: Int, Sendable {
    /// The key.
    case keys
    /// The value.
    case values
    /// A list of both.
    case entries
  }

  /// Where an iterator stands.
  public struct Place {
    /// Whether it is a Map's; else a Set's.
    public let isMap: Bool
    /// What it goes through.
    public let collection: JSValue
    /// What it gives of each entry.
    public let part: Part
    /// Whether it gives no more.
    public let isOver: Bool
    /// How many places of its table lie behind it.
    public let position: Int
    fileprivate let table: UInt

    /// Whether the places of both are counted in the same table. A collection that grows gets a new one,
    /// which an iterator turns to with its next step.
    public func hasTable(of other: Place) -> Bool { table == other.table }
  }

  /// Iterators of known state, made where no script can have changed what makes them.
  public struct Proof {
    let map: JSValue, entries: JSValue, over: JSValue, set: JSValue, values: JSValue

    /// - Parameters:
    ///   - map: a Map of two entries or more.
    ///   - entries: an iterator of its entries that has given one.
    ///   - over: an iterator of its keys that has given all of them, and the end.
    ///   - set: a Set of two or more.
    ///   - values: an iterator of its values that has given one.
    public init(map: JSValue, entries: JSValue, over: JSValue, set: JSValue, values: JSValue) {
      (self.map, self.entries, self.over, self.set, self.values) = (map, entries, over, set, values)
    }
  }

  /// The type bytes of the four kinds of objects.
  private let mapIterator: UInt8, setIterator: UInt8, map: UInt8, set: UInt8
  /// The table of every iterator that is over.
  private var end: UInt = 0

  /// JSC's JSCell: 4 bytes of structure, then indexing mode, type, flags, state; then the object's
  /// properties.
  private static let typeOffset = 5
  /// JSC's JSMapIterator and JSSetIterator, behind that.
  private static let (entryOffset, collectionOffset, tableOffset, partOffset) = (16, 24, 32, 40)
  /// What marks a number in a JSC value: those of 32 bits.
  private static let numberTag: UInt = 0xFFFE_0000_0000_0000

  /// Fails where the library is not the one we know.
  public init?(_ proof: Proof) {
    let objects = [proof.map, proof.entries, proof.over, proof.set, proof.values]
    guard MemoryLayout<Int>.size == 8, objects.allSatisfy(\.isObject) else { return nil }
    (mapIterator, setIterator) = (Self.typeByte(proof.entries), Self.typeByte(proof.values))
    (map, set) = (Self.typeByte(proof.map), Self.typeByte(proof.set))
    let types = [mapIterator, setIterator, map, set]
    let areAllDifferent = types.indices.allSatisfy { !types[..<$0].contains(types[$0]) }
    guard mapIterator == Self.typeByte(proof.over), areAllDifferent else { return nil }
    guard let entries = look(at: proof.entries), let values = look(at: proof.values),
      let over = look(at: proof.over), !entries.hasTable(of: over), !values.hasTable(of: over),
      Self.isProven(entries, proof.map, .entries), Self.isProven(values, proof.set, .values),
      over.collection.isSame(as: proof.map), over.part == .keys
    else { return nil }
    end = over.table
  }

  private static func isProven(_ place: Place, _ collection: JSValue, _ part: Part) -> Bool {
    place.collection.isSame(as: collection) && place.part == part && place.position == 1
  }

  /// Where an iterator of a Map or a Set stands; nil for what is none.
  public func look(at value: JSValue) -> Place? {
    guard value.isObject else { return nil }
    let type = Self.typeByte(value)
    guard type == mapIterator || type == setIterator else { return nil }
    let cell = UnsafeRawPointer(value.ref)
    func word(_ offset: Int) -> UInt { cell.load(fromByteOffset: offset, as: UInt.self) }
    let (entry, collection, part) = (
      word(Self.entryOffset), word(Self.collectionOffset), word(Self.partOffset)
    )
    guard entry & Self.numberTag == Self.numberTag, part & Self.numberTag == Self.numberTag,
      let part = Part(rawValue: Int(part & ~Self.numberTag)), collection > 0xFFFF, collection % 8 == 0,
      collection < 1 << 48, let ref = JSValueRef(bitPattern: collection)
    else { return nil }
    let found = JSValue(ref, value.context)
    guard Self.typeByte(found) == (type == mapIterator ? map : set) else { return nil }
    let table = word(Self.tableOffset)
    return Place(
      isMap: type == mapIterator, collection: found, part: part, isOver: table == end,
      position: Int(entry & ~Self.numberTag), table: table)
  }

  /// An object reference is the address of its cell on every 64-bit machine.
  private static func typeByte(_ value: JSValue) -> UInt8 {
    UnsafeRawPointer(value.ref).load(fromByteOffset: typeOffset, as: UInt8.self)
  }
}

// SPDX-License-Identifier: MIT

internal import Synchronization

/// An option that a script may leave out, with the value that it has then.
///
/// ```swift
/// struct Search: Codable, Sendable {
///   var text: String
///   @Default var limit = 20
/// }
/// ```
///
/// Left out, `undefined` and null are the same. The value stands in the types, in the help and in
/// `nbridge plugin describe`; it is read once, when it is first needed. A plain `var limit = 20` would be of
/// no use: what Swift makes of `Codable` asks for each variable, whatever it was set to before.
@propertyWrapper
public struct Default<Wrapped: Codable & Sendable>: Codable, Sendable {
  /// What the script gave, or the default.
  public var wrappedValue: Wrapped
  /// Which one of its type it was when the type's shape was read; else 0.
  fileprivate let place: Int

  /// Takes the value that the option has when the script gives none.
  public init(wrappedValue: Wrapped) {
    self.wrappedValue = wrappedValue
    place = 0
    if DefaultsRead.isAny { DefaultsRead.current?.add(wrappedValue) }
  }

  /// Reads what the script gave; the decoder knows what stands for nothing.
  public init(from decoder: any Decoder) throws {
    let value = try decoder.singleValueContainer()
    if value.decodeNil(), !(Wrapped.self is any ExpressibleByNilLiteral.Type),
      let wire = decoder as? WireDecoder, let known = try wire.absent(Self.self)
    {
      self = known
      return
    }
    wrappedValue = try value.decode(Wrapped.self)
    place = DefaultsRead.isAny ? DefaultsRead.current?.nextPlace() ?? 0 : 0
  }

  /// Writes the value.
  public func encode(to encoder: any Encoder) throws {
    var value = encoder.singleValueContainer()
    try value.encode(wrappedValue)
  }
}

extension Default: Equatable where Wrapped: Equatable {
  /// Whether the values are the same.
  public static func == (one: Self, other: Self) -> Bool { one.wrappedValue == other.wrappedValue }
}

extension Default: Hashable where Wrapped: Hashable {
  /// Hashes the value.
  public func hash(into hasher: inout Hasher) { hasher.combine(wrappedValue) }
}

/// Any ``Default``, as the recorder of shapes meets it.
protocol DefaultOption {
  /// The default as a value, when `given` is of its type.
  static func value(_ given: Any) throws -> Value?
  /// Which one of its type it was.
  var placeInType: Int { get }
}

extension Default: DefaultOption {
  static func value(_ given: Any) throws -> Value? { try (given as? Wrapped).map { try Value(encoding: $0) } }
  var placeInType: Int { place }
}

/// What the defaults of a type are, while its shape is read: Swift sets each variable to what it is declared
/// with before the type's `init(from:)` asks for the first one.
final class DefaultsRead: @unchecked Sendable {
  // Sendable because it is used only by the code that a recorder calls, on the recorder's thread.
  private var given: [Any] = []
  private var places = 0
  @TaskLocal static var current: DefaultsRead?
  /// How many shapes are being read: else nobody looks for the one that is.
  private static let count = Atomic<Int>(0)

  static var isAny: Bool { count.load(ordering: .relaxed) > 0 }

  /// Calls `body`, which makes a value of some type.
  static func with<R>(_ read: DefaultsRead?, _ body: () throws -> R) rethrows -> R {
    count.add(1, ordering: .relaxed)
    defer { count.subtract(1, ordering: .relaxed) }
    return try $current.withValue(read, operation: body)
  }

  fileprivate func add(_ value: Any) { given.append(value) }

  fileprivate func nextPlace() -> Int {
    places += 1
    return places
  }

  /// The defaults of `example`, which was made meanwhile, in the order in which they were asked for.
  ///
  /// They were given in the order of the declaration, which is that of the mirror; values inside of others
  /// come before those.
  func values(of example: Any, count: Int) throws -> [Value] {
    guard count > 0 else { return [] }
    var rest = given[...]
    var values: [Int: Value] = [:]
    for child in Mirror(reflecting: example).children {
      guard let option = child.value as? any DefaultOption else { continue }
      while let given = rest.popFirst() {
        guard let value = try type(of: option).value(given) else { continue }
        values[option.placeInType] = value
        break
      }
    }
    guard rest.isEmpty, values.count == count else { throw SchemaError(Self.unclear(example)) }
    return try (0..<count).map { index in
      guard let value = values[index + 1] else { throw SchemaError(Self.unclear(example)) }
      return value
    }
  }

  private static func unclear(_ example: Any) -> String {
    "the defaults of '\(type(of: example))' can't be told apart: give each @Default variable its value where "
      + "it is declared, and a variable of a type that has some of its own, too"
  }
}

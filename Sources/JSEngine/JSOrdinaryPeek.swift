// SPDX-License-Identifier: MIT

internal import CNBridgeJavaScriptCore

/// Tells objects without inner slots, `{}` and those of scripts' own classes, from all others: by what they
/// are, whatever prototype they have. Scripts can only try which built-in method throws, one by one.
///
/// No call of the library's tells. The type byte in the object's header does; it is proven on objects of
/// known kinds before the first use, and not used at all when the proof fails.
public struct JSOrdinaryPeek {
  private let type: UInt8

  /// JSC's JSCell: 4 bytes of structure, then indexing mode, type, flags, state.
  private static let typeOffset = 5

  private static let ordinary = """
    [{}, { a: 1 }, Object.create(null), new (class {}), new (class { #a = 1 }), Object.setPrototypeOf({}, [])]
    """
  private static let others = """
    [[], () => {}, new Map, new Set, new Date, /a/, new Error, Object(1), Object(''), Object(true),
      Object(1n), Object(Symbol()), new WeakMap, new WeakSet, new WeakRef({}), new ArrayBuffer(1),
      new Uint8Array(1),
      new DataView(new ArrayBuffer(1)), Promise.resolve(), new Proxy({}, {}),
      new FinalizationRegistry(() => {}),
      (function () { return arguments })(), [].values(), new Map().entries(), (function* () {})(),
      Object.setPrototypeOf(new Map, Object.prototype)]
    """

  /// Fails where the library is not the one we know.
  public init?(_ context: JSContext) {
    func types(_ text: String) -> Set<UInt8>? {
      guard let list = try? context.evaluate(text, url: "nbridge:peek") else { return nil }
      let values = (0..<list["length"].integer).map { list["\($0)"] }
      return values.allSatisfy(\.isObject) ? Set(values.map(Self.typeByte)) : nil
    }
    guard let found = types(Self.ordinary), found.count == 1, let type = found.first,
      let others = types(Self.others), !others.contains(type)
    else { return nil }
    self.type = type
  }

  /// Whether a value is known to be such an object.
  public func isOrdinary(_ value: JSValue) -> Bool { value.isObject && Self.typeByte(value) == type }

  /// An object reference is the address of its cell on every 64-bit machine.
  private static func typeByte(_ value: JSValue) -> UInt8 {
    UnsafeRawPointer(value.ref).load(fromByteOffset: typeOffset, as: UInt8.self)
  }
}

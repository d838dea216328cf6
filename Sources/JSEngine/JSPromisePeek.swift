// SPDX-License-Identifier: MIT

internal import CNBridgeJavaScriptCore

/// Where a promise stands.
public enum JSPromiseState: String, Sendable {
  /// It has not settled.
  case pending
  /// It has a value.
  case fulfilled
  /// It has a reason.
  case rejected
}

/// Looks at a promise from outside, without a reaction: a `then` would mark a rejection as handled and run
/// script.
///
/// The C API has no call for it. The library's own accessors are used, after a check that the object is a
/// promise by the type byte in its header; both are proven on promises of known state before the first use,
/// and not used at all when the proof fails.
public struct JSPromisePeek {
  // Functions that scripts may call hold one: they live in the context, and must not keep it alive.
  private unowned let context: JSContext
  private let type: UInt8
  private let status: PrivateAPI.PromiseStatus
  private let result: PrivateAPI.PromiseResult

  /// JSC's JSCell: 4 bytes of structure, then indexing mode, type, flags, state.
  private static let typeOffset = 5

  /// Fails where the library is not the one we know.
  public init?(_ context: JSContext) {
    guard let status = PrivateAPI.promiseStatus, let result = PrivateAPI.promiseResult,
      let pending = try? context.evaluate("new Promise(() => {})", url: "nbridge:peek"),
      let fulfilled = try? context.evaluate("Promise.resolve(7)", url: "nbridge:peek"),
      let plain = try? context.evaluate("({})", url: "nbridge:peek")
    else { return nil }
    self.context = context
    self.status = status
    self.result = result
    type = Self.typeByte(pending)
    guard type == Self.typeByte(fulfilled), type != Self.typeByte(plain), look(at: pending)?.0 == .pending,
      let (state, value) = look(at: fulfilled), state == .fulfilled, value.number == 7
    else { return nil }
  }

  /// The state of a promise and its value or reason; nil for what is no promise.
  public func look(at value: JSValue) -> (JSPromiseState, JSValue)? {
    guard value.isObject, Self.typeByte(value) == type else { return nil }
    let state: JSPromiseState
    switch status(value.ref, context.machine.group) {
    case 0: return (.pending, context.undefined)
    case 1: state = .fulfilled
    case 2: state = .rejected
    default: return nil
    }
    return result(value.ref, context.machine.group).map { (state, JSValue($0, context.ref)) }
  }

  /// An object reference is the address of its cell on every 64-bit machine.
  private static func typeByte(_ value: JSValue) -> UInt8 {
    UnsafeRawPointer(value.ref).load(fromByteOffset: typeOffset, as: UInt8.self)
  }
}

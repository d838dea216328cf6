// SPDX-License-Identifier: MIT

internal import JSEngine

/// A global object of an engine's own for memory that others have. Such memory keeps the global object in
/// which it was made, and with the script's all that the script ever had, long after a worker's end. Confined
/// to the engine's thread.
final class LentBytes {
  let context: JSContext
  private let move: JSHandle

  /// - Parameter scripts: where scripts run. What these leave at their end is collected then.
  init(for scripts: JSContext) throws(JSException) {
    context = JSContext(in: scripts.machine)
    let make = try context.evaluate(ascii: Scripts.lentbytes_js, url: "nbridge:lentbytes")
    move = JSHandle(try context.call(make), in: context)
    scripts.heir = context
  }

  /// The bytes as a view of this global's: the memory of an `ArrayBuffer`, which is detached; of a view a
  /// copy, where it is not of memory that was made here.
  func own(_ value: JSValue) throws(JSException) -> JSValue {
    try context.call(move.value, count: 1) { _ in value }
  }
}

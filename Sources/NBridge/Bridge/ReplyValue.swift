// SPDX-License-Identifier: MIT

internal import JSEngine
internal import NBridgeHost
internal import NBridgePlugin

extension Reply {
  /// Makes the value, on the engine's thread, and leaves nothing behind: bytes to which no other reference is
  /// held become the script's own.
  mutating func take(in context: JSContext) -> JSValue {
    var taken = Payload.undefined
    swap(&taken, &payload)
    switch consume taken {
    case .undefined: return context.undefined
    case .bool(let value): return context.make(value)
    case .number(let value): return context.make(value)
    case .string(let text): return context.make(text)
    case .text(let text): return text.withUnsafeBufferPointer { context.make(utf8: $0) }
    case .bytes(let bytes): return context.make(bytes)
    case .mixed(let text, var bytes):
      return context.makeArray(count: bytes.count + 1) { index in
        if index == 0 { return text.withUnsafeBufferPointer { context.make(utf8: $0) } }
        return context.make(bytes.removeAttachment(at: index - 1))
      }
    }
  }
}

extension [Bytes] {
  /// Takes one out and leaves an empty one in its place.
  fileprivate mutating func removeAttachment(at index: Int) -> Bytes {
    var taken = Bytes.none
    swap(&taken, &self[index])
    return taken
  }
}

extension JSContext {
  /// A `Uint8Array` of a plugin's bytes. What the plugin handed over for good is not copied; what it, or the
  /// script, goes on reading is, because scripts can write to theirs.
  func make(_ bytes: consuming Bytes) -> JSValue {
    var bytes = bytes
    let own = bytes.isOnlyReference() ? bytes : Bytes(copying: bytes)
    return own.withUnsafeBytes { makeBytes(over: $0, keeping: own.storage) }
  }
}

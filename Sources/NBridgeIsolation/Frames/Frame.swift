// SPDX-License-Identifier: MIT

package import CNBridgePlugin

/// A message as it came. Its texts lie in the reader's memory, until that is asked for the next.
package struct Frame {
  package let head: FrameHead
  package let text: UnsafeBufferPointer<UInt8>
  package let words: (UnsafeBufferPointer<UInt8>, UnsafeBufferPointer<UInt8>)
  package let parts: [FramePart]

  /// The value, for the time of `body`.
  ///
  /// - Parameters:
  ///   - isOwned: whether who gets it gets its bytes as its own.
  ///   - isOnly: whether it is told that nothing else leads to them.
  package func withValue<R>(isOwned: Bool, isOnly: Bool = false, _ body: (UnsafePointer<nbridge_value>) -> R)
    -> R
  {
    var value = nbridge_value()
    value.kind = head.valueKind
    value.number = isOnly && !parts.isEmpty ? 1 : head.valueNumber
    value.text = UnsafeRawPointer(text.baseAddress)?.assumingMemoryBound(to: CChar.self)
    value.text_size = UInt64(text.count)
    if parts.isEmpty { return body(&value) }
    let items = parts.map { $0.item(isOwned: isOwned) }
    return items.withUnsafeBufferPointer { items in
      value.bytes = items.baseAddress
      value.bytes_count = UInt32(items.count)
      return body(&value)
    }
  }
}

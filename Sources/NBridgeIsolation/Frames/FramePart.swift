// SPDX-License-Identifier: MIT

package import CNBridgePlugin
internal import Glibc

/// Bytes beside a frame's text, in memory of their own. Counted: the table's `retain` and `release` hold it.
package final class FramePart: @unchecked Sendable {
  // Sendable because its bytes are written before it is shared, and never after.

  /// What an item of the table's list is.
  package enum Kind: UInt64, Sendable {
    case bytes = 0
    /// A stream or function of the script's.
    case inlet = 1
    /// What progress is told to.
    case progress = 2
  }

  package let kind: Kind
  let memory: UnsafeMutableRawBufferPointer

  /// Throws when there is no memory for so many bytes.
  init(_ kind: Kind, count: Int) throws(FrameError) {
    // Not zeroed, and pages of a large one are the system's until bytes come. Never empty: an item without an
    // address is a stream.
    guard let start = malloc(max(count, 1)) else { throw .tooLarge(count) }
    (self.kind, size) = (kind, count)
    memory = UnsafeMutableRawBufferPointer(start: start, count: max(count, 1))
  }

  let size: Int

  deinit { free(memory.baseAddress) }

  var room: UnsafeMutableRawBufferPointer { .init(rebasing: memory[..<size]) }

  /// The item, for a receiver that gets the bytes as its own, or only for a time.
  package func item(isOwned: Bool) -> nbridge_bytes {
    switch kind {
    case .progress: return nbridge_bytes()
    case .inlet:
      var item = nbridge_bytes()
      item.retain = { _ in }
      return item
    case .bytes:
      // Balanced by the receiver's `release`.
      let owner = isOwned ? Unmanaged.passRetained(self) : Unmanaged.passUnretained(self)
      return nbridge_bytes(
        data: UnsafePointer(memory.baseAddress?.assumingMemoryBound(to: UInt8.self)), size: UInt64(size),
        owner: owner.toOpaque(),
        retain: isOwned ? nil : { if let owner = $0 { _ = Unmanaged<FramePart>.fromOpaque(owner).retain() } },
        release: { if let owner = $0 { Unmanaged<FramePart>.fromOpaque(owner).release() } })
    }
  }

  /// What an item is.
  static func kind(of item: nbridge_bytes) -> Kind {
    if item.data != nil || item.size != 0 { return .bytes }
    return item.retain == nil ? .progress : .inlet
  }
}

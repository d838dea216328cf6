// SPDX-License-Identifier: MIT

internal import CNBridgePlugin
internal import Synchronization

/// The streams and functions of the script's in the option of one call that came over the table.
final class ExportedInlets: InletLink {
  private let call: UInt64
  private let host: ExportedHost
  private let loop: ExportedLoop
  private let inlets = Mutex<[UInt32: Inlet]>([:])

  init(_ call: UInt64, _ host: ExportedHost, _ loop: ExportedLoop) {
    (self.call, self.host, self.loop) = (call, host, loop)
  }

  /// The bytes of an option, and whether a stream or function is among them: one that has no data.
  func takeBytes(_ option: nbridge_value) -> ([Bytes], hasInlets: Bool) {
    let list = UnsafeBufferPointer(start: option.bytes, count: Int(option.bytes_count))
    var bytes = option.takeBytes()
    var hasInlets = false
    for index in bytes.indices where list[index].data == nil && list[index].size == 0 {
      hasInlets = true
      let inlet = Inlet(UInt32(index), self, isProgress: list[index].retain == nil)
      inlets.withLock { $0[inlet.number] = inlet }
      bytes[index] = Bytes(companion: inlet)
    }
    return (bytes, hasInlets)
  }

  var isOnEngine: Bool { loop.isCurrent }

  func ask(_ inlet: UInt32, _ request: InletRequest) { host.ask(call, inlet, request) }

  /// Something came. Answers whether more may come.
  func take(_ feed: nbridge_feed) -> Bool {
    let value = feed.value
    let failure = value.kind == UInt32(NBRIDGE_FAILURE) ? BridgeError(foreign: value.utf8) : nil
    if feed.kind == UInt32(NBRIDGE_FEED_OVER) {
      let all = inlets.withLock { inlets in
        defer { inlets = [:] }
        return Array(inlets.values)
      }
      for inlet in all { inlet.take(.over(failure ?? .callIsOver)) }
      return false
    }
    guard let inlet = inlets.withLock({ $0[feed.index] }) else { return true }
    let given = Value(text: Array(value.utf8), attachments: value.takeBytes())
    switch Int(feed.kind) {
    case NBRIDGE_FEED_VALUE: inlet.take(.value(given))
    case NBRIDGE_FEED_END: inlet.take(.end(failure))
    case NBRIDGE_FEED_ANSWER:
      inlet.take(.answer(feed.number, failure.map { .failure($0) } ?? .success(given)))
    default: break
    }
    return true
  }
}

extension ExportedHost {
  /// Asks the script for something of what it gave a call.
  func ask(_ call: UInt64, _ inlet: UInt32, _ request: InletRequest) {
    switch request {
    case .more(let values): pull(call, inlet, UInt32(clamping: values))
    case .leave: pull(call, inlet, 0)
    case .call(let number, let value): callBack(call, inlet, number, value)
    }
  }
}

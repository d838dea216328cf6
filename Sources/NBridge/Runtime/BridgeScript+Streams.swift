// SPDX-License-Identifier: MIT

internal import JSEngine
internal import NBridgeBuiltins
internal import NBridgeHost
internal import NBridgePlugin

/// What `Bridge/js/streams.js` gets of the native side.
extension BridgeScript {
  func addStreams(_ host: HostObject) {
    host.function("inlets") { [unowned self] frame throws(JSException) in
      let (service, action) = (frame[0].string ?? "", frame[1].string ?? "")
      return context.make(inputs.text(.inlets) { [unowned self] in inlets(service, action) } ?? "{}")
    }
    host.function("feed") { [unowned self] frame throws(JSException) in
      guard let event = event(frame) else { return frame.make(false) }
      session.feed(slot: frame[0].integer, inlet: UInt32(clamping: frame[1].integer), event)
      return frame.make(true)
    }
  }

  /// The options of an action that are streams or functions, as JSON: what is none of both has no kind.
  private func inlets(_ service: String, _ action: String) -> String {
    (try? session.action(service, action).bound.declaration.inletsText) ?? "{}"
  }

  /// What comes of a stream or function: what it is, a number, a text, bytes. nil for a text that is none.
  private func event(_ frame: borrowing JSCallFrame) -> InletEvent? {
    let what = frame[2].integer
    if what == 1 { return .end(nil) }
    var value = Value.undefined
    if frame.count > 4 {
      var text: [UInt8]?
      _ = frame[4].readUTF8 { text = Array($0) }
      guard let text else { return nil }
      // A script may use a buffer again once it has been taken.
      let bytes = (5..<max(5, frame.count)).map { index in
        frame[index].bytes.map { Bytes(UnsafeRawBufferPointer($0)) } ?? .none
      }
      value = Value(text: text, attachments: bytes)
    }
    let number = UInt64(clamping: frame[3].integer)
    switch what {
    case 0: return .value(value)
    case 2: return .end(failure(value))
    case 3: return .answer(number, .success(value))
    default: return .answer(number, .failure(failure(value)))
    }
  }

  private func failure(_ value: Value) -> BridgeError {
    value.text.withUnsafeBufferPointer { BridgeError(foreign: $0) }
  }
}

// SPDX-License-Identifier: MIT

internal import CNBridgePlugin
internal import NBridgeIsolation
internal import NBridgeScript

/// What an isolated plugin, and this program about it, puts into the log.
extension IsolatedRun {
  /// So many bytes of one record are kept. To show more would hold the script's thread up for as long as its
  /// process likes.
  private static let longest = 256 << 10

  /// A line for the program's log, without what would steer a terminal.
  func log(_ text: UnsafeBufferPointer<UInt8>, _ level: UInt32) {
    var line = DisplayText.printable(
      String(decoding: text.shortened(to: Self.longest), as: UTF8.self), .controls, as: .escape,
      keeps: "\n\t".unicodeScalars)
    line.withUTF8 { text in
      text.withMemoryRebound(to: CChar.self) {
        if let base = $0.baseAddress { host.log(context, level, base, UInt64($0.count)) }
      }
    }
  }

  /// A record of the plugin's. Fields that are too long are left out as a whole.
  func record(_ frame: Frame) {
    let message = frame.words.0.shortened(to: Self.longest)
    let place = frame.words.1.shortened(to: Self.longest)
    let keepsFields = frame.text.count <= Self.longest
    let fields = keepsFields ? frame.text : UnsafeBufferPointer(rebasing: frame.text[..<0])
    fields.withMemoryRebound(to: CChar.self) { fields in
      message.withMemoryRebound(to: CChar.self) { message in
        place.withMemoryRebound(to: CChar.self) { place in
          var record = nbridge_record(
            level: frame.head.first, reserved: 0, message: message.baseAddress,
            message_size: UInt64(message.count), fields: fields.baseAddress,
            fields_size: UInt64(fields.count),
            place: place.baseAddress, place_size: UInt64(place.count))
          host.record?(context, &record)
        }
      }
    }
    let size = frame.words.0.count + frame.words.1.count + frame.text.count
    if size > Self.longest { note("logged \(size) bytes in one record, of which \(Self.longest) are kept") }
  }

  func note(_ what: String) {
    var line = "nbridge: the plugin '\(service)' \(what)"
    line.withUTF8 { log($0, UInt32(NBRIDGE_INFO)) }
  }
}

extension UnsafeBufferPointer<UInt8> {
  /// The first of its bytes, so many at the most, and no half of a character at the end.
  fileprivate func shortened(to limit: Int) -> UnsafeBufferPointer<UInt8> {
    guard count > limit else { return self }
    var end = limit
    while end > 0, self[end] & 0xC0 == 0x80 { end -= 1 }
    return UnsafeBufferPointer(rebasing: self[..<end])
  }
}

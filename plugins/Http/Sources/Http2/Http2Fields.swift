// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import NBridgeSoup

/// The head of a request as HTTP/2 has it: names in small letters and values (RFC 9113, 8.3).
struct Http2Fields {
  private var bytes: [UInt8] = []
  /// Where names and values lie in `bytes`.
  private var places: [(name: Range<Int>, value: Range<Int>, isSecret: Bool)] = []

  /// What no table is to keep, in which an enemy's own headers would be compared with it.
  private static let secrets: Set<String> = ["authorization", "cookie"]

  init(_ options: ExchangeOptions, _ place: RequestPlace) throws {
    var host = place.hostHeader
    var others: [(String, String)] = []
    for index in stride(from: 0, to: options.headers.count - 1, by: 2) {
      let name = options.headers[index].lowercased()
      if name == "host" { host = options.headers[index + 1] }
      if name != "host", !HeaderTexts.isOfConnection(name) {
        others.append((name, options.headers[index + 1]))
      }
    }
    add(":method", options.method)
    add(":scheme", place.scheme)
    add(":authority", host)
    add(":path", try AddressParts(options.url).target)
    for (name, value) in others { add(name, value) }
    if let body = options.body { add("content-length", String(body.count)) }
  }

  private mutating func add(_ name: String, _ value: String) {
    places.append((append(name), append(value), Self.secrets.contains(name)))
  }

  private mutating func append(_ text: String) -> Range<Int> {
    let start = bytes.count
    bytes += HeaderTexts.encoded(text).dropLast().lazy.map { UInt8(bitPattern: $0) }
    return start..<bytes.count
  }

  /// Calls `body` with what nghttp2 takes, which copies it.
  func withFields<R>(_ body: (UnsafeBufferPointer<LibNghttp2.Field>) -> R) -> R {
    bytes.withUnsafeBufferPointer { memory in
      let fields = places.map { name, value, isSecret in
        LibNghttp2.Field(
          name: memory.baseAddress.map { $0 + name.lowerBound },
          value: memory.baseAddress.map { $0 + value.lowerBound }, nameLength: name.count,
          valueLength: value.count, flags: isSecret ? LibNghttp2.secret : 0)
      }
      return fields.withUnsafeBufferPointer(body)
    }
  }
}

// SPDX-License-Identifier: MIT

internal import NBridgePlugin

/// What the engine's profiler saw: JSON, as `SamplingProfiler` gives it.
struct ProfileSamples: Decodable {
  /// One look.
  struct Trace: Decodable {
    /// In seconds, from some start.
    var timestamp: Double
    /// The innermost first.
    var frames: [Frame]
  }

  /// A function that was running.
  struct Frame: Decodable {
    var sourceID: Double
    var name: String
    /// Begins with `#`, a hash of the function's code, and `:`; `#<nil>` for native ones.
    var location: String
    var line: Double
    var column: Double
  }

  struct Source: Decodable {
    var sourceID: Double
    var url: String?
  }

  var traces: [Trace]
  var sources: [Source]

  /// Nil for what is none.
  init?(_ text: String) {
    let bytes = Array(text.utf8)
    guard let samples = Self.read(bytes) ?? Self.read(Self.withoutSurrogates(bytes)) else { return nil }
    self = samples
  }

  private static func read(_ text: [UInt8]) -> Self? { try? Value(text: text).decode(Self.self) }

  /// Names may hold halves of characters, which no JSON of ours may: U+FFFD stands for every escaped one.
  private static func withoutSurrogates(_ text: [UInt8]) -> [UInt8] {
    var text = text
    var at = 0
    while at + 5 < text.count {
      guard text[at] == UInt8(ascii: "\\") else {
        at += 1
        continue
      }
      let isHalf =
        text[at + 1] == UInt8(ascii: "u") && text[at + 2] | 0x20 == UInt8(ascii: "d")
        && (text[at + 3] | 0x20 >= UInt8(ascii: "a") || text[at + 3] & 0xFE == UInt8(ascii: "8"))
      if isHalf { text.replaceSubrange(at..<(at + 6), with: Array("\\ufffd".utf8)) }
      at += isHalf ? 6 : 2
    }
    return text
  }
}

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
    guard let samples = try? Value(text: Array(text.utf8)).decode(Self.self) else { return nil }
    self = samples
  }
}

// SPDX-License-Identifier: MIT

public import NBridgePlugin

/// One action of each kind, for measurements.
public struct BenchPlugin: Plugin {
  /// `nbridge.bench`.
  public static let manifest = PluginManifest(service: "bench", version: "1.0.0", help: "For measurements.")
  static let kept = Bytes(count: 1 << 20) { _ in }

  struct Point: Codable { var x: Double; var y: Double; var label: String; var on: Bool }
  struct Text: Codable { var text: String }
  struct Kept: Codable { var value: Value }
  struct Item: Codable { var id: Int; var name: String; var tags: [String]; var ok: Bool; var value: Double }
  struct Items: Codable { var items: [Item] }
  struct Taken: Codable { var bytes: Bytes }
  struct Count: Codable { var count: Int }
  struct Event: Codable { var n: Int }

  /// Makes the plugin.
  public init() {}

  /// Each does next to nothing.
  public var body: PluginBody {
    Immediate("immediate", "42.") { call in 42 }
    Action("asynchronous", "42.") { call async in 42 }
    Detached("detached", "42.") { call in 42 }
    Immediate("point", "The same.") { (options: Point, call) in options }
    Immediate("text", "The same.") { (options: Text, call) in options.text }
    Immediate("keep", "The same, not looked at.") { (options: Kept, call) in options.value }
    Immediate("items", "The same, decoded and encoded.") { (options: Items, call) in options.items }
    Immediate("take", "The first byte.") { (options: Taken, call) in Int(options.bytes[0]) }
    // Given away: what a plugin keeps is copied.
    Immediate("give", "64 MiB.") { call in Bytes(capacity: 64 << 20) { $0.count } }
    Immediate("share", "1 MiB that the plugin keeps.") { call in Self.kept }
    Watch("events", "Counts.") { (options: Count, call) in Events(limit: options.count) }
      .buffering(.wait(1024))
    Immediate("thing", "An object.") { call in call.hold(Thing()) }
    Handles(Thing.self) {
      Detached("use", "42.") { (_: Thing, _) in 42 }
    }
  }

  final class Thing: HandleObject {
    static let handle = HandleType("thing", "Holds nothing.")
  }

  struct Events: AsyncSequence, Sendable {
    let limit: Int
    struct AsyncIterator: AsyncIteratorProtocol {
      var next = 0
      let limit: Int
      mutating func next() async -> Event? { await next(isolation: nil) }
      mutating func next(isolation actor: isolated (any Actor)?) async -> Event? {
        guard next < limit else { return nil }
        defer { next += 1 }
        return Event(n: next)
      }
    }
    func makeAsyncIterator() -> AsyncIterator { AsyncIterator(limit: limit) }
  }
}

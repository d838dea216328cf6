// SPDX-License-Identifier: MIT

public import NBridgePlugin

public struct AppPlugin: Plugin {
  public static let manifest = PluginManifest(service: "app", version: "1.0.0", help: "The app.")
  public init() {}
  public var body: PluginBody {
    Immediate("appInfo", "Who the app is.") { call in call.app.info }
    Immediate("n", "n") { call in 42 }
    Action("an", "n") { call async in 42 }
    Immediate("four", "n") { (o: Four, call) in o }
    Detached("dn", "n") { call in 42 }
    Immediate("add", "n") { (o: Add, call) in o.a + 1 }
    Immediate("echo", "n") { (o: Value, call) in o }
    Action("sleep", "n") { (o: Add, call) async throws in try await Task.sleep(for: .milliseconds(o.a)); return o.a }
    Watch("count", "n") { (o: Add, call) in
        AsyncStream { c in for i in 0..<o.a { c.yield(Add(a: i)) }; c.finish() }
    }
    Watch("counter", "n") { (o: Add, call) in Counter(n: o.a) }
  }
}
struct Counter: AsyncSequence, Sendable {
  let n: Int
  struct AsyncIterator: AsyncIteratorProtocol { var i = 0; let n: Int
    mutating func next() async -> Add? { if i == n { return nil }; i += 1; return Add(a: i) } 
    mutating func next(isolation: isolated (any Actor)?) async -> Add? { if i == n { return nil }; i += 1; return Add(a: i) } 
  }
  func makeAsyncIterator() -> AsyncIterator { AsyncIterator(n: n) }
}
struct Add: Codable { let a: Int }
struct Four: Codable { var name: String; var count: Int; var flag: Bool; var ratio: Double }

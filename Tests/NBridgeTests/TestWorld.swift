// SPDX-License-Identifier: MIT

import JSEngine
import NBridgePlugin
import NBridgeTesting
import Synchronization

@testable import NBridgeBuiltins
@testable import NBridgeHost
@testable import NBridgeScript
@testable import NBridgeSystem

/// The program as plugins see it in tests of single machines: it keeps their notes and grants nothing.
final class TestHost: AppHost {
  private let lines = Mutex<[String]>([])
  var notes: [String] { lines.withLock { $0 } }

  func requestExit(_ code: Int32) {}
  func lifecycle() -> AsyncStream<LifecycleState> { AsyncStream { $0.finish() } }
  var phase: LifecycleState { .active }
  func note(_ line: String) { lines.withLock { $0.append(line) } }
  func logs(_ level: LogLevel) -> Bool { false }
  func log(_ record: LogRecord) {}
  func invoke(_ request: InvocationRequest) async throws -> Value { throw BridgeError(.unavailable, "no") }
  func allows(_ permission: String) -> Bool { false }
  func holdsProgramFile(_ path: RealPath) -> Bool { false }
}

func testApp(_ host: TestHost = TestHost()) -> AppEnvironment {
  AppEnvironment(
    info: AppInfo(id: "test", name: "Test", version: "1.0.0", build: "1"),
    container: Container(path: "/nonexistent"), bundle: nil, arguments: [], registeredDefaults: [:],
    shared: SharedFolders(below: "/nonexistent"), schemes: [], host: host)
}

/// Takes what a session delivers.
final class TestClient: SessionClient {
  var replies: [SlotReply] = []
  var takesReplies = true
  func deliver(_ new: inout [SlotReply]) { replies += new }

  /// The texts of replies that have one.
  var texts: [String] {
    replies.map { _, reply in
      switch reply.payload {
      case .text(let text): String(decoding: text, as: UTF8.self)
      case let other: "\(other)"
      }
    }
  }
}

/// A loop on a clock that jumps, and a session with plugins, on a thread of their own.
struct TestWorld {
  let loop: EventLoop
  let clock: VirtualClock
  let host: PluginHost
  let session: CallSession
  let client: TestClient

  static func run<R: Sendable>(
    _ plugins: [any Plugin] = [], permissions: PermissionSet = .everything,
    _ body: @escaping @Sendable (TestWorld) throws -> R
  ) async throws -> R {
    try await withEngine { context in
      let clock = VirtualClock()
      let loop = EventLoop(context: context.machine.mainContext, clock: clock)
      let registry = PluginRegistry(app: testApp())
      for plugin in plugins { try registry.add(LinkedPlugin(plugin)) }
      let host = PluginHost(loop: loop, plugins: registry)
      let session = CallSession(host, permissions: permissions, holdsProgram: true)
      let client = TestClient()
      session.client = client
      loop.endOfRound = { session.flush() }
      defer {
        session.cancelAll()
        session.client = nil
        host.close()
      }
      return try body(
        TestWorld(loop: loop, clock: clock, host: host, session: session, client: client))
    }
  }

  /// Lets the loop turn, without sleeping, until it is so; false when it did not come to that.
  func turn(until isSo: () -> Bool) -> Bool {
    let end = ContinuousClock.now + .seconds(20)
    while !isSo() {
      if ContinuousClock.now > end { return false }
      loop.poll()
    }
    return true
  }

  func begin(_ name: String, _ option: String = "", _ control: CallControl = .none) throws -> Begun {
    let action = try session.action("probe", name)
    return Array(option.utf8).withUnsafeBufferPointer {
      session.begin(action, WireInput(text: $0, attachments: []), control)
    }
  }
}

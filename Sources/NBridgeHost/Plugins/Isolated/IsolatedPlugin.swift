// SPDX-License-Identifier: MIT

internal import CNBridgePlugin
internal import Glibc
internal import NBridgeIsolation
internal import NBridgePlugin
internal import NBridgeSystem
internal import Synchronization

/// The table of a plugin that runs in a process of its own: the host calls it as any other's, and each call
/// becomes a message.
final class IsolatedPlugin: Sendable {
  let isolation: Isolation
  let makeProcess: @Sendable (PluginHome) throws -> any PluginProcess
  /// The program that an instance belongs to, by what the host's functions are called with.
  let place: @Sendable (UnsafeMutableRawPointer) -> IsolatedPlace?
  private let known = Mutex(Known())

  private struct Known {
    var service = ""
    var kinds: [UInt8] = []
    var names: [String] = []
    var methods: Set<UInt32> = []
    var hasScript = false
    var description: (start: UInt, count: UInt64)?
  }

  /// What each action is, a letter each.
  var kinds: [UInt8] { known.withLock { $0.kinds } }

  init(
    _ isolation: Isolation,
    place: @escaping @Sendable (UnsafeMutableRawPointer) -> IsolatedPlace?,
    _ makeProcess: @escaping @Sendable (PluginHome) throws -> any PluginProcess
  ) {
    (self.isolation, self.place) = (isolation, place)
    self.makeProcess = makeProcess
  }

  /// What an action is called.
  func name(of action: UInt32) -> String {
    known.withLock { Int(action) < $0.names.count ? $0.names[Int(action)] : "action \(action)" }
  }

  /// Whether an action answers with events until it is ended.
  func isWatch(_ action: UInt32) -> Bool {
    known.withLock { Int(action) < $0.kinds.count && $0.kinds[Int(action)] == UInt8(ascii: "w") }
  }

  /// Whether an action is called on an object of the plugin's.
  func isMethod(_ action: UInt32) -> Bool { known.withLock { $0.methods.contains(action) } }

  /// What scripts call it.
  var service: String { known.withLock { $0.service } }

  /// What it can't work without: what its `plugin.json` says, and its script, for that runs in the program.
  var needs: [PluginAccess] { isolation.needs + (known.withLock { $0.hasScript } ? [.script] : []) }

  /// Learns what the plugin's actions are.
  ///
  /// - Parameter isConfined: whether its process may do less than the program.
  func learn(_ descriptor: PluginDescriptor, isConfined: Bool) {
    let members = descriptor.members
    known.withLock { known in
      known.service = descriptor.service
      known.hasScript = isConfined && descriptor.script != nil
      known.kinds = members.map { member in
        switch member.kind {
        case .immediate: UInt8(ascii: "i")
        case .async: UInt8(ascii: "a")
        case .detached: UInt8(ascii: "d")
        case .watch: UInt8(ascii: "w")
        }
      }
      known.names = members.map(\.name)
      known.methods = Set(members.indices.filter { members[$0].handle != nil }.map { UInt32($0) })
    }
  }

  // MARK: - Describing

  /// Asks the plugin in a process of its own, once.
  func describe() -> (start: UnsafePointer<CChar>, count: UInt64) {
    let made = known.withLock { $0.description }
    let kept = made ?? Self.keep(asked())
    known.withLock { $0.description = kept }
    guard let start = UnsafePointer<CChar>(bitPattern: kept.start) else { preconditionFailure("allocated") }
    return (start, kept.count)
  }

  private static func keep(_ text: [UInt8]) -> (start: UInt, count: UInt64) {
    let kept = UnsafeMutableBufferPointer<UInt8>.allocate(capacity: text.count + 1)
    _ = kept.initialize(from: text + [0])
    return (UInt(bitPattern: kept.baseAddress), UInt64(text.count))
  }

  /// The description; of a plugin that can't be described, a JSON string that says why.
  private func asked() -> [UInt8] {
    do { return try ask() } catch {
      let sink = WireSink()
      sink.write((error as? BridgeError)?.message ?? "\(error)")
      return Array(sink.text)
    }
  }

  private static let describeLimit = 10_000

  private func ask() throws -> [UInt8] {
    let process = try makeProcess(PluginHome())
    try process.launch()
    defer {
      process.signal(SIGKILL)
      _ = process.reap(waiting: true)
    }
    _ = try process.channel.put(FrameHead(.describe))
    var description: [UInt8] = []
    let end = try ProcessTalk.listen(to: process, FrameReader(), milliseconds: Self.describeLimit) { frame in
      if frame.head.kind == .failed { throw frame.failure }
      description = Array(frame.text)
      return frame.head.kind == .description
    }
    switch end {
    case .heard: return description
    case .gone: throw BridgeError(.pluginCrashed, "its process ended before it had described itself")
    case .late:
      throw BridgeError(.timeout, "it did not describe itself within \(Self.describeLimit / 1000) s")
    }
  }
}

/// The program that an isolated plugin runs for: its loop, the app's files, and what the plugin was granted.
struct IsolatedPlace {
  let loop: EventLoop
  let host: any AppHost
  let container: Container?
  let grants: PluginGrants

  /// What one of its processes may use. Throws `permission_denied` when it asks for more than was granted.
  func home(of service: String, asking needs: [PluginAccess]) throws -> PluginHome {
    try grants.check(service, asking: needs)
    // A process can be opened only what is there. An app without a place for files has plugins without files.
    try? container?.create()
    return PluginHome(container: container, access: grants.access(of: service, asking: needs))
  }
}

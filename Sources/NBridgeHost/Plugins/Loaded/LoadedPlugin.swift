// SPDX-License-Identifier: MIT

internal import CNBridgePlugin
package import NBridgePlugin
internal import NBridgeSystem
internal import Synchronization

/// A plugin in a library of its own, in one runtime.
final class LoadedPlugin: HostedPlugin {
  private let library: PluginLibrary
  private let world: LoadedPlugins
  let declarations: [Declaration]
  private var loaded: LoadedInstance?
  var instance: (any PluginInstance)? { loaded }
  /// The instance, for the runners, which are made before it.
  private let slot = InstanceSlot()

  /// The number of this plugin in the list of plugins that are told of the program's lifecycle.
  private var observation: Int?

  init(_ library: PluginLibrary, _ world: LoadedPlugins) {
    self.library = library
    self.world = world
    var manifest = library.descriptor.manifest
    // A confined plugin must not do in the program, by its script, what it can't do in its process: without
    // the grant it has none, and does not start.
    if let needs = library.needs, !world.grants.letsScript(of: manifest.service, asking: needs) {
      manifest.script = nil
    }
    self.manifest = manifest
    let slot = slot
    declarations = library.descriptor.members.enumerated().map { index, member in
      member.declaration(Self.runner(member, UInt32(index), slot, isIsolated: library.isIsolated))
    }
  }

  let manifest: PluginManifest
  var origin: String { library.path }

  func start(_ app: AppEnvironment) throws {
    let instance = LoadedInstance(library, world.loop, world.host)
    (instance.container, instance.grants) = (app.container, world.grants)
    do { try LoadedStart.start(instance, app, limit: world.startLimit) } catch {
      instance.stop()
      let known = error as? BridgeError
      let isDenied = known?.code == .permissionDenied
      throw BridgeError(
        isDenied ? .permissionDenied : .unavailable,
        "the plugin '\(manifest.service)' (\(origin)) did not start: \(known?.message ?? "\(error)")",
        details: isDenied ? known?.details : nil)
    }
    loaded = instance
    slot.set(instance)
    observation = world.lifecycles.observe { [weak instance] phase in instance?.enter(phase) }
  }

  func stop() {
    if let observation { world.lifecycles.forget(observation) }
    loaded?.stop()
    slot.set(nil)
    loaded = nil
  }

  /// What another process answers comes later, of whatever kind the action is there.
  private static func runner(
    _ member: PluginDescriptor.Member, _ index: UInt32, _ slot: InstanceSlot, isIsolated: Bool
  ) -> Runner {
    if isIsolated, member.kind != .watch { return .foreign }
    switch member.kind {
    case .immediate:
      return .immediate { input, call, sink in
        try slot.withInstance { instance throws in
          let request = LoadedCall(index, instance.nextCall(), nil, session: call.session)
          return try instance.answer(request, input, sink)
        }
      }
    case .async: return .foreign
    case .detached:
      return .detached { input, call, sink in
        let request = LoadedCall(index, call)
        return try slot.instance(of: request.call).detached(request, input, sink)
      }
    case .watch:
      return .watch { input, call in
        try slot.started.watch(LoadedCall(index, call), input, member.buffering.map { Buffering($0) })
      }
    }
  }
}

/// What a program does for plugins in libraries: as for others, and calls for plugins that can't await.
package protocol LibraryHost: AppHost {
  /// Calls an action for a plugin. `done` is called once, on any thread. Answers a number for
  /// ``cancelInvocation(_:)``.
  func invoke(
    _ request: InvocationRequest, _ done: @escaping @Sendable (Result<Value, any Error>) -> Void
  ) -> UInt64
  func cancelInvocation(_ number: UInt64)
}

/// What plugins in libraries need of the program that loads them.
package struct LoadedPlugins {
  package unowned let loop: EventLoop
  package let host: any LibraryHost
  package let lifecycles: LifecycleReaders
  /// How many milliseconds a plugin's start may take.
  package let startLimit: Int

  /// The plugins that run in processes of their own, whatever they say; `*` for all.
  package var isolated: Set<String> = []
  /// What those may do beyond their app's container.
  package var grants = PluginGrants()

  package init(loop: EventLoop, host: any LibraryHost, lifecycles: LifecycleReaders, startLimit: Int) {
    (self.loop, self.host, self.lifecycles, self.startLimit) = (loop, host, lifecycles, startLimit)
  }

  package func plugin(of library: PluginLibrary) -> any HostedPlugin { LoadedPlugin(library, self) }

  /// One that is opened when a script first uses it.
  package func found(_ plugin: InstalledPlugin) -> any FoundPlugin { Found(plugin: plugin, world: self) }

  private struct Found: FoundPlugin {
    let plugin: InstalledPlugin
    let world: LoadedPlugins
    var service: String { plugin.service }
    var folder: String { plugin.folder }
    func open() throws -> any HostedPlugin {
      let isIsolated = !world.isolated.isEmpty && !world.isolated.isDisjoint(with: [service, "*"])
      return try world.plugin(of: plugin.open(isIsolated: isIsolated))
    }
  }
}

/// Where the runners find the instance.
private final class InstanceSlot: @unchecked Sendable {
  // Sendable because `held` is used on the engine's thread only; workers take a counted reference under the
  // lock.
  @exclusivity(unchecked) private var held: Unmanaged<LoadedInstance>?
  private let counted = Mutex<LoadedInstance?>(nil)

  func set(_ instance: LoadedInstance?) {
    held = instance.map { Unmanaged.passUnretained($0) }
    counted.withLock { $0 = instance }
  }

  private static var notStarted: BridgeError { BridgeError(.unavailable, "the plugin has not been started") }

  /// The instance, from any thread.
  var started: LoadedInstance {
    get throws {
      guard let instance = counted.withLock({ $0 }) else { throw Self.notStarted }
      return instance
    }
  }

  /// The instance that a call was begun with, from any thread. Throws `cancelled` when that is over: a call
  /// that waited for a worker while the plugin was restarted is not the new one's.
  func instance(of call: UInt64) throws -> LoadedInstance {
    if call == 0 { throw Self.notStarted }
    guard let instance = counted.withLock({ $0 }), instance.numbered(call) else {
      throw LoadedInstance.stopped
    }
    return instance
  }

  /// Calls `body` on the engine's thread with the instance, which is not counted.
  @inline(__always)
  func withInstance<R>(_ body: (LoadedInstance) throws -> R) throws -> R {
    guard let held else { throw Self.notStarted }
    return try held._withUnsafeGuaranteedRef(body)
  }
}

/// Calls a plugin's `start` on a thread of its own, because one that blocks must not hang the program.
private enum LoadedStart {
  static func start(_ instance: LoadedInstance, _ app: AppEnvironment, limit: Int) throws {
    let sink = WireSink()
    try sink.encode(ForeignEnvironment(app))
    let attempt = Attempt(instance, Array(sink.text))
    guard PlainThread.start("nb-plugin-start", stackSize: 8 << 20, { attempt.perform() }) else {
      throw BridgeError(.unavailable, "the system gives no thread to start it on")
    }
    guard let result = attempt.wait(milliseconds: limit) else {
      throw BridgeError(.timeout, "its start did not come back within \(limit / 1000) s")
    }
    instance.state = try result.get()
  }

  private final class Attempt: Sendable {
    private enum Outcome {
      case pending, givenUp
      // The state is the plugin's own; only its functions look at it.
      case made(Result<UncheckedSendable<UnsafeMutableRawPointer?>, any Error>)
    }

    private let instance: LoadedInstance
    private let environment: [UInt8]
    private let outcome = Mutex<Outcome>(.pending)
    private let done = Gate()

    init(_ instance: LoadedInstance, _ environment: [UInt8]) {
      self.instance = instance
      self.environment = environment
    }

    func perform() {
      let made = Result { try instance.startTable(environment) }
      let isLate = outcome.withLock { outcome in
        if case .givenUp = outcome { return true }
        outcome = .made(made.map { UncheckedSendable($0) })
        return false
      }
      // The host no longer waits for the start: what was started has to end.
      if isLate, let state = try? made.get() { instance.stopTable(state) }
      done.open()
    }

    /// nil when it took too long; the thread is left to itself then.
    func wait(milliseconds: Int) -> Result<UnsafeMutableRawPointer?, any Error>? {
      _ = done.wait(milliseconds: milliseconds)
      return outcome.withLock { outcome in
        if case .made(let result) = outcome { return result.map(\.value) }
        outcome = .givenUp
        return nil
      }
    }
  }
}

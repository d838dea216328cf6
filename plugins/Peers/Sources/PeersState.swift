// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import Synchronization

/// The peers of a program, and what they share.
final class PeersState: Sendable {
  private struct State {
    var sessions: [ObjectIdentifier: PeerSession] = [:]
    var hasSwept = false
    var reactor: Reactor?
    var networks: [String: RunningSimulation] = [:]
  }

  private let state = Mutex(State())
  private let verified = VerifiedSignatures()

  /// The number of peers that a program may have.
  private static let maxSessions = 1024

  func create(_ options: CreateOptions, _ app: AppEnvironment) throws -> PeerSession {
    let settings = try Self.settings(options, app)
    guard state.withLock({ $0.sessions.count }) < Self.maxSessions else {
      throw BridgeError(.unavailable, "this program has \(Self.maxSessions) peers already; close some")
    }
    var random = SystemRandomNumberGenerator()
    let (transport, seed) = try transport(options, app, random.next())
    let folder = app.container.temporary + "/peers"
    // What receivers left behind that were killed.
    if state.withLock({ !exchange(&$0.hasSwept, with: true) }) { PartialFile.sweep(folder) }
    // Peers of a simulation have keys that repeat with its seed, as all of it does.
    let numbers = KeyNumbers(seed: options.transport == .simulated ? seed : nil)
    let session = try PeerSession(
      settings, over: transport, seed: seed, keys: SessionKeys(numbers, verified), folder: folder
    ) { [weak self] in self?.forget($0) }
    state.withLock { $0.sessions[ObjectIdentifier(session)] = session }
    return session
  }

  private static func settings(_ options: CreateOptions, _ app: AppEnvironment) throws -> NodeSettings {
    let name = options.displayName ?? PeerName.made(of: app.info.name)
    if let problem = PeerName.problem(name) {
      throw BridgeError(.invalidParameter, "option.displayName \(problem)")
    }
    if let problem = ServiceType.problem(options.serviceType) {
      throw BridgeError(
        .invalidParameter, "option.serviceType '\(options.serviceType.prefix(40))' \(problem)")
    }
    var settings = NodeSettings(name: name, serviceType: options.serviceType)
    if let silence = options.silence {
      guard (100...3_600_000).contains(silence) else {
        throw BridgeError(
          .invalidParameter, "option.silence must be 100 to 3600000 milliseconds, not \(silence)")
      }
      settings.silence = silence * 1000
    }
    if let resume = options.resume {
      guard (0...86_400_000).contains(resume) else {
        throw BridgeError(
          .invalidParameter, "option.resume must be 0 to 86400000 milliseconds, not \(resume)")
      }
      settings.resume = resume * 1000
    }
    return settings
  }

  private func transport(_ options: CreateOptions, _ app: AppEnvironment, _ seed: UInt64) throws -> (
    any PeerTransport, UInt64
  ) {
    switch options.transport ?? .local {
    case .local:
      let rendezvous = try Rendezvous(options.serviceType, in: app.shared.runtime)
      let reactor = try state.withLock { state in
        let reactor = try state.reactor ?? Reactor()
        state.reactor = reactor
        return reactor
      }
      return (LocalTransport(rendezvous, reactor), seed)
    case .simulated:
      let simulation = simulation(options.network ?? options.serviceType, seed: nil)
      return (SimulatedTransport(simulation.network), simulation.nextSeed())
    }
  }

  private func forget(_ session: PeerSession) {
    state.withLock { _ = $0.sessions.removeValue(forKey: ObjectIdentifier(session)) }
  }

  // MARK: - Simulated networks

  private func simulation(_ name: String, seed: UInt64?) -> RunningSimulation {
    state.withLock { state in
      if let known = state.networks[name] { return known }
      let simulation = RunningSimulation(seed: seed ?? 1)
      state.networks[name] = simulation
      return simulation
    }
  }

  func simulate(_ options: SimulationOptions) throws {
    let simulation = simulation(options.network, seed: options.seed.map { UInt64(bitPattern: Int64($0)) })
    if let conditions = options.conditions {
      if let problem = conditions.problem { throw BridgeError(.invalidParameter, "option.\(problem)") }
      simulation.network.set(conditions)
    }
    let id = { (text: String) throws -> PeerID in
      guard let id = PeerID(text) else {
        throw BridgeError(.invalidParameter, "'\(text.prefix(40))' is no peer's id")
      }
      return id
    }
    if let groups = options.groups { simulation.network.partition(try groups.map { try $0.map(id) }) }
    for pair in options.blocked ?? [] {
      guard pair.count == 2 else {
        throw BridgeError(.invalidParameter, "option.blocked must be pairs of ids")
      }
      simulation.network.block(try id(pair[0]), try id(pair[1]))
    }
  }

  // MARK: - The end

  func stop() {
    let (sessions, reactor, networks) = state.withLock { state in
      defer { (state.sessions, state.reactor, state.networks) = ([:], nil, [:]) }
      return (Array(state.sessions.values), state.reactor, Array(state.networks.values))
    }
    for session in sessions { session.close() }
    reactor?.stop()
    for network in networks { network.stop() }
  }
}

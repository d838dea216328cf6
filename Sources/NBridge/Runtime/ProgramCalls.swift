// SPDX-License-Identifier: MIT

internal import NBridgeHost
internal import NBridgePlugin
internal import NBridgeScript

/// The sessions in which scripts and plugins call plugins, what they may call, and the reporter of their
/// calls. Confined to the engine's thread.
final class ProgramCalls {
  /// The script's calls.
  let session: CallSession
  /// The calls that plugins make of each other.
  let invocations: CallSession
  let reporter: CallReporter
  /// The sessions of pages that the program serves.
  let guests = GuestSessions()
  private let host: RuntimeHost
  /// What scripts may call; a prompt changes it.
  var permissions: PermissionSet {
    didSet {
      host.setPermissions(permissions)
      session.permissions = permissions
      invocations.permissions = permissions
      for guest in guests.all { guest.permissions = permissions }
    }
  }

  init(_ world: PluginWorld, _ options: RuntimeOptions) {
    host = world.host
    permissions = options.permissions
    session = CallSession(world.pluginHost, permissions: options.permissions, holdsProgram: true)
    invocations = CallSession(world.pluginHost, permissions: options.permissions, holdsProgram: false)
    reporter = CallReporter(options.tracing, output: options.output)
    setObserver()
    world.loop.endOfRound = { [unowned session, unowned invocations, guests] in
      invocations.flush()
      session.flush()
      guests.flush()
    }
  }

  /// Lets the sessions tell the reporter of their calls, as long as it has something to do.
  func setObserver() {
    session.observer = reporter.isEmpty ? nil : reporter
    invocations.observer = session.observer
  }

  /// The ledger: every call and watch that is open now.
  ///
  /// - Parameters:
  ///   - now: in microseconds of the loop's clock.
  ///   - sites: where the script made those that wait, by slot.
  func open(at now: Int, _ sites: [Int: String]) -> [OpenCall] {
    // What a plugin's own script watches for itself is no business of the author's.
    let own = session.calls.open.filter {
      $0.life.isRunning && !($0.action.declaration.isHidden && $0.watch != nil && !$0.holds)
    }
    return (own + invocations.calls.open.filter { $0.life.isRunning }).map { record in
      OpenCall(
        id: "\(UInt(bitPattern: ObjectIdentifier(record).hashValue))/\(record.started)",
        name: record.action.name, isWatch: record.watch != nil,
        site: record.caller == nil ? record.slot.flatMap { sites[$0] } : nil, caller: record.caller,
        milliseconds: max(0, now - record.started) / 1000)
    }
  }
}

// SPDX-License-Identifier: MIT

package import NBridgeHost

/// A program that has no script of its own: clients come to its plugins from outside.
extension Runtime {
  /// What serves the clients.
  package struct Guests {
    package let loop: EventLoop
    package let registry: PluginRegistry
    /// Makes the session of a client, with the program's permissions. It ends by its `isClosed`.
    package let makeSession: () -> CallSession
  }

  /// Runs until it is ended from outside. `open` gets what serves clients, answers what has to be there as
  /// long as it runs, and may throw why it can't.
  package func runForGuests(_ open: (Guests) throws -> [AnyObject]) throws -> ExitStatus {
    control.runsHere()
    hasBegun = false
    let made = Guests(loop: loop, registry: plugins) { [unowned self] in
      let session = CallSession(
        parts.world.pluginHost, permissions: permissions, holdsProgram: false)
      session.observer = parts.calls.session.observer
      guests.add(session)
      return session
    }
    var kept = try open(made)
    loop.holds += 1
    withExtendedLifetime(kept) { turnUntilDone() }
    loop.holds -= 1
    kept = []
    return finish()
  }
}

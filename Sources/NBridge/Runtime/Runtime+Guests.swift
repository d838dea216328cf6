// SPDX-License-Identifier: MIT

internal import Glibc
package import NBridgeHost
internal import NBridgePlugin
internal import NBridgeScript

/// A program that has no script of its own: clients come to its plugins from outside.
extension Runtime {
  /// What serves the clients.
  package struct Guests {
    package let loop: EventLoop
    package let registry: PluginRegistry
    /// Makes the session of a client, with the program's permissions. It ends by its `isClosed`.
    package let makeSession: () -> CallSession
    /// Where the app's files are.
    package let container: String
    /// Ends the program with a status.
    package let end: (Int32) -> Void
    /// Whether it is ending.
    package let isOver: () -> Bool
    /// Whether people can see the program no more, or again.
    package let enterBackground: (Bool) -> Void
  }

  /// What clients still have to say has its time, in microseconds.
  private static let lastWords = 5_000_000

  func letGuestsEnd(while isEnding: () -> Bool) {
    // Those that watch the app's life hear of its end while they are there.
    _ = tellTermination()
    let end = loop.clock.now + Self.lastWords
    // Wakes the loop then.
    loop.schedule(at: end) {}
    while isEnding(), loop.clock.now < end { loop.turn() }
  }

  /// Makes the folder for what pages keep by themselves; a whole path.
  package func folderForPages() throws -> String {
    var made = ""
    for part in DisplayPath(folder: ScriptFile.currentFolder).absolute(container.webKit).split(separator: "/")
    {
      made += "/" + part
      guard mkdir(made, 0o700) == 0 || errno == EEXIST else { throw BridgeError.system("make", made) }
    }
    return made
  }

  func makeGuests() -> Guests {
    let makeSession = { [unowned self] in
      let session = CallSession(
        parts.world.pluginHost, permissions: permissions, holdsProgram: false)
      session.observer = parts.calls.session.observer
      guests.add(session)
      return session
    }
    return Guests(
      loop: loop, registry: plugins, makeSession: makeSession, container: container.path,
      end: { [unowned self] status in if ending == nil { ending = .exited(status) } },
      isOver: { [unowned self] in ending != nil },
      enterBackground: { [unowned self] in controller.enterBackground($0) })
  }

  /// Runs until it is ended from outside. `open` gets what serves clients, and may throw why it can't; it
  /// answers what has to be there as long as it runs, and what tells whether clients are still ending.
  package func runForGuests(
    _ open: (Guests) throws -> (kept: [AnyObject], isEnding: () -> Bool)
  ) throws -> ExitStatus {
    control.runsHere()
    hasBegun = false
    var opened: (kept: [AnyObject], isEnding: () -> Bool)? = try open(makeGuests())
    loop.holds += 1
    turnUntilDone()
    if let isEnding = opened?.isEnding { letGuestsEnd(while: isEnding) }
    loop.holds -= 1
    opened = nil
    return finish()
  }
}

// SPDX-License-Identifier: MIT

package import NBridgeScript
package import NBridgeSystem
internal import Synchronization

/// Lets a debugger into a program: `node inspect`, Chrome's developer tools, editors. A thread of its own
/// listens for one, and speaks with the engine over a connection within this process.
///
/// Any thread may use it; it is made and closed by the one that runs the program.
package final class Inspector: Sendable {
  /// Where a debugger connects: `ws://127.0.0.1:9229/…`. The name at its end is secret.
  package let url: String
  /// The same as address and port, for debuggers that ask for the name by themselves.
  package var address: String { page.address }
  /// The port at which the engine is to connect.
  package let enginePort: UInt16
  /// Whether the program begins only when a debugger lets it, and stops at its first line.
  package let waits: Bool

  private struct State {
    var posted: [@Sendable (InspectorServer) -> Void] = []
    var isReady = false
    var isReleased = false
    var isLettingGo = false
    var isLetGo = false
    var answered = 0
    var isClosed = false
    var isOver = false
  }

  private let state = Mutex(State())
  private let wake = WakeFile()
  private let listeners: (clients: Descriptor, engine: Descriptor)
  private let page: InspectedPage

  /// Listens.
  ///
  /// - Parameters:
  ///   - title: what debuggers call the program.
  ///   - file: its file, in full; nil where there is none.
  ///   - folder: what names of scripts start from.
  package init(
    _ address: InspectorAddress, title: String, file: String?, folder: String, waits: Bool
  ) throws(SystemError) {
    let clients = try TCPSocket.listening(address.host, port: address.port, queue: 8)
    let engine = try TCPSocket.listening("127.0.0.1", port: 0, queue: 8)
    var address = address
    address.port = TCPSocket.port(of: clients.number) ?? address.port
    page = InspectedPage(
      id: Self.identifier(), title: title, url: file.map(FileURL.text) ?? title, address: address.text,
      isLocal: address.isLocal)
    listeners = (clients, engine)
    url = page.socketURL
    enginePort = TCPSocket.port(of: engine.number) ?? 0
    self.waits = waits
    self.folder = folder
  }

  private let folder: String

  /// 32 hexadecimal digits, grouped as debuggers expect of an identifier (RFC 9562).
  private static func identifier() -> String {
    let digits = Array(RandomName.make())
    return [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { String(digits[$0]) }.joined(separator: "-")
  }

  /// Starts the thread; false when the system gives none.
  package func start() -> Bool {
    PlainThread.start("nb-inspector") { [self] in
      let server = InspectorServer(listeners, page, ScriptTable(folder: folder), wake: wake)
      server.onReady = { [self] in state.withLock { $0.isReady = true } }
      server.onRelease = { [self] in state.withLock { $0.isReleased = true } }
      while !state.withLock(\.isClosed) {
        server.turn()
        for body in takePosted() { body(server) }
      }
      server.close()
      state.withLock { $0.isOver = true }
    }
  }

  private func takePosted() -> [@Sendable (InspectorServer) -> Void] {
    state.withLock { state in
      defer { state.posted = [] }
      return state.posted
    }
  }

  // MARK: - The thread that runs the program

  /// Whether the engine is connected.
  package var isReady: Bool { state.withLock(\.isReady) }

  /// Whether a debugger has let the program begin.
  package var isReleased: Bool { state.withLock(\.isReleased) }

  /// A script will run. Answers a function that tells whether breakpoints in it are set by now; the engine
  /// must be able to take them meanwhile.
  package func prepare(_ script: ScriptPlaces) -> () -> Bool {
    ask { server, done in server.prepare(script, done) }
  }

  /// Answers a function that tells whether all that the engine has said until now is heard.
  package func hearOut() -> () -> Bool { ask { server, done in server.hearOut(done) } }

  private func ask(
    _ body: @escaping @Sendable (InspectorServer, @escaping () -> Void) -> Void
  ) -> () -> Bool {
    let number = state.withLock { state -> Int in
      let number = state.answered
      state.posted.append { [self] server in
        body(server) { [self] in self.state.withLock { $0.answered += 1 } }
      }
      return number + 1
    }
    wake.set()
    return { [self] in state.withLock { $0.answered >= number || $0.isOver } }
  }

  /// Lets the engine go on where it is paused, and no debugger in any more: the program is being stopped.
  package func letGo() {
    state.withLock { state in
      guard !state.isLettingGo else { return }
      state.isLettingGo = true
      state.posted.append { [self] server in
        server.letGo { [self] in self.state.withLock { $0.isLetGo = true } }
      }
    }
    wake.set()
  }

  /// Whether the engine is under no debugger any more, as ``letGo()`` asked.
  package var isLetGo: Bool { state.withLock { $0.isLetGo || $0.isOver } }

  /// Says good-bye to the debugger. Returns when it is said, or after a moment.
  package func close() {
    state.withLock { $0.isClosed = true }
    wake.set()
    let end = MonotonicTime.milliseconds + 500
    while !state.withLock(\.isOver), MonotonicTime.milliseconds < end {
      _ = Poller.wait(for: [], milliseconds: 1)
    }
  }
}

// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridgeScript
internal import NBridgeSystem

/// What the inspector's thread does: it waits for debuggers and for the engine, and brings one debugger and
/// the engine together. Confined to that thread.
final class InspectorServer {
  private let listeners: (clients: Descriptor, engine: Descriptor)
  private let page: InspectedPage
  private let scripts: ScriptTable
  private let wake: WakeFile
  private var clients: [InspectorClient] = []
  private var engine: EngineLink?
  private var session: (client: InspectorClient, session: DebugSession)?
  private var isLettingGo = false
  /// Whether the engine is still taking leave of the last debugger.
  private var isClosing = false
  var onReady: () -> Void = {}
  var onRelease: () -> Void = {}

  /// So many ask at a time; more wait.
  private static let maxClients = 16

  init(
    _ listeners: (clients: Descriptor, engine: Descriptor), _ page: InspectedPage, _ scripts: ScriptTable,
    wake: WakeFile
  ) {
    (self.listeners, self.page, self.scripts, self.wake) = (listeners, page, scripts, wake)
    for listener in [listeners.clients, listeners.engine] { listener.neverWait() }
  }

  /// Waits until something happens, and does it.
  func turn() {
    let takes = engine?.isReady == true && clients.count < Self.maxClients && !isLettingGo
    var files: [(number: Int32, events: Poller.Readiness)] = [
      (wake.number, .readable), (takes ? listeners.clients.number : -1, .readable),
      (
        engine == nil ? listeners.engine.number : engine?.isOver == true ? -1 : engine?.socket ?? -1,
        engine?.events ?? .readable
      ),
    ]
    let asked = clients
    files += asked.map { ($0.socket, $0.events) }
    let due = clients.compactMap(\.due).min().map { max(0, $0 - MonotonicTime.milliseconds) }
    let ready = Poller.wait(for: files, milliseconds: due)
    if !ready[0].isEmpty { wake.take() }
    if !ready[2].isEmpty { attendEngine(ready[2]) }
    for (client, ready) in zip(asked, ready.dropFirst(3)) { client.attend(ready) }
    if !ready[1].isEmpty { acceptClient() }
    for client in clients { client.heedTime() }
    clients.removeAll { $0.isOver }
    if let session, session.client.isOver { endSession() }
    if session == nil, !isClosing, let client = clients.first(where: \.isSocket) { begin(client) }
  }

  // MARK: - The engine

  private func attendEngine(_ ready: Poller.Readiness) {
    if let engine {
      let wasReady = engine.isReady
      engine.attend(ready)
      if engine.isReady, !wasReady { onReady() }
    } else if let socket = try? TCPSocket.accept(listeners.engine.number), TCPSocket.isOwn(socket.number) {
      engine = EngineLink(Connection(socket))
      listeners.engine.close()
    }
  }

  // MARK: - Debuggers

  private func acceptClient() {
    guard let socket = try? TCPSocket.accept(listeners.clients.number), isOfUser(socket) else { return }
    let client = InspectorClient(socket, page)
    client.mayDebug = { [unowned self] in !clients.contains { $0.isSocket && !$0.isOver } }
    clients.append(client)
  }

  /// Whether a debugger within this machine is the same user's: it can do all that the program may. One that
  /// comes from outside was asked for, by the address.
  private func isOfUser(_ socket: Descriptor) -> Bool {
    guard page.isLocal else { return true }
    return TCPPeers().user(of: socket.number) == getuid()
  }

  private func begin(_ client: InspectorClient) {
    guard let engine else { return }
    let made = DebugSession(
      engine, scripts, say: { [unowned client] in client.send($0.text) },
      release: { [unowned self] in onRelease() })
    session = (client, made)
    client.onMessage = { [weak self, weak made] in
      if self?.isLettingGo == false { made?.receive($0) }
    }
  }

  private func endSession() {
    guard let ended = session else { return }
    session = nil
    isClosing = true
    ended.session.close { [unowned self] in isClosing = false }
  }

  // MARK: - What the program says

  func prepare(_ script: ScriptPlaces, _ done: @escaping () -> Void) {
    scripts.add(script)
    guard let session, engine?.isOver == false else { return done() }
    session.session.prepare(script, done)
  }

  /// Calls `done` behind all that the engine has said.
  func hearOut(_ done: @escaping () -> Void) {
    guard session != nil, let engine else { return done() }
    engine.send("Inspector.enable") { _ in done() }
  }

  /// The program is being stopped: the engine goes on, and nothing stops it any more.
  func letGo(_ done: @escaping () -> Void) {
    isLettingGo = true
    guard session != nil, let engine else { return done() }
    engine.close(done)
  }

  func close() {
    endSessionPolitely()
    for client in clients { client.close() }
    listeners.clients.close()
  }

  private func endSessionPolitely() {
    guard let session, !session.client.isOver else { return }
    session.session.tell("Runtime.executionContextDestroyed", .of(["executionContextId": .int(1)]))
  }
}

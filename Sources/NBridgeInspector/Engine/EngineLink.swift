// SPDX-License-Identifier: MIT

internal import NBridgeSystem

/// The connection with the engine: commands and their answers, events, and the one target that there is.
/// Confined to the inspector's thread.
final class EngineLink {
  typealias Answer = (Result<JSON, EngineFailure>) -> Void

  private let connection: Connection
  private var target: UInt64?
  private var last = 0
  private var waiting: [Int: Answer] = [:]
  private var isPaused = false
  private var onResume: (() -> Void)?
  /// Takes the engine's events.
  var onEvent: (_ method: String, _ params: JSON) -> Void = { _, _ in }

  init(_ connection: Connection) {
    self.connection = connection
    connection.send(EngineFrame(name: "GetTargetList").bytes)
  }

  var socket: Int32 { connection.socket.number }
  var events: Poller.Readiness { connection.events }
  var isOver: Bool { connection.isOver }
  /// Whether the engine has said what is to be debugged.
  var isReady: Bool { target != nil }

  // MARK: - Commands

  /// The engine takes commands from now on. Once: a second time it would not know that the first is over.
  private func open(_ target: UInt64) {
    guard self.target == nil else { return }
    self.target = target
    connection.send(EngineFrame("Setup", target: target).bytes)
    send("Inspector.enable")
    send("Inspector.initialized")
  }

  /// The debugger went: the engine forgets its breakpoints, goes on if it was paused, and is as quick again
  /// as it was before.
  ///
  /// The next one can come when `done` is called. An engine that hears of it while it still is paused tells
  /// it nothing of the script that it is in.
  func close(_ done: @escaping () -> Void) {
    onEvent = { _, _ in }
    fail()
    send("Debugger.setBreakpointsActive", .of(["active": false]))
    send("Debugger.setPauseOnDebuggerStatements", .of(["enabled": false]))
    send("Debugger.setPauseOnExceptions", .of(["state": "none"]))
    let disable = { [unowned self] in
      onResume = nil
      send("Runtime.disable")
      send("Debugger.disable") { _ in done() }
    }
    guard isPaused else { return disable() }
    onResume = disable
    send("Debugger.resume")
  }

  /// Sends a command; `answer` is called once, unless the debugger goes first.
  func send(_ method: String, _ params: JSON = .object([]), _ answer: @escaping Answer = { _ in }) {
    guard let target, !isOver else { return answer(.failure(EngineFailure("the program has ended"))) }
    last += 1
    waiting[last] = answer
    let message = JSON.of(["id": .int(last), "method": .string(method), "params": params])
    connection.send(EngineFrame("SendMessageToTarget", target: target, text: message.text).bytes)
  }

  // MARK: - What comes

  func attend(_ ready: Poller.Readiness) {
    connection.flush()
    if !ready.isEmpty { connection.receive() }
    while !isOver {
      switch EngineFrame.find(in: connection.incoming) {
      case .incomplete: return
      case .damaged: connection.end()
      case .frame(let frame, let count):
        connection.consume(count)
        take(frame)
      }
    }
    fail()
  }

  /// No answer comes any more.
  private func fail() {
    let answers = waiting.values
    waiting = [:]
    for answer in answers { answer(.failure(EngineFailure("the program has ended"))) }
  }

  private func take(_ frame: EngineFrame) {
    switch frame.name {
    case "SetTargetList": frame.target.map(open)
    case "SendMessageToFrontend":
      guard frame.target == target, let text = frame.text, let message = JSONReader.read(text) else { return }
      takeMessage(message)
    default: break
    }
  }

  private func takeMessage(_ message: JSON) {
    if let method = message["method"]?.string {
      if method == "Debugger.paused" { isPaused = true }
      if method == "Debugger.resumed" {
        isPaused = false
        onResume?()
      }
      onEvent(method, message["params"] ?? .object([]))
    } else if let id = message["id"]?.int, let answer = waiting.removeValue(forKey: id) {
      if let error = message["error"] {
        answer(.failure(EngineFailure(error["message"]?.string ?? "the engine did not say why")))
      } else {
        answer(.success(message["result"] ?? .object([])))
      }
    }
  }
}

/// What the engine says against a command.
struct EngineFailure: Error {
  let message: String
  init(_ message: String) { self.message = message }
}

// SPDX-License-Identifier: MIT

internal import CNBridgeGLib
package import NBridgeHost
internal import NBridgePlugin

/// What a script is given beside answers to its calls: times, dice, what people say, and turns of its own. It
/// passes the program's tape, where there is one. Confined to the engine's thread.
package final class ScriptInputs {
  private let host: PluginHost
  private var loop: EventLoop { host.loop }
  /// When the program was made, in microseconds of its clock.
  package let startTime: Int
  /// A recording that is made or replayed; nil for most programs.
  package var tape: (any ProgramTape)?

  package init(_ host: PluginHost) {
    self.host = host
    startTime = host.loop.clock.now
  }

  /// The clock of timers, in milliseconds.
  package var scriptClock: Double { number(.clock) { Double(loop.clock.now) / 1000 } }

  /// The same since the program's start.
  package var sinceStart: Double { number(.clock) { Double(loop.clock.now - startTime) / 1000 } }

  /// The time of day, in milliseconds since 1970.
  package var date: Double { number(.date) { Double(g_get_real_time() / 1000) } }

  /// The clock as it is, in microseconds: for what no script sees.
  package var now: Int { loop.clock.now }

  /// A number of a kind; `real` is only asked where no recording answers.
  package func number(_ kind: InputKind, _ real: () -> Double) -> Double {
    tape?.number(kind, real) ?? real()
  }

  /// The same for a text; `question` is what a person is asked.
  package func text(_ kind: InputKind, asking question: String? = nil, _ real: () -> String?) -> String? {
    if let tape { return tape.text(kind, asking: question, real) }
    return real()
  }

  /// Random bytes were made: a recording keeps them, a replay puts others in their place.
  package func random(_ memory: UnsafeMutableRawBufferPointer) { tape?.random(memory) }

  /// Runs a task of the script's once its time has come, in microseconds from now.
  package func runLater(after microseconds: Int, holding: Bool = false, _ body: @escaping () -> Void) {
    let deadline = loop.clock.now + microseconds
    guard let tape else {
      loop.schedule(at: deadline, holding: holding, body)
      return
    }
    if let body = tape.later(body) { loop.schedule(at: deadline, holding: holding, body) }
  }

  /// A task of the script's that the loop runs once, when it likes; nil in a replay, where the recording
  /// does.
  package func task(_ body: @escaping () -> Void) -> (() -> Void)? {
    guard let tape else { return body }
    return tape.later(body)
  }

  /// Runs `body` on a thread of the program's, and `then` with what it answers in a turn of the script's. The
  /// program stays alive meanwhile; behind its end `then` does not run. A replay works when the recording was
  /// told of the answer, on the script's own thread.
  package func work<Answer: Sendable>(
    _ body: @escaping @Sendable () -> Answer, then: @escaping (Answer) -> Void
  ) {
    guard let tape else { return host.work(body, then: then) }
    var answer: Answer?
    guard let turn = tape.later({ then(answer ?? body()) }) else { return }
    host.work(body) { made in
      answer = made
      turn()
    }
  }

  /// Keeps the program alive, or lets it go: as often as it was kept.
  package func hold(_ holds: Bool) { loop.holds += holds ? 1 : -1 }
}

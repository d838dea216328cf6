// SPDX-License-Identifier: MIT

internal import NBridgeHost
internal import NBridgePlugin

/// One thing that crossed between a script and the world, in the order in which the script met it. What the
/// script asks for stands where it asked; what comes to it by itself (`delivered`, `timers`, `task`, `ended`)
/// where it came.
enum RecordingEvent: Sendable {
  /// A service's object was made of this source, or could not be.
  case facade(service: String, source: Result<String, RecordedFailure>)
  /// An action was looked up.
  case bound(RecordedBinding)
  /// A call began.
  case called(RecordedCall)
  /// What it answered at once; a failure is a ``Reply`` of that kind.
  case answered(Reply)
  /// It is answered later, to this slot.
  case pending(slot: Int)
  case cancelled(slot: Int)
  case granted(slot: Int, count: Int)
  /// The script asked for something that is no call.
  case given(RecordedInput)
  /// Replies were handed over together.
  case delivered([SlotReply])
  /// Timers were looked through, at so many milliseconds of the script's clock.
  case timers(at: Double)
  /// A task that had been put off ran.
  case task(Int)
  /// The script had its say: the program went on to its next part.
  case settled
  /// Something outside of the script ended the program.
  case ended(RecordedEnding)
  /// The program was over, with this status.
  case finished(status: Int)
}

/// An action as it was found, or why it was not.
struct RecordedBinding: Sendable {
  var service: String
  var name: String
  var forPlugin: Bool
  var found: Result<Shape, RecordedFailure>

  /// What a script's half of the bridge must know.
  struct Shape: Sendable, Equatable {
    var isWatch: Bool
    var isConfidential: Bool
    var buffering: Buffering
  }
}

/// A call as it left the script.
struct RecordedCall: Sendable {
  var service: String
  var action: String
  /// Milliseconds; nil for none.
  var timeout: Int?
  var letsGo: Bool
  var text: [UInt8]
  var bytes: [Bytes]
}

/// What a script was given that is no answer.
enum RecordedInput: Sendable, Equatable {
  case number(InputKind, Double)
  case text(InputKind, String?)
  case bytes([UInt8])
}

/// What a script can ask for besides calls.
package enum InputKind: UInt8, Sendable, CaseIterable {
  /// The clock of timers, in milliseconds.
  case clock = 1
  /// The time of day, in milliseconds since 1970.
  case date = 2
  /// When the program's clocks began.
  case origin = 3
  /// How many calls were begun at the end.
  case lastCalls = 4
  /// Whether the person said yes: 0 or 1.
  case confirmed = 5
  /// What the person typed.
  case typed = 6
  case random = 7
  /// The machine: processors, language.
  case machine = 8
  /// Which options of an action are streams or functions.
  case inlets = 9
  /// What the items of localStorage are.
  case items = 10
  /// Whether the process of a plugin is the one that handed a number out before: 0 or 1.
  case objects = 11

  var name: String {
    switch self {
    case .clock: "the clock"
    case .date: "the date"
    case .origin: "the time of the start"
    case .lastCalls: "the calls at the end"
    case .confirmed: "an answer to confirm()"
    case .typed: "an answer to prompt()"
    case .random: "random bytes"
    case .machine: "the machine"
    case .inlets: "the streams of an action"
    case .items: "localStorage"
    case .objects: "the process of an object"
    }
  }
}

/// A failure as the text that the script's half of the bridge reads.
struct RecordedFailure: Error {
  var text: [UInt8]
}

/// Why a program ended that did not end by itself.
package enum RecordedEnding: Sendable, Equatable {
  case exited(Int32)
  case stopped(signal: Int32)
  case timedOut(seconds: Double)
  case stalled(seconds: Double)
}

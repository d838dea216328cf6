// SPDX-License-Identifier: MIT

internal import NBridgePlugin
internal import NBridgeSystem

/// Why a process that ran a plugin is gone, as the calls say that were under way.
struct CrashReport {
  enum Reason {
    case ended(GroupedChild.Ending)
    /// It sent what is no message, or one that is too large.
    case nonsense(String)
    /// It goes on, and can neither be told nor asked anything.
    case closed
    /// A call took longer than it may.
    case tooLong(seconds: Double)
    /// A call was cancelled, and its thread did not come back to its loop.
    case hung(seconds: Double)
    /// It was started again, and its start goes on.
    case notStarted(seconds: Double)
  }

  let service: String
  let reason: Reason
  /// The last lines that it wrote to stderr.
  let lastLines: String

  func error(in action: String) -> BridgeError {
    var details: [String: String] = ["plugin": service, "action": action, "reason": summary]
    if case .ended(.signal(let number)) = reason { details["signal"] = CrashSignals.name(number) }
    if case .ended(.status(let status)) = reason { details["status"] = "\(status)" }
    if !lastLines.isEmpty { details["stderr"] = lastLines }
    var message = "the plugin '\(service)' \(summary) while '\(service).\(action)' was under way"
    if let last = lastLines.split(separator: "\n").last { message += "; it said last: \(last)" }
    return BridgeError(.pluginCrashed, message, details: try? Value(encoding: details))
  }

  /// A sentence without its subject.
  var summary: String {
    switch reason {
    case .ended(.signal(let number)): "crashed (\(CrashSignals.name(number)))"
    case .ended(.status(let status)): "ended its process (status \(status))"
    case .nonsense(let what): "sent \(what), and was ended"
    case .closed: "closed its channel to the program, and was ended"
    case .hung(let seconds):
      "hung, did not react to a cancelled call for \(PlainSeconds.text(seconds)) s, and was ended"
    case .notStarted(let seconds):
      "did not come back from its start within \(PlainSeconds.text(seconds)) s, and was ended"
    case .tooLong(let seconds):
      "took longer than the \(PlainSeconds.text(seconds)) s that a call may take, and was ended"
    }
  }
}

private enum PlainSeconds {
  static func text(_ seconds: Double) -> String {
    seconds == seconds.rounded() ? "\(Int(seconds))" : "\(seconds)"
  }
}

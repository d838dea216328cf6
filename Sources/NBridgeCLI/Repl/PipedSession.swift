// SPDX-License-Identifier: MIT

internal import Glibc
internal import NBridge

/// A prompt without a terminal: takes statements from stdin as they come, prints their values, stops at the first error.
struct PipedSession {
  let session: InteractiveSession
  let output: any ScriptOutput

  func run(first: [String]) -> ExitStatus {
    for text in first { if let status = take(text) { return status } }
    var text = ""
    while let line = readLine(strippingNewline: false) {
      text += line
      guard text.trimmed.isEmpty || session.isComplete(text) else { continue }
      if let status = take(text) { return status }
      text = ""
    }
    if !text.trimmed.isEmpty, let status = take(text) { return status }
    session.runToEnd()
    return session.endedBetweenEntries() ?? session.finish()
  }

  /// Answers a status when the run ends here.
  private func take(_ text: String) -> ExitStatus? {
    if text.trimmed.isEmpty { return nil }
    switch session.evaluate(text.hasSuffix("\n") ? String(text.dropLast()) : text) {
    case .value(let shown): output.write(shown + "\n")
    case .nothing: break
    case .failed(let report):
      output.writeError(report)
      _ = session.finish()
      return .failure
    case .interrupted: return .interrupted
    case .ended(let status): return status
    }
    return nil
  }
}

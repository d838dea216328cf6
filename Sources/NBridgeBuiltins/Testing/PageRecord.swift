// SPDX-License-Identifier: MIT

internal import NBridgePlugin

extension TestRecord {
  /// A record as a page tells it: where two texts differ it has both, as a JSON list, and here are their
  /// lines.
  package func comparingTexts() -> TestRecord {
    switch self {
    case .ended(var line):
      line.error = line.error?.comparingTexts()
      line.furtherErrors = line.furtherErrors?.map { $0.comparingTexts() }
      return .ended(line)
    case .failed(let failure): return .failed(failure.comparingTexts())
    default: return self
    }
  }
}

extension TestLine.Failure {
  fileprivate func comparingTexts() -> TestLine.Failure {
    guard let text = difference, text.hasPrefix("["),
      let texts = try? Value(text: Array(text.utf8)).decode([String].self), texts.count == 2
    else { return self }
    var failure = self
    let lines = LineDifference.text(actual: texts[0], expected: texts[1])
    failure.difference = lines.isEmpty ? nil : lines
    return failure
  }
}

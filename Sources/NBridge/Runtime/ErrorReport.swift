// SPDX-License-Identifier: MIT

internal import JSEngine
internal import NBridgePlugin
internal import NBridgeScript

/// What a person sees of an uncaught error: the place with its source line and a caret, the message, the
/// author's own frames, the causes.
struct ErrorReport {
  private let exception: JSException
  private let sourceRegistry: SourceRegistry
  private let style: Style

  init(_ exception: JSException, sourceRegistry: SourceRegistry, colours: Bool) {
    self.exception = exception
    self.sourceRegistry = sourceRegistry
    style = Style(colours: colours)
  }

  /// The report; `unhandled` for an unhandled rejection.
  func text(unhandled: Bool) -> String {
    let frames = frames
    var text = ""
    if let place = place(frames) {
      text += style.dim(place.column > 0 ? place.place : "\(place.url):\(place.line)") + "\n"
      if let line = sourceRegistry.line(place.url, place.line) {
        text += SourceExcerpt.text(Substring(Self.visible(line)), column: place.column, style)
      }
    }
    if unhandled { text += "Unhandled rejection: " }
    text += style.red(Self.visible(exception.description)) + attributes + "\n"
    if let details = exception.details { text += "  details: \(Self.visible(details))\n" }
    for frame in frames { text += style.dim("    at \(Self.visible(name(of: frame)))") + "\n" }
    for cause in exception.causes { text += "  caused by: \(Self.visible(cause))\n" }
    return text
  }

  /// A script's text with control characters as JavaScript would write them: a message must not steer the
  /// terminal.
  private static func visible(_ text: some StringProtocol) -> String {
    let controls = text.unicodeScalars.contains {
      $0.properties.generalCategory == .control && $0 != "\n" && $0 != "\t"
    }
    guard controls else { return String(text) }
    return text.unicodeScalars.map { scalar in
      guard scalar.properties.generalCategory == .control, scalar != "\n", scalar != "\t" else {
        return String(scalar)
      }
      let digits = String(scalar.value, radix: 16, uppercase: true)
      return "\\x" + (digits.count < 2 ? "0" : "") + digits
    }.joined()
  }

  /// The report as one line of JSON, for programs.
  func json(unhandled: Bool) -> String {
    let frames = frames
    let place = place(frames)
    let attributes = Dictionary(
      exception.attributes.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    return ErrorLine(
      name: exception.name, message: exception.message, code: attributes["code"],
      service: attributes["service"],
      action: attributes["action"], details: exception.details, unhandled: unhandled, file: place?.url,
      line: place?.line,
      column: place.flatMap { $0.column > 0 ? $0.column : nil },
      source: place.flatMap { sourceRegistry.line($0.url, $0.line) }.map(String.init),
      stack: frames.map {
        ErrorLine.Frame(function: $0.function, file: $0.url, line: $0.line, column: $0.column)
      },
      causes: exception.causes
    ).text
  }

  /// The author's; what was put in around a line makes some of them twice.
  private var frames: [StackFrame] {
    let all = StackFrame.userFrames(exception.stack).compactMap(sourceRegistry.authored)
    return all.indices.filter { index in
      index == 0 || all[index].function != all[index - 1].function || all[index].place != all[index - 1].place
    }.map { all[$0] }
  }

  /// Where it was thrown; for a syntax error, where it stands.
  private func place(_ frames: [StackFrame]) -> StackFrame? {
    if let first = frames.first { return first }
    guard let url = exception.url, let line = exception.line else { return nil }
    return StackFrame("@\(url):\(line):\(exception.column ?? 0)").flatMap(sourceRegistry.authored)
  }

  private var attributes: String {
    let known = Dictionary(
      exception.attributes.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    guard let code = known["code"] else { return "" }
    guard let service = known["service"], let action = known["action"], exception.name == "BridgeError" else {
      return style.dim(" [\(code)]")
    }
    return style.dim(" [\(code), \(service).\(action)]")
  }

  private func name(of frame: StackFrame) -> String {
    let internalNames = ["global code", "eval code", "module code", ""]
    return internalNames.contains(frame.function) ? frame.place : "\(frame.function) (\(frame.place))"
  }
}

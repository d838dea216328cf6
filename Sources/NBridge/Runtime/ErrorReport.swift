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

  /// Where it was thrown; for a syntax error, where it stands.
  var place: StackFrame? { place(frames) }

  /// Where a value that is no error was thrown, or one without a stack; nil where nothing tells.
  var placeWithoutFrames: String? {
    let found = exception.shown == nil ? ownPlace : place(frames)
    return found.map { $0.column > 0 ? $0.place : "\($0.url):\($0.line)" }
  }

  /// What a report says behind the message and the frames: the properties and what led to it, a line each. An
  /// assertion's properties are the values that it compared, which reports of tests show as such.
  var belongings: String {
    let isAssertion = exception.attributes.contains { $0.name == "code" && $0.value == "ERR_ASSERTION" }
    let details = exception.details.map { "  details: \(Self.visible($0))\n" } ?? ""
    return details + belongings(of: exception, frames, "", hasProperties: !isAssertion)
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
    if unhandled { text += "Unhandled rejection: " } else if exception.shown != nil { text += "Uncaught " }
    return text + parts(of: exception, frames, [])
  }

  /// An error with all that belongs to it: its first line, then its frames, properties and what led to it.
  ///
  /// - Parameters:
  ///   - above: the frames of the error that it led to.
  ///   - indent: what stands before its lines behind the first.
  private func parts(
    of exception: JSException, _ frames: [StackFrame], _ above: [StackFrame], _ indent: String = ""
  ) -> String {
    var text = title(of: exception) + "\n"
    if let details = exception.details { text += "\(indent)  details: \(Self.visible(details))\n" }
    let shared = Self.shared(frames, above)
    for frame in frames.dropLast(shared) {
      text += style.dim("\(indent)    at \(Self.visible(told(frame, exception).shown))") + "\n"
    }
    if let awaited = awaited(exception) { text += style.dim("\(indent)    at async \(awaited)") + "\n" }
    if shared > 0 { text += style.dim("\(indent)    ... \(shared) more as above") + "\n" }
    return text + belongings(of: exception, frames, indent)
  }

  /// The properties of an error, and what led to it.
  private func belongings(
    of exception: JSException, _ frames: [StackFrame], _ indent: String, hasProperties: Bool = true
  ) -> String {
    var text = ""
    if hasProperties, let properties = exception.properties {
      text += "\(indent)  " + Self.visible(properties).replacing("\n", with: "\n\(indent)  ") + "\n"
    }
    let named: [(String, JSException)] =
      exception.cause.map { ("caused by", $0) } + exception.error.map { ("error", $0) }
      + exception.suppressed.map { ("suppressed", $0) }
    for (name, error) in named {
      text += "\(indent)  \(name): " + parts(of: error, self.frames(of: error), frames, indent + "  ")
    }
    for (index, error) in exception.errors.enumerated() {
      text += "\(indent)  error \(index + 1) of \(exception.errorCount): "
      text += parts(of: error, self.frames(of: error), frames, indent + "  ")
    }
    let rest = exception.errorCount - exception.errors.count
    if rest > 0 { text += "\(indent)  ... \(rest) more\n" }
    guard exception.cause.isEmpty else { return text }
    for cause in exception.causes { text += "\(indent)  caused by: \(Self.visible(cause))\n" }
    return text
  }

  /// The line of the `await` outside of functions that it came through; nil where a frame tells as much.
  private func awaited(_ exception: JSException) -> String? {
    // A value has no frames: what was awaited last may have come to its end before the line that threw it.
    guard placeOfValue(exception) == nil, let frame = awaitedFrame(exception) else { return nil }
    return "\(Self.visible(frame.url)):\(frame.line)"
  }

  private func awaitedFrame(_ exception: JSException) -> StackFrame? {
    guard let place = exception.awaited else { return nil }
    // What runs at the top of a script is a frame without a name, and then nothing was awaited; an arrow
    // function may be one, too. What stands above the `await` did not come behind it.
    if let last = StackFrame.userFrames(exception.stack).last, last.url == place.url, last.function.isEmpty,
      last.line >= place.line
    {
      return nil
    }
    return StackFrame("@\(place.url):\(place.line):0").flatMap(sourceRegistry.authored)
  }

  private func title(of exception: JSException) -> String {
    let text = Self.visible(Self.cut(exception.shown ?? exception.description))
    if exception.isTold { return "\(text) (told above)" }
    return (exception.shown == nil ? style.red(text) : text) + attributes(of: exception)
  }

  /// How many of the outermost frames two errors have in common; 0 for so few that they can be told again.
  private static func shared(_ frames: [StackFrame], _ above: [StackFrame]) -> Int {
    let count = zip(frames.reversed(), above.reversed()).prefix { $0 == $1 }.count
    return count < 3 ? 0 : count
  }

  private static let longest = 10_000

  /// A message of a megabyte tells less than its beginning.
  private static func cut(_ text: String) -> String {
    guard text.utf8.count > longest else { return text }
    let start = String(decoding: text.utf8.prefix(longest), as: UTF8.self)
    return "\(start)... \(text.utf8.count - longest) more bytes"
  }

  /// A script's text with control characters as JavaScript would write them: a message must not steer the
  /// terminal.
  private static func visible(_ text: some StringProtocol) -> String {
    DisplayText.printable(text, .controls, as: .escape, keeps: "\n\t".unicodeScalars)
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
      stack: frames.map { ErrorLine.Frame(told($0, exception)) }, causes: exception.causes,
      properties: exception.properties,
      related: related(exception)
    ).text
  }

  /// What led to it, nearest first, with frames; nil for nothing.
  private func related(_ exception: JSException) -> [ErrorLine.Related]? {
    let causes: [(String, JSException)] =
      exception.cause.map { ("cause", $0) } + exception.error.map { ("error", $0) }
      + exception.suppressed.map { ("suppressed", $0) } + exception.errors.map { ("error", $0) }
    guard !causes.isEmpty else { return nil }
    return causes.map { relation, error in
      ErrorLine.Related(
        relation: relation, name: error.name, message: error.message,
        code: error.attributes.first { $0.name == "code" }?.value, properties: error.properties,
        stack: frames(of: error).map { ErrorLine.Frame(told($0, error)) }, related: related(error))
    }
  }

  private var frames: [StackFrame] { frames(of: exception) }

  private func frames(of exception: JSException) -> [StackFrame] {
    var frames = sourceRegistry.frames(of: exception.stack, makers: exception.makers)
    sourceRegistry.placeName(in: &frames, exception.message, exception.stack)
    return Self.isUnrun(exception) ? Array(frames.dropFirst()) : frames
  }

  /// Whether its stack begins with the place of a text that is wrong: no code of ours has such a frame.
  private static func isUnrun(_ exception: JSException) -> Bool {
    exception.stack.hasPrefix("module code@")
  }

  /// Where it was thrown; for a syntax error, where it stands.
  private func place(_ frames: [StackFrame]) -> StackFrame? {
    if let place = unrunPlace { return place }
    if let origin = frames.origin { return told(origin, exception) }
    if exception.shown != nil {
      return placeOfValue(exception) ?? awaitedFrame(exception).map(Self.line)
    }
    return ownPlace ?? awaitedFrame(exception).map(Self.line)
  }

  /// Where a value without frames was thrown, by what the script's text says; nil for an error.
  private func placeOfValue(_ exception: JSException) -> StackFrame? {
    guard exception.shown != nil, exception.stack.isEmpty else { return nil }
    return sourceRegistry.placeOfThrow(exception.thrownValue, by: exception.makers.first)
  }

  /// What the error itself tells.
  private var ownPlace: StackFrame? {
    guard let url = exception.url, let line = exception.line else { return nil }
    return StackFrame("@\(url):\(line):\(exception.column ?? 0)").flatMap(sourceRegistry.authored)
  }

  /// Of a text that was not taken while others ran, or that asks for what is not there: no frame is in it.
  private var unrunPlace: StackFrame? {
    let code = exception.attributes.first { $0.name == "code" }?.value
    let codes = ["MODULE_NOT_FOUND", "ERR_MODULE_NOT_FOUND", "ERR_PACKAGE_PATH_NOT_EXPORTED"]
    guard exception.name == "SyntaxError" || code.map(codes.contains) ?? false,
      let url = exception.url, !url.isEmpty, sourceRegistry.line(url, 1) != nil,
      Self.isUnrun(exception) || !exception.stack.contains("\(url):")
    else { return nil }
    return ownPlace
  }

  private func told(_ frame: StackFrame, _ exception: JSException) -> StackFrame {
    sourceRegistry.told(frame, message: exception.message)
  }

  private static func line(_ frame: StackFrame) -> StackFrame {
    var frame = frame
    frame.column = 0
    return frame
  }

  private func attributes(of exception: JSException) -> String {
    let known = Dictionary(
      exception.attributes.map { ($0.name, $0.value) }, uniquingKeysWith: { first, _ in first })
    guard let code = known["code"].map(Self.visible) else { return "" }
    guard let service = known["service"], let action = known["action"], exception.name == "BridgeError" else {
      return style.dim(" [\(code)]")
    }
    return style.dim(" [\(code), \(Self.visible(service)).\(Self.visible(action))]")
  }
}

extension JSException {
  /// What a `throw` of it may look like.
  fileprivate var thrownValue: ThrownValue {
    if !keys.isEmpty { return .object(keys) }
    return message == shown ? .other(message) : .text(message)
  }
}

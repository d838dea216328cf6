// SPDX-License-Identifier: MIT

internal import JSEngine

/// What a person sees of an uncaught error: the place with its source line and a caret, the message, the
/// author's own frames, the causes.
struct ErrorReport {
  private let exception: JSException
  private let sources: [String: ScriptSource]
  private let plans: [String: ScriptPlan]
  private let style: Style

  init(
    _ exception: JSException, sources: [String: ScriptSource], plans: [String: ScriptPlan], colours: Bool
  ) {
    self.exception = exception
    self.sources = sources
    self.plans = plans
    style = Style(colours: colours)
  }

  /// The report; `unhandled` for a rejection that nobody handled.
  func text(unhandled: Bool) -> String {
    let frames = StackFrame.userFrames(exception.stack).map(corrected)
    var text = ""
    if let place = frames.first ?? syntaxPlace {
      text += style.dim(place.column > 0 ? place.place : "\(place.url):\(place.line)") + "\n"
      if let line = sources[place.url]?.line(place.line) { text += excerpt(line, column: place.column) }
    }
    if unhandled { text += "Unhandled rejection: " }
    text += style.red(exception.description) + attributes + "\n"
    for frame in frames { text += style.dim("    at \(name(of: frame))") + "\n" }
    for cause in exception.causes { text += "  caused by: \(cause)\n" }
    return text
  }

  private var attributes: String {
    let code = exception.attributes.first { $0.name == "code" }?.value
    return code.map { style.dim(" [\($0)]") } ?? ""
  }

  private var syntaxPlace: StackFrame? {
    guard let url = exception.url, !url.hasPrefix(ScriptLibrary.scheme), let line = exception.line else {
      return nil
    }
    return StackFrame("@\(url):\(line):\(exception.column ?? 0)").map(corrected)
  }

  private func corrected(_ frame: StackFrame) -> StackFrame {
    var frame = frame
    if frame.column > 0, let plan = plans[frame.url] {
      frame.column = plan.column(line: frame.line, column: frame.column)
    }
    return frame
  }

  private func name(of frame: StackFrame) -> String {
    let internalNames = ["global code", "eval code", "module code", ""]
    return internalNames.contains(frame.function) ? frame.place : "\(frame.function) (\(frame.place))"
  }

  /// The line, cut around the place when it is long, and a caret under it.
  private func excerpt(_ line: Substring, column: Int) -> String {
    let units = Array(line.utf16)
    let start = min(column > 100 ? column - 60 : 0, units.count)
    let text = Self.printable(String(decoding: units[start..<min(units.count, start + 120)], as: UTF16.self))
    guard column > 0 else { return text + "\n" }
    let before = String(decoding: units[start..<max(start, min(units.count, column - 1))], as: UTF16.self)
    var pad = ""
    for character in before { pad.append(character == "\t" ? character : " ") }
    return text + "\n" + pad + style.red("^") + "\n"
  }

  /// Source text may hold escape sequences: they are shown, never obeyed.
  private static func printable(_ text: String) -> String {
    let replacement: Unicode.Scalar = "\u{FFFD}"
    var shown = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      shown.append(scalar.value < 0x20 && scalar.value != 9 ? replacement : scalar)
    }
    return String(shown)
  }

  /// What is said of a top-level await that nothing can bring forward.
  static func neverSettles(_ source: ScriptSource?, line: Int?) -> String {
    let place = [source?.url, line.map(String.init)].compactMap { $0 }.joined(separator: ":")
    let text = line.flatMap { source?.line($0) }.map { "\($0)\n" } ?? ""
    return
      "\(place)\n\(text)nbridge: this await can never settle: no timer, call or watch is left to bring it forward\n"
  }
}

/// Colours, or none.
struct Style {
  let colours: Bool
  func red(_ text: String) -> String { wrap(text, "31") }
  func dim(_ text: String) -> String { wrap(text, "2") }
  private func wrap(_ text: String, _ code: String) -> String {
    colours ? "\u{1B}[\(code)m\(text)\u{1B}[0m" : text
  }
}

// SPDX-License-Identifier: MIT

/// A name that is used as it may not be: a constant that is assigned to, a variable that is read before its
/// declaration has run, names that are to be taken out of nothing, or a variable whose elements are asked for
/// and that has none. Of a name of the same function the engine tells the place of what ran before, or none:
/// it has none for what it knows when it compiles. The script's text says more.
enum NameFault {
  case assignment
  case early
  /// A pattern that is given nothing to take apart.
  case destructured
  /// What a loop, an array pattern or `yield*` is to go through.
  case iterated
  /// What stands behind `...`.
  case spread

  /// Nil for other errors, by the engine's words.
  init?(message: String) {
    let message = Self.withoutPlaces(message)
    switch message {
    case "Attempted to assign to readonly property.": self = .assignment
    case "Cannot access uninitialized variable.": self = .early
    case "Right side of assignment cannot be destructured": self = .destructured
    default:
      if message.hasPrefix("Spread syntax requires ") {
        self = .spread
      } else if let quoted = Self.quoted(message), quoted.hasSuffix(")") || Self.isIterated(quoted) {
        // Neither a call's answer nor a variable has members here: else the engine would quote them.
        self = .iterated
      } else {
        return nil
      }
    }
  }

  private static let evaluating = " is not an object (evaluating '"

  /// What the engine quotes as the beginning of what could not be done with nothing; nil for other messages.
  private static func quoted(_ message: String) -> Substring? {
    guard ["null", "undefined"].contains(where: { message.hasPrefix($0 + evaluating) }),
      message.hasSuffix("')"), let quote = message.firstIndex(of: "'")
    else { return nil }
    return message[message.index(after: quote)...].dropLast(2)
  }

  /// Whether it is a variable, or what the engine quotes of a loop or a pattern.
  private static func isIterated(_ text: Substring) -> Bool {
    if text.hasPrefix("[") || text.firstRange(of: " of ") != nil { return true }
    return !text.isEmpty && text.utf16.allSatisfy(FaultColumn.isNamePart)
  }

  private static let otherPlaces = " (here, or at "

  private static func withoutPlaces(_ message: String) -> String {
    guard message.hasSuffix(")"), let start = message.firstRange(of: otherPlaces) else { return message }
    return String(message[..<start.lowerBound])
  }

  /// The message with where else it may be: nobody but the engine knows, and it does not say.
  static func message(_ message: String, orAt places: [TextPlace]) -> String {
    let message = withoutPlaces(message)
    guard !places.isEmpty else { return message }
    return message + otherPlaces + places.map { "\($0.line):\($0.column)" }.joined(separator: " or ") + ")"
  }

  /// The engine's message with the variable in the place of the call before, which it quotes.
  static func message(_ message: String, naming name: String) -> String {
    guard quoted(message) != nil, let quote = message.firstIndex(of: "'") else { return message }
    return message[...quote] + name + "')"
  }
}

extension SourceRegistry {
  /// Gives the innermost of an error's frames the place of the name that its message is about.
  package func placeName(in frames: inout [StackFrame], _ message: String, _ stack: String) {
    guard let fault = NameFault(message: message) else { return placeMissingName(in: &frames, message) }
    guard let found = name(of: fault, stack) else { return }
    var frame = found.told ?? found.frame
    (frame.line, frame.column) = (found.place.line, found.place.column)
    if found.told != nil, frames.first?.url == frame.url {
      frames[0] = frame
    } else {
      frames.insert(frame, at: 0)
    }
  }

  /// An error's message, with the name that it is about where the engine quotes what ran before, and where
  /// else that may be.
  package func naming(_ message: String, _ stack: @autoclosure () -> String) -> String {
    guard let fault = NameFault(message: message), let found = name(of: fault, stack()) else {
      return message
    }
    let isNamed = fault == .iterated && found.others.isEmpty
    let named = isNamed ? found.word.map { NameFault.message(message, naming: $0) } : nil
    return NameFault.message(named ?? message, orAt: found.others)
  }

  private struct FoundName {
    /// The engine's frame, and the author's.
    let frame: StackFrame
    let told: StackFrame?
    let place: TextPlace
    /// Where else it may be.
    let others: [TextPlace]
    let word: String?
  }

  /// More places than these tell nothing.
  private static let places = 4

  private func name(of fault: NameFault, _ stack: String) -> FoundName? {
    guard let first = stack.split(separator: "\n").first.flatMap({ StackFrame(String($0)) }),
      !first.isInternal, let text = text(of: first.url), text.utf8.count <= NamedTokens.limit
    else { return nil }
    let told = authored(first)
    let behind = told.map { TextPlace.offset(line: $0.line, column: $0.column, in: text) } ?? 0
    let names = names(of: first.url, text)
    let offsets = names.offsets(of: fault, behind: behind)
    guard let offset = offsets.first, offsets.count <= Self.places else { return nil }
    return FoundName(
      frame: first, told: told, place: TextPlace(offset, in: text),
      others: offsets.dropFirst().map { TextPlace($0, in: text) }, word: names.word(at: offset))
  }

  private func names(of url: String, _ text: String) -> NamedTokens {
    if let lastLook, lastLook.url == url, lastLook.length == text.utf8.count,
      let names = lastLook.found as? NamedTokens
    {
      return names
    }
    let names = NamedTokens(text)
    lastLook = (url, text.utf8.count, names)
    return names
  }
}

// SPDX-License-Identifier: MIT

/// The frames of errors as people see them.
extension SourceRegistry {
  /// More frames than this tell nothing more.
  private static let limit = 100

  /// The author's frames of an engine's stack, in the author's files. What was put in around a line makes
  /// some of them twice: those are told once. A stack from elsewhere, as of a worker's error, has them as
  /// people see them.
  ///
  /// - Parameter makers: names of classes; their constructors, where they stand first, made the error.
  package func frames(of stack: String, makers: [String] = []) -> [StackFrame] {
    let frames = engineFrames(of: stack, makers)
    guard frames.isEmpty else { return frames }
    return Self.shownLines(of: stack).compactMap { StackFrame(shown: $0) }
  }

  private func engineFrames(of stack: String, _ makers: [String]) -> [StackFrame] {
    var frames: [StackFrame] = []
    var isMaking = !makers.isEmpty
    var inner: StackFrame?
    for line in stack.split(separator: "\n", maxSplits: 4 * Self.limit).prefix(4 * Self.limit) {
      guard frames.count < Self.limit, !line.hasPrefix(StackFrame.shownPrefix),
        let found = StackFrame(String(line)), var frame = authored(found)
      else {
        continue
      }
      defer { inner = found }
      if let inner, isEntry(found, of: inner) {
        // Of an arrow function only this one knows the name.
        if frames.last?.function.isEmpty == true { frames[frames.count - 1].function = frame.function }
        continue
      }
      isMaking = isMaking && makers.contains(frame.function)
      frame.isConstruction = isMaking
      if frame != frames.last { frames.append(frame) }
    }
    return frames
  }

  /// Whether a frame is where an async function was entered, whose body has the frame before: of one function
  /// the engine makes two. The place that it gives the outer one means nothing, and is no call's, which is a
  /// parenthesis.
  private func isEntry(_ frame: StackFrame, of body: StackFrame) -> Bool {
    guard frame.url == body.url, body.function.isEmpty || body.function == frame.function,
      body.line >= frame.line, let (source, column) = loaded(frame), let line = source.line(frame.line),
      line.firstRange(of: "async") != nil
    else { return false }
    let units = Array(line.utf16)
    return !units.indices.contains(column - 1) || units[column - 1] != UInt16(UInt8(ascii: "("))
  }

  /// Whether a line is an engine's frame in a script that ran, or in one of the runtime's own.
  package func isFrame(_ line: String) -> Bool {
    StackFrame(line).map { $0.isInternal || isLoaded($0.url) } ?? false
  }

  /// The same as lines, as `    at f (a.js:1:2)`. A stack that is no engine's, as a script may have got it
  /// from elsewhere, gives its own lines of that form.
  package func frameLines(of stack: String, makers: [String] = [], message: String = "") -> [String] {
    var frames = engineFrames(of: stack, makers)
    placeName(in: &frames, message, stack)
    if !frames.isEmpty { return frames.map { StackFrame.shownPrefix + told($0, message: message).shown } }
    return Self.shownLines(of: stack).map(String.init)
  }

  private static func shownLines(of stack: String) -> [Substring] {
    let lines = stack.split(separator: "\n", maxSplits: limit).prefix(limit)
    return lines.filter { $0.hasPrefix(StackFrame.shownPrefix) }
  }
}

extension [StackFrame] {
  /// The frame that an error came from: where it was made, and not the constructors of its classes.
  package var origin: StackFrame? { first { !$0.isConstruction } ?? first }
}

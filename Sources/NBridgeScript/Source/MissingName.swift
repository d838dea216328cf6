// SPDX-License-Identifier: MIT

/// Where a variable stands that is not there. Of one that is the last thing before a closing bracket or tag
/// the engine tells the line of what closes it.
package enum MissingName {
  private static let told = "Can't find variable: "
  /// So many lines back it is looked for.
  private static let reach = 20
  /// What a line begins with that closes something.
  private static let closers: Set<Character> = ["}", ")", "]", "<"]

  /// The place of the variable that `message` names: `frame`, unless that is in a line that closes something
  /// and has no such name, which then stands before it.
  ///
  /// - Parameter line: a line of the frame's file, counted from 1; nil for none.
  package static func place(
    _ frame: StackFrame, message: String, line: (Int) -> Substring?
  ) -> StackFrame {
    guard let name = name(in: message)?.utf16, let told = line(frame.line) else { return frame }
    guard !name.isEmpty, end(of: name, in: told) == nil,
      let first = told.first(where: { $0 != " " && $0 != "\t" }), closers.contains(first)
    else { return frame }
    for number in stride(from: frame.line - 1, through: max(1, frame.line - reach), by: -1) {
      guard let text = line(number) else { return frame }
      guard let end = end(of: name, in: text) else { continue }
      var frame = frame
      (frame.line, frame.column) = (number, end + 1)
      return frame
    }
    return frame
  }

  /// The variable that a message says is not there, before what we advise behind it; nil for other messages.
  package static func name(in message: String) -> Substring? {
    message.hasPrefix(told) ? message.dropFirst(told.count).prefix { $0 != ";" } : nil
  }

  /// Where a name ends that stands in a line as a word, the last time that it does; in UTF-16 units from 0.
  private static func end(of name: Substring.UTF16View, in line: Substring) -> Int? {
    // What a comment says is none.
    let code = line.firstRange(of: "//").map { line[..<$0.lowerBound] } ?? line
    let units = Array(code.utf16)
    for start in stride(from: units.count - name.count, through: 0, by: -1) {
      let end = start + name.count
      guard units[start..<end].elementsEqual(name) else { continue }
      let isWord =
        (start == 0 || !FaultColumn.isNamePart(units[start - 1]))
        && (end == units.count || !FaultColumn.isNamePart(units[end]))
      if isWord { return end }
    }
    return nil
  }
}

extension SourceRegistry {
  /// Gives the innermost of an error's frames the place of the variable that its message names.
  func placeMissingName(in frames: inout [StackFrame], _ message: String) {
    guard let first = frames.first else { return }
    frames[0] = MissingName.place(first, message: message) { line(first.url, $0) }
  }
}

// SPDX-License-Identifier: MIT

/// One line of an engine's stack: `function@url:line:column`.
package struct StackFrame: Equatable {
  package var function: String
  package var url: String
  package var line: Int
  package var column: Int
  /// Whether it is the constructor of the error's own class.
  package var isConstruction = false

  /// Parses a line; nil for what is none, as `[native code]`.
  package init?(_ line: String) {
    let at = line.firstIndex(of: "@")
    function = at.map { String(line[..<$0]) } ?? ""
    let place = at.map { line[line.index(after: $0)...] } ?? line[...]
    let parts = place.split(separator: ":", omittingEmptySubsequences: false)
    guard parts.count >= 3, let column = Int(parts[parts.count - 1]), let row = Int(parts[parts.count - 2])
    else {
      return nil
    }
    url = parts.dropLast(2).joined(separator: ":")
    self.line = row
    self.column = column
  }

  /// What a line begins with as people see it.
  package static let shownPrefix = "    at "

  /// Parses such a line, `    at function (url:line:column)` or one without a name; nil for what is none.
  init?(shown line: Substring) {
    guard line.hasPrefix(Self.shownPrefix) else { return nil }
    var place = line.dropFirst(Self.shownPrefix.count)
    var name: Substring = ""
    if place.last == ")", let open = place.firstRange(of: " (") {
      (name, place) = (place[..<open.lowerBound], place[open.upperBound...].dropLast())
    }
    self.init("@\(place)")
    function = String(name)
  }

  /// `url:line:column`.
  package var place: String { "\(url):\(line):\(column)" }

  /// `function (url:line:column)`; the place alone where no function has a name.
  package var shown: String {
    let isNameless = function.isEmpty || function.hasSuffix(" code")
    return isNameless ? place : "\(isConstruction ? "new " : "")\(function) (\(place))"
  }

  /// What the names of the runtime's own scripts begin with, which no report shows.
  package static let internalScheme = "nbridge:"

  /// Whether it is one of the runtime's own.
  var isInternal: Bool { url.hasPrefix(Self.internalScheme) }

  /// The frames of a stack that are the author's.
  package static func userFrames(_ stack: String) -> [StackFrame] {
    stack.split(separator: "\n").compactMap { StackFrame(String($0)) }.filter { !$0.isInternal }
  }
}

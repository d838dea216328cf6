// SPDX-License-Identifier: MIT

import Testing

@testable import NBridgeScript

/// Where a report's caret stands: `|` in each line is the engine's place, `^` the reader's.
@Suite struct FaultColumnTests {
  @Test(arguments: [
    ("  ^throw new Error|('x')", "x"), ("if (a) ^throw  new  a.b.Wrong|(1)", ""),
    ("const e = ^new Error|('x')", "x"), ("list.^sort|()", ""), ("^f|(1)", ""), ("a(^b|())", ""),
    ("^f |(1)", ""), ("  ^throw new |Error()", ""), ("a = ^new  |Map", ""), ("^rethrownew|(1)", ""),
    ("throws ^new A|()", ""), ("athrow ^new A|()", ""), ("^throw Object.assign(new Error|('x'), {})", ""),
    ("if (a) ^throw wrap( a.b(new Error|()))", ""), ("throw f(1, ^new A|())", ""), ("f(^new A|())", ""),
    ("(^new A|())", ""), ("throw (^new A|())", ""),
    ("console.log(^totla|)", "Can't find variable: totla"), ("x = ^größe|", "Can't find variable: größe"),
  ])
  func isWhereTheNameBegins(_ marked: String, _ message: String) { check(marked, message) }

  @Test(arguments: [
    ("null|.x", "null is not an object (evaluating 'null.x')"), ("a = |(1)", ""),
    ("|(1)", ""), ("f()|()", ""), ("x|)", "Can't find variable: xx"), ("|", ""),
    ("abc|", ""), ("|throw { code: 5 }", ""), ("a.|b", ""),
  ])
  func staysElsewhere(_ marked: String, _ message: String) {
    check(marked.replacing("|", with: "^|"), message)
  }

  @Test(arguments: [-1, 0, 1, 99, Int.max, Int.min])
  func aColumnThatIsNotThereStays(_ column: Int) {
    #expect(FaultColumn.start(in: "f(1)"[...], column: column, message: "") == column)
  }

  private func check(_ marked: String, _ message: String) {
    let line = marked.replacing("^", with: "").replacing("|", with: "")
    let engine = marked.replacing("^", with: "").prefix { $0 != "|" }.utf16.count + 1
    let reader = marked.replacing("|", with: "").prefix { $0 != "^" }.utf16.count + 1
    #expect(FaultColumn.start(in: line[...], column: engine, message: message) == reader, "\(marked)")
  }
}

/// A variable that is not there, as the last thing before what closes its brackets.
@Suite struct MissingNameTests {
  @Test(arguments: [
    ("a = {\n  b: 1,\n  missing\n};", 4, 3, 10), ("a = {\n  missing };", 2, 2, 12),
    ("<ul>\n {missing}\n</ul>", 3, 2, 10),
    ("missing\nmissing2\n}", 3, 1, 8), ("x\n}", 2, 2, 12), ("missing.missing;\n\n\n)", 4, 1, 16),
  ])
  func itsOwnLineIsTold(_ text: String, _ engine: Int, _ line: Int, _ column: Int) throws {
    let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
    let frame = try #require(StackFrame("f@a.js:\(engine):12"))
    let told = MissingName.place(frame, message: "Can't find variable: missing") {
      lines.indices.contains($0 - 1) ? lines[$0 - 1] : nil
    }
    #expect(told.line == line && told.column == column, "\(text): \(told)")
    #expect(MissingName.place(frame, message: "missing") { _ in "missing" } == frame)
  }
}

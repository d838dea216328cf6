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

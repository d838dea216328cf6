// SPDX-License-Identifier: MIT

import NBridge
import Testing

@testable import NBridgeCLI

/// What is entered for a page: an expression that is a promise of a list with the value.
@Suite struct PortableEntryTests {
  @Test(arguments: [
    ("1 + 1", "[ 2 ]"), ("let a = 3; a", "[ 3 ]"), ("const b = 1", "[]"), ("", "[]"), ("// nothing", "[]"),
    ("await Promise.resolve(4)", "[ 4 ]"), ("Promise.resolve(5)", "[ 5 ]"), ("({ x: 1 })", "[ { x: 1 } ]"),
    ("{ x: 1 }", "[ { x: 1 } ]"), ("let n: number = 6; n", "[ 6 ]"),
    ("function f() { return 7 } f()", "[ 7 ]"),
    ("class C {}; new C() instanceof C", "[ true ]"), ("if (true) { 8 }", "[]"), ("9 // why", "[ 9 ]"),
    ("for (const x of [1]) {}\n'end'", "[ 'end' ]"), ("undefined", "[ undefined ]"),
    ("import('node:path').then((path) => path.sep)", "[ '/' ]"),
  ])
  func anEntryIsAPromiseOfItsValue(_ entry: String, _ shown: String) async throws {
    let result = try await SessionBench.run { session in
      session.evaluate("await \(try session.portable(entry).code)")
    }
    guard case .value(let value) = result else {
      Issue.record("\(entry): \(result)")
      return
    }
    #expect(value == shown)
  }

  @Test func itsNamesAreTold() async throws {
    let entry = try await SessionBench.run {
      try $0.portable("const a = 1; let [b, { c }] = [2, { c: 3 }]; class D {} function e() {}")
    }
    #expect(Set(entry.names) == ["a", "b", "c", "D", "e"] && entry.constants == ["a"])
  }

  @Test(arguments: [
    ("1 +* 2", ": line 1"), ("a\n)", ": line 2"), ("}); hostile(); (() => {", "SyntaxError: it can't be run"),
  ])
  func whatDoesNotParseIsNotSent(_ entry: String, _ place: String) async throws {
    let problem = await #expect(throws: SessionProblem.self) {
      try await SessionBench.run { try $0.portable(entry) }
    }
    #expect(problem?.description.contains(place) == true, "\(problem?.description ?? "")")
  }
}

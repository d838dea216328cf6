// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import JSEngine

/// Values that a script threw.
@Suite struct ExceptionTests {
  private func thrown(_ context: JSContext, _ source: String) -> JSException? {
    do throws(JSException) {
      try context.evaluate(source, url: "t.js")
      return nil
    } catch { return error }
  }

  @Test(
    arguments: [
      ("throw 'text'", nil, "text", "text"), ("throw 5", nil, "5", "5"),
      ("throw undefined", nil, "undefined", "undefined"), ("throw null", nil, "null", "null"),
      ("throw Symbol('s')", nil, "a value that has no text", "a value that has no text"),
      ("throw 12n", nil, "12", "12"), ("throw ''", nil, "", ""),
      ("throw new Error('m')", "Error", "m", "Error: m"),
      ("throw new TypeError('')", "TypeError", "", "TypeError"),
      ("throw new Error('é漢🎉')", "Error", "é漢🎉", "Error: é漢🎉"),
      ("throw {}", nil, "[object Object]", "[object Object]"), ("throw { message: 'm' }", nil, "m", "m"),
      ("throw { name: 'N', message: 'm' }", "N", "m", "N: m"),
      ("throw { name: '', message: 'm' }", "", "m", "m"),
      ("throw { name: 5, message: 6 }", nil, "[object Object]", "[object Object]"),
      ("throw Object.create(null)", nil, "an object that has no text", "an object that has no text"),
      ("throw [1, 2]", nil, "1,2", "1,2"),
      (
        "throw { get message() { throw 1 }, toString() { throw 2 } }", nil, "an object that has no text",
        "an object that has no text"
      ),
      ("throw { get message() { throw 1 }, toString() { return 'shown' } }", nil, "shown", "shown"),
      ("throw 'a\\ud800'", nil, "a\u{FFFD}", "a\u{FFFD}"),
      ("throw 'a\\0b'", nil, "a\u{0}b", "a\u{0}b"), ("let 1", "SyntaxError", nil, nil),
      ("missing", "ReferenceError", "Can't find variable: missing", nil),
      ("(function f() { f() })()", "RangeError", "Maximum call stack size exceeded.", nil),
      ("throw new Proxy(new Error('p'), {})", "Error", "p", "Error: p"),
    ] as [(String, String?, String?, String?)])
  func whateverIsThrownIsCaptured(_ source: String, _ name: String?, _ message: String?, _ shown: String?)
    async throws
  {
    try await onEngineThread { context throws in
      let error = try #require(self.thrown(context, source))
      #expect(error.name == name)
      if let message { #expect(error.message == message) }
      if let shown { #expect(error.description == shown) }
      #expect(!error.isTermination)
      #expect(try js(context, "1 + 1").number == 2)
    }
  }

  @Test func placesAreTold() async throws {
    try await onEngineThread { context throws in
      let error = try #require(self.thrown(context, "\n\n  throw new Error('m')"))
      #expect(error.url == "t.js")
      #expect(error.line == 3)
      #expect(error.column.map { $0 > 2 } == true)
      #expect(error.stack.contains("t.js:3"))
      let syntax = try #require(self.thrown(context, "a;\nlet let"))
      #expect(syntax.line == 2)
      #expect(syntax.column == nil)
    }
  }

  /// Properties that are no places are none.
  @Test(arguments: ["0", "-1", "NaN", "1e10", "'x'", "{}", "undefined", "Infinity"])
  func placesThatCannotBeAreLeftOut(_ value: String) async throws {
    try await onEngineThread { context throws in
      let error = try #require(
        self.thrown(
          context, "throw { message: 'm', line: \(value), column: \(value), sourceURL: 5, stack: 7 }"))
      #expect(error.line == nil)
      #expect(error.column == nil)
      #expect(error.url == nil)
      #expect(error.stack == "")
    }
  }

  @Test func attributesAndDetailsAreKept() async throws {
    try await onEngineThread { context throws in
      let error = try #require(
        self.thrown(
          context,
          "throw Object.assign(new Error('m'), { code: 'c', action: 'a', service: 's', details: { x: [1] } })"
        ))
      #expect(
        error.attributes == [
          .init(name: "code", value: "c"), .init(name: "service", value: "s"),
          .init(name: "action", value: "a"),
        ])
      #expect(error.details == #"{"x":[1]}"#)
      let odd = try #require(
        self.thrown(context, "throw { message: 'm', code: 5, details: 'text', get service() { throw 1 } }"))
      #expect(odd.attributes.isEmpty)
      #expect(odd.details == "text")
      let circle = try #require(
        self.thrown(context, "const d = {}; d.d = d; throw { message: 'm', details: d }"))
      #expect(circle.details == nil)
    }
  }

  @Test func causesAreFollowedToAnEnd() async throws {
    try await onEngineThread { context throws in
      let chain = try #require(
        self.thrown(
          context,
          "throw new Error('0', { cause: new TypeError('1', { cause: { message: '2', cause: 'last' } }) })"))
      #expect(chain.causes == ["TypeError: 1", "2", "last"])
      let circle = try #require(self.thrown(context, "const e = new Error('e'); e.cause = e; throw e"))
      #expect(circle.causes == Array(repeating: "Error: e", count: 8))
      let odd = try #require(self.thrown(context, "throw { message: 'm', cause: Symbol() }"))
      #expect(odd.causes == ["?"])
      let failing = try #require(self.thrown(context, "throw { message: 'm', get cause() { throw 1 } }"))
      #expect(failing.causes.isEmpty)
    }
  }

  @Test func whatWasThrownIsKeptWhereSomebodyWantsIt() async throws {
    try await onEngineThread { context throws in
      _ = self.thrown(context, "throw globalThis.e = { message: 'm' }")
      #expect(context.lastThrown == nil)
      context.keepsThrown = true
      _ = self.thrown(context, "throw globalThis.e = { message: 'm' }")
      context.collectGarbage()
      #expect(context.lastThrown?.value.isSame(as: try js(context, "e")) == true)
      context.noteThrown(context.make("other"))
      #expect(context.lastThrown?.value.string == "other")
      context.keepsThrown = false
      #expect(context.lastThrown == nil)
      context.noteThrown(context.make("ignored"))
      #expect(context.lastThrown == nil)
    }
  }

  @Test func exceptionsOfOurOwnAreDescribed() {
    #expect(JSException(message: "m").description == "Error: m")
    #expect(JSException(name: nil, message: "m").description == "m")
    #expect(JSException(name: "N", message: "").description == "N")
    #expect(JSException.termination.isTermination)
    #expect(JSException(message: "m") == JSException(name: "Error", message: "m"))
    #expect(JSException(message: "m") != JSException(message: "n"))
  }

  @Test func rejectionsThatNobodyHandlesAreTold() async throws {
    try await onEngineThread { context throws in
      let note = try js(context, "globalThis.seen = []; (promise, reason) => seen.push(String(reason))")
      guard context.onUnhandledRejection(note) else { return }
      _ = try js(
        context, "Promise.reject('a'); Promise.reject('b').catch(() => {}); (async () => { throw 'c' })()")
      _ = try js(context, "1")
      #expect(try js(context, "seen.sort().join()").string == "a,c")
    }
  }
}

/// The place of a syntax error.
@Suite struct SyntaxTests {
  @Test(arguments: [
    ("let 1", 1, 5), ("a;\nlet 1", 2, 5), ("a;\r\nlet 1", 2, 5), ("a;\r\n\r\nb;\r\n  let 1", 4, 7),
    ("a;\rlet 1", 2, 5), ("a;\u{2028}let 1", 2, 5), ("'é漢🎉'; let 1", 1, 13),
    ("a;\n\n\nfoo(;", 4, 5), ("if (", 1, 5), ("x = {\n  a: 1,\n", 3, 1), ("a b", 1, 3), ("a;\nvar if", 2, 5),
    ("`\r\n`; let 1", 2, 8),
  ])
  func theColumnIsFound(_ source: String, _ line: Int, _ column: Int) async throws {
    try await onEngineThread { context throws in
      let error = try #require(context.syntaxError(in: source, url: "t.js"))
      #expect(error.line == line)
      #expect(context.syntaxErrorColumn(error, in: source) == column)
    }
  }

  @Test(arguments: [
    "", "1", "let a = 1", "async () => { await 1 }", "'é\u{0}'", "// only a comment", "#!/usr/bin/nbridge\n1",
  ])
  func whatParsesHasNoError(_ source: String) async throws {
    try await onEngineThread { context throws in #expect(context.syntaxError(in: source, url: "t.js") == nil)
    }
  }

  @Test func parsingRunsNothing() async throws {
    try await onEngineThread { context throws in
      #expect(context.syntaxError(in: "globalThis.ran = 1", url: "t.js") == nil)
      #expect(try js(context, "typeof ran").string == "undefined")
    }
  }

  @Test func errorsWithoutAPlaceHaveNoColumn() async throws {
    try await onEngineThread { context throws in
      #expect(context.syntaxErrorColumn(JSException(message: "m"), in: "let 1") == nil)
      var far = try #require(context.syntaxError(in: "let 1", url: "t.js"))
      far.line = 9
      #expect(context.syntaxErrorColumn(far, in: "let 1") == nil)
      far.line = 1
      #expect(context.syntaxErrorColumn(far, in: "") == nil)
      #expect(context.syntaxErrorColumn(far, in: String(repeating: " ", count: 1 << 20) + "let 1") == nil)
    }
  }

  @Test(arguments: [
    ("1 + 1", SyntaxProbe.Answer.complete), ("", .complete), ("if (a) {", .incomplete), ("foo(", .incomplete),
    ("[1,", .incomplete), ("a +", .incomplete), ("let 1", .wrong), (")", .wrong),
    ("`abc", .incomplete), ("/* abc", .incomplete), ("'abc", .unterminated), ("'a\u{0}b'", .complete),
    ("é = '漢'", .complete),
  ])
  func textsAreWholeOrNot(_ text: String, _ expected: SyntaxProbe.Answer) async throws {
    try await onEngineThread { _ throws in
      let probe = SyntaxProbe()
      #expect(probe.look(at: text, as: .script) == expected)
      #expect(probe.look(at: text, as: .script) == expected)
    }
  }

  @Test func modulesAreReadAsSuch() async throws {
    try await onEngineThread { _ throws in
      let probe = SyntaxProbe()
      #expect(probe.look(at: "import a from 'a'; await a; export default 1", as: .module) == .complete)
      #expect(probe.look(at: "import a from 'a'", as: .script) == .wrong)
      #expect(probe.look(at: "with (a) {}", as: .module) == .wrong)
      #expect(probe.look(at: "with (a) {}", as: .script) == .complete)
    }
  }

  /// Why `error.stack` can't be told in the author's places: it is made with the error, and no script is
  /// asked. An engine that answers otherwise makes that possible.
  @Test func theStackIsMadeWithTheError() async throws {
    try await onEngineThread { context throws in
      let text = try context.evaluate(
        """
        Error.prepareStackTrace = () => "asked";
        class Mine extends Error {}
        const told = [new Error("a"), new Mine("b")];
        try { null.x } catch (error) { told.push(error) }
        told.map((error) => {
          const found = Object.getOwnPropertyDescriptor(error, "stack");
          return typeof found.value + found.value.includes("asked");
        }).join();
        """, url: "s.js")
      #expect(text.string == "stringfalse,stringfalse,stringfalse")
    }
  }
}

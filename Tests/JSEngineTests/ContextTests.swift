// SPDX-License-Identifier: MIT

import CNBridgeJavaScriptCore
import Glibc
import Testing

@testable import JSEngine

@Suite struct ContextTests {
  @Test func anExceptionBecomesASwiftErrorWithItsPlace() async throws {
    try await onEngineThread { context in
      do throws(JSException) {
        try context.evaluate("1;\n  null.x", url: "a.js")
        Issue.record("nothing was thrown")
      } catch {
        #expect(error.name == "TypeError")
        #expect(error.line == 2)
        #expect(error.url == "a.js")
        #expect(error.stack.contains("a.js:2:"))
      }
    }
  }

  @Test func aThrownPrimitiveIsCaptured() async throws {
    try await onEngineThread { context in
      do throws(JSException) { try context.evaluate("throw 'text'", url: "a.js") } catch {
        #expect(error.name == nil)
        #expect(error.message == "text")
      }
    }
  }

  @Test func theCauseChainIsCaptured() async throws {
    try await onEngineThread { context in
      do throws(JSException) {
        try context.evaluate("throw new Error('a', {cause: new TypeError('b', {cause: 'c'})})", url: "a.js")
      } catch { #expect(error.causes == ["TypeError: b", "c"]) }
    }
  }

  @Test func aRunningScriptIsInterruptedAndTheContextStaysUsable() async throws {
    try await onEngineThread { context in
      let machine = context.machine
      machine.watchInterrupter()
      let interrupter = machine.interrupter
      var thread = pthread_t()
      pthread_create(
        &thread, nil,
        { argument in
          usleep(100_000)
          Unmanaged<JSInterrupter>.fromOpaque(argument.unsafelyUnwrapped).takeUnretainedValue().interrupt()
          return nil
        }, Unmanaged.passUnretained(interrupter).toOpaque())
      do throws(JSException) {
        try context.evaluate("try { while (true) {} } catch {} finally { globalThis.ran = 1 }", url: "a.js")
        Issue.record("it was not stopped")
      } catch { #expect(error.isTermination) }
      pthread_join(thread, nil)
      interrupter.clear()
      _ = try? context.evaluate("1", url: "a.js")
      let got1 = try context.evaluate("typeof ran + (6 * 7)", url: "a.js")
      #expect(got1.string == "undefined42")
    }
  }

  @Test(arguments: [
    "", "a", "plain ascii", "ümläut", "漢字", "🎉🎉", "a\u{0}b", String(repeating: "x", count: 63),
    String(repeating: "x", count: 64), String(repeating: "é", count: 100),
    String(repeating: "x", count: 1000) + "🎉",
  ])
  func textSurvivesTheEdge(_ text: String) async throws {
    try await onEngineThread { context in
      #expect(context.make(text).string == text)
      #expect(context.make(text)["length"].isUndefined)
      context.setGlobal("t", context.make(text))
      let got2 = try context.evaluate("t.length", url: "a.js")
      #expect(got2.number == Double(text.utf16.count))
    }
  }

  @Test func aLoneSurrogateIsToldApart() async throws {
    try await onEngineThread { context in
      let short = try context.evaluate("'a\\ud800'", url: "a.js")
      let long = try context.evaluate("'x'.repeat(100) + '\\udc00'", url: "a.js")
      #expect(!short.readUTF8 { _ in })
      #expect(!long.readUTF8 { _ in })
    }
  }

  @Test func aProxyIsSeenWithoutItsTraps() async throws {
    try await onEngineThread { context in
      let proxy = try context.evaluate(
        "new Proxy({a: 1}, {get() { throw 1 }, getPrototypeOf() { throw 2 }})", url: "a.js")
      #expect(proxy.proxyTarget?["a"].number == 1)
      let got3 = try context.evaluate("({})", url: "a.js")
      #expect(got3.proxyTarget == nil)
    }
  }

  @Test func aPromiseIsPeekedAtWithoutHandlingIt() async throws {
    try await onEngineThread { context in
      let peek = try #require(JSPromisePeek(context))
      let rejected = try context.evaluate("var p = Promise.reject(5); p.catch(() => {}); p", url: "a.js")
      #expect(peek.look(at: rejected)?.0 == .rejected)
      #expect(peek.look(at: rejected)?.1.number == 5)
      let fake = try context.evaluate("Object.create(Promise.prototype)", url: "a.js")
      #expect(peek.look(at: fake) == nil)
      let derived = try context.evaluate("new (class extends Promise {})(() => {})", url: "a.js")
      #expect(peek.look(at: derived)?.0 == .pending)
    }
  }

  @Test func anIteratorIsPeekedAtWithoutMovingIt() async throws {
    try await onEngineThread { context in
      func made(_ text: String) throws -> JSValue { try context.evaluate(text, url: "a.js") }
      func proof(_ entries: String = "map.entries()", _ over: String = "map.keys()") throws
        -> JSIteratorPeek?
      {
        _ = try made(
          """
          var map = new Map([[1, 2], [3, 4]]), set = new Set([1, 2]);
          var entries = \(entries), values = set.values(), over = \(over);
          entries.next(); values.next(); for (let i = 0; i < 3; i++) over.next();
          """)
        return JSIteratorPeek(
          .init(
            map: try made("map"), entries: try made("entries"), over: try made("over"), set: try made("set"),
            values: try made("values")))
      }
      let peek = try #require(try proof())
      let iterator = try made("var i = new Map([[1, 2], [3, 4], [5, 6]]).values(); i.next(); i.next(); i")
      let place = try #require(peek.look(at: iterator))
      #expect(place.isMap && place.part == .values && place.position == 2 && !place.isOver)
      let (left, end) = (try made("i.next().value"), try made("i.next().done"))
      #expect(left.number == 6 && end.bool)
      #expect(peek.look(at: iterator)?.isOver == true)
      for other in ["({ a: 1, b: new Map(), c: {}, d: 2 })", "new Map()", "5", "[1].values()"] {
        let value = try made(other)
        #expect(peek.look(at: value) == nil, "\(other)")
      }
      // What is not as it is said to be proves nothing.
      let lies = [
        ("map.keys()", "map.keys()"), ("set.values()", "map.keys()"), ("[1].values()", "[1].values()"),
      ]
      for (entries, over) in lies {
        let found = try proof(entries, over)
        #expect(found == nil, "\(entries)")
      }
    }
  }

  @Test func aNativeFunctionIsReleasedWithItsObject() async throws {
    try await onEngineThread { context in
      final class Probe {
        var deinited: UnsafeMutablePointer<Int>; init(_ d: UnsafeMutablePointer<Int>) { deinited = d }
        deinit { deinited.pointee += 1 }
      }
      let count = UnsafeMutablePointer<Int>.allocate(capacity: 1)
      count.initialize(to: 0)
      func make() {
        for _ in 0..<100 {
          let probe = Probe(count)
          _ = JSFunction.make(in: context) { frame throws(JSException) in
            withExtendedLifetime(probe) { frame.undefined }
          }
        }
      }
      make()
      for _ in 0..<5 { context.collectGarbage() }
      #expect(count.pointee > 90)
      count.deallocate()
    }
  }

  @Test func severalContextsShareNothingButTheHeap() async throws {
    try await onEngineThread { context in
      let other = JSContext(in: context.machine)
      try context.evaluate("globalThis.a = 1", url: "a.js")
      #expect(try other.evaluate("typeof a", url: "a.js").string == "undefined")
    }
  }

  @Test func manyEnginesComeAndGo() async throws {
    for _ in 0..<20 { try await onEngineThread { try $0.evaluate("1 + 1", url: "a.js") } }
  }

  @Test func bytesAreNotCopied() async throws {
    try await onEngineThread { context in
      let array = try context.evaluate("var b = new Uint8Array([1, 2, 3, 4]); b.subarray(1, 3)", url: "a.js")
      let memory = try #require(array.bytes)
      #expect(Array(memory) == [2, 3])
      memory[0] = 9
      let got4 = try context.evaluate("b[1]", url: "a.js")
      #expect(got4.number == 9)
    }
  }

  @Test(arguments: [
    ("''", ""), ("'abc'", "abc"), ("'x'.repeat(1000) + 'y'", String(repeating: "x", count: 1000) + "y"),
    ("'\\xe9t\\xe9'", "\u{e9}t\u{e9}"),
    ("'a'.repeat(70) + '\\xff'", String(repeating: "a", count: 70) + "\u{ff}"),
    ("'a\\u4e2d'.slice(0, 1)", "a"), ("'abcdefghijklmnopqrstuvwxyz'.slice(3, 20)", "defghijklmnopqrst"),
    ("'\\u{1F600}'.repeat(40)", String(repeating: "\u{1F600}", count: 40)), ("'\\ud800'", "\u{FFFD}"),
    ("'a\\0b'", "a\0b"),
    ("Object.keys({ key: 1 })[0]", "key"), ("'' + 1.5", "1.5"),
  ])
  func aTextOfAnyShapeComesOutWhole(_ code: String, _ text: String) async throws {
    try await onEngineThread { context in
      let value = try? context.evaluate(code, url: "a.js").string
      #expect(value == text)
    }
  }

  @Test func latin1TextsAreReadWhereTheyLie() async throws {
    // False means that the library's strings have another layout by now: everything still works, but slowly.
    try await onEngineThread { context in
      let string = JSString.make("plain")
      defer { JSStringRelease(string) }
      #expect(JSStringPeek.latin1(string).map { String(decoding: $0, as: UTF8.self) } == "plain")
    }
  }

  /// What the engine keeps back without options: stacks that hold values which are collected while they
  /// live, and are let go of in their order.
  @Test func stacksOfResourcesOutliveTheCollector() async throws {
    try await onEngineThread { context in
      try context.evaluate(
        """
        globalThis.closed = 0;
        globalThis.fill = (n) => {
          const stack = new DisposableStack();
          for (let i = 0; i < n; i++) stack.use({ i, junk: new Array(50).fill(i), [Symbol.dispose]() {
            if (this.i !== n - 1 - closed % n) throw new Error("order " + this.i);
            closed++;
          } });
          return stack.move();
        };
        globalThis.stacks = [];
        """, url: "a.js")
      for _ in 0..<20 {
        try context.evaluate("stacks.push(fill(50), new AsyncDisposableStack()); fill(10)", url: "b.js")
        context.collectGarbage()
        try context.evaluate("closed = 0; for (const s of stacks.splice(0)) s.dispose?.()", url: "c.js")
        context.collectGarbage()
        #expect(try context.evaluate("closed", url: "d.js").number == 50)
      }
      let names = "Symbol.asyncDispose.toString() + typeof SuppressedError + [...Iterator.concat([1], [2])]"
      #expect(try context.evaluate(names, url: "e.js").string == "Symbol(Symbol.asyncDispose)function1,2")
    }
  }
}

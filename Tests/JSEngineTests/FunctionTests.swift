// SPDX-License-Identifier: MIT

import Foundation
import Testing

@testable import JSEngine

/// Functions of both sides.
@Suite struct FunctionTests {
  @Test func argumentsArrive() async throws {
    try await onEngineThread { context throws in
      let function = JSFunction.make(in: context) { frame throws(JSException) in
        var parts: [String] = []
        for index in 0..<(frame.count + 1) { parts.append(frame[index].displayString ?? "?") }
        return frame.make(parts.joined(separator: "|"))
      }
      context.setGlobal("f", function)
      #expect(try js(context, "f()").string == "undefined")
      #expect(try js(context, "f(1, 'é', null)").string == "1|é|null|undefined")
      #expect(
        try js(context, "f(...Array.from({ length: 300 }, (_, i) => i))").string?.hasPrefix("0|1|2|")
          == true)
      #expect(try js(context, "typeof f").string == "function")
    }
  }

  @Test func answersOfEveryKindComeBack() async throws {
    try await onEngineThread { context throws in
      let answers: [(JSFunction.Body, String)] = [
        ({ frame throws(JSException) in frame.undefined }, "undefined"),
        ({ frame throws(JSException) in frame.null }, "null"),
        ({ frame throws(JSException) in frame.make(true) }, "true"),
        ({ frame throws(JSException) in frame.make(1.5) }, "1.5"),
        ({ frame throws(JSException) in frame.make("a\u{0}é") }, "\"a\\u0000é\""),
        ({ frame throws(JSException) in frame[0] }, "[1]"),
      ]
      for (body, expected) in answers {
        context.setGlobal("f", JSFunction.make(in: context, body))
        #expect(
          try js(context, "var v = f([1]); v === undefined ? 'undefined' : JSON.stringify(v)").string
            == expected)
        _ = try? js(context, "delete globalThis.f")
      }
    }
  }

  @Test func thrownErrorsAreErrorsThere() async throws {
    try await onEngineThread { context throws in
      context.setGlobal(
        "f",
        JSFunction.make(in: context) { _ throws(JSException) in
          throw JSException(name: "Own", message: "é\u{0}m")
        })
      #expect(
        try js(context, "try { f() } catch (e) { e instanceof Error && e.message }").string == "é\u{0}m")
      #expect(
        try js(context, "(() => { try { f() } finally { globalThis.went = 1 } }).call.name").string == "call")
      #expect(throws: JSException.self) { try js(context, "f()") }
    }
  }

  /// No script's `SyntaxError` is asked for, and the place stays.
  @Test func thrownSyntaxErrorsAreSyntaxErrorsThere() async throws {
    try await onEngineThread { context throws in
      context.setGlobal(
        "f",
        JSFunction.make(in: context) { _ throws(JSException) in
          var error = JSException(name: "SyntaxError", message: "wrong")
          (error.url, error.line, error.column) = ("a.mjs", 7, 3)
          throw error
        })
      let caught = try js(
        context,
        """
        const Real = SyntaxError; globalThis.SyntaxError = null
        try { f() } catch (e) {
          [e.constructor === Real, e.message, e.sourceURL, e.line, e.column, Object.keys(e)].join()
        }
        """)
      #expect(caught.string == "true,wrong,a.mjs,7,3,line,sourceURL")
    }
  }

  @Test func functionsOfScriptsAreCalled() async throws {
    try await onEngineThread { context throws in
      let add = try js(
        context,
        "(function (...all) { return `${all.length} ${all[0]} ${all.at(-1)}` })")
      #expect(try context.call(add).string == "0 undefined undefined")
      #expect(try context.call(add, context.make(1), context.make("é")).string == "2 1 é")
      #expect(try context.call(add, count: 120) { context.make(Double($0)) }.string == "120 0 119")
      let error = #expect(throws: JSException.self) {
        try context.call(try js(context, "() => { throw new TypeError('no') }"))
      }
      #expect(error?.name == "TypeError")
      for source in ["({})", "5", "undefined", "'f'"] {
        let none = #expect(throws: JSException.self) { try context.call(try js(context, source)) }
        #expect(none?.name == "TypeError")
        #expect(none?.message == "what was to be called is no function")
      }
    }
  }

  /// Arguments are made one by one while others are collected.
  @Test func argumentsOutliveTheCollector() async throws {
    try await onEngineThread { context throws in
      let join = try js(context, "(...all) => all.join()")
      let text = try context.call(join, count: 100) { index in
        if index % 10 == 9 { context.collectGarbage() }
        return context.make("item \(index)")
      }
      #expect(text.string == (0..<100).map { "item \($0)" }.joined(separator: ","))
    }
  }

  @Test func callsNestDeeply() async throws {
    try await onEngineThread { context throws in
      let holder = try js(context, "globalThis.down = (n) => n === 0 ? 'bottom' : native(n - 1); down")
      context.setGlobal(
        "native",
        JSFunction.make(in: context) { frame throws(JSException) in try context.call(holder, frame[0]) })
      #expect(try js(context, "down(100)").string == "bottom")
    }
  }

  @Test func microtasksHaveRunWhenAScriptIsDone() async throws {
    try await onEngineThread { context throws in
      _ = try js(
        context,
        "globalThis.log = []; Promise.resolve().then(() => log.push(1)).then(() => log.push(2)); log.push(0)")
      #expect(try js(context, "log.join()").string == "0,1,2")
      let promise = try js(context, "(async () => { await null; await null; return 'late' })()")
      let peek = try #require(JSPromisePeek(context))
      #expect(peek.look(at: promise)?.0 == .fulfilled)
      #expect(peek.look(at: promise)?.1.string == "late")
      #expect(peek.look(at: context.make(1)) == nil)
      #expect(peek.look(at: try js(context, "new Promise(() => {})"))?.0 == .pending)
      #expect(peek.look(at: try js(context, "({ then() {} })")) == nil)
    }
  }

  @Test func scriptsOfTheBinaryHaveTheirThis() async throws {
    try await onEngineThread { context throws in
      let own = context.makeObject()
      context.set(own, "x", context.make(5))
      #expect(try context.evaluate(ascii: Array("this.x + 1".utf8), url: "b.js", this: own).number == 6)
      #expect(try context.evaluate(ascii: Array("typeof this".utf8), url: "b.js").string == "object")
      #expect(try context.evaluate(ascii: [], url: "b.js").isUndefined)
      #expect(try context.evaluate("'\u{0}'.length + '漢'", url: "ünï.js").string == "1漢")
    }
  }
}

/// Values that live and values that do not.
@Suite struct GarbageTests {
  final class Counted: Sendable {
    nonisolated(unsafe) var ended = 0  // of one engine's thread
  }
  final class Probe {
    let counted: Counted
    init(_ counted: Counted) { self.counted = counted }
    deinit { counted.ended += 1 }
  }

  @Test func handlesKeepTheirValues() async throws {
    try await onEngineThread { context throws in
      let handles = try (0..<100).map { JSHandle(try js(context, "({ number: \($0) })"), in: context) }
      context.collectGarbage()
      _ = try js(context, "for (let i = 0; i < 1000; i++) ({ junk: 'x'.repeat(1000) })")
      context.collectGarbage()
      for (index, handle) in handles.enumerated() { #expect(handle.value["number"].number == Double(index)) }
    }
  }

  @Test func handlesLetGo() async throws {
    try await onEngineThread { context throws in
      _ = try js(context, "globalThis.alive = 0; globalThis.kept = []")
      func make() throws {
        var handles = try (0..<200).map { _ in
          JSHandle(
            try js(context, "(() => { const o = {}; kept.push(new WeakRef(o)); return o })()"), in: context
          )
        }
        context.collectGarbage()
        handles.removeAll()
      }
      try make()
      for _ in 0..<5 {
        context.collectGarbage()
        _ = try js(context, "1")
      }
      #expect(try js(context, "kept.filter((r) => r.deref()).length").number < 20)
    }
  }

  /// A handle may end on another thread: the value is let go of by the engine's own.
  @Test func handlesEndAnywhere() async throws {
    try await onEngineThread { context throws in
      for _ in 0..<10 {
        let handles = try (0..<100).map { _ in JSHandle(try js(context, "({})"), in: context) }
        final class Box: @unchecked Sendable {  // handed over whole, to one thread
          var handles: [JSHandle]
          init(_ handles: [JSHandle]) { self.handles = handles }
        }
        let box = Box(handles)
        let done = DispatchSemaphore(value: 0)
        DispatchQueue.global().async {
          box.handles = []
          done.signal()
        }
        done.wait()
        context.machine.drainReleases(in: context)
      }
      #expect(try js(context, "2").number == 2)
    }
  }

  @Test func functionsLiveAsLongAsTheirObjects() async throws {
    let counted = Counted()
    try await onEngineThread { context throws in
      func make(_ kept: Bool) {
        for index in 0..<50 {
          let probe = Probe(counted)
          let function = JSFunction.make(in: context) { frame throws(JSException) in
            withExtendedLifetime(probe) { frame.make(Double(index)) }
          }
          if kept { context.setGlobal("kept\(index)", function) }
        }
      }
      make(true)
      for _ in 0..<3 { context.collectGarbage() }
      #expect(counted.ended == 0)
      #expect(try js(context, "kept7()").number == 7)
    }
    // The engine is gone, and with it all that it kept.
    #expect(counted.ended == 50)
  }

  @Test func bytesLiveAsLongAsTheirArray() async throws {
    let counted = Counted()
    try await onEngineThread { context throws in
      final class Owner: Sendable {
        let counted: Counted
        // Written by this test alone.
        nonisolated(unsafe) let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 64, alignment: 8)
        init(_ counted: Counted) {
          self.counted = counted
          memory.initializeMemory(as: UInt8.self, repeating: 7)
        }
        deinit {
          counted.ended += 1
          memory.deallocate()
        }
      }
      func make() {
        let owner = Owner(counted)
        context.setGlobal(
          "bytes", context.makeBytes(over: UnsafeRawBufferPointer(owner.memory), keeping: owner))
      }
      make()
      context.collectGarbage()
      #expect(counted.ended == 0)
      #expect(try js(context, "bytes.length + bytes[63]").number == 71)
      #expect(try js(context, "bytes instanceof Uint8Array").bool)
    }
    #expect(counted.ended == 1)
  }

  @Test func cellsAreShared() async throws {
    try await onEngineThread { context throws in
      let cells = SharedCells(count: 4)
      context.setGlobal("cells", context.makeInt32Array(over: cells))
      #expect(try js(context, "cells instanceof Int32Array && cells.join()").string == "0,0,0,0")
      cells.cells[2] = -5
      #expect(try js(context, "cells[2]").number == -5)
      _ = try js(context, "cells[3] = 9; cells[0] = 2 ** 31")
      #expect(cells.cells[3] == 9)
      #expect(cells.cells[0] == .min)
    }
  }

  @Test(
    arguments: [
      ("new Uint8Array([1, 2, 3])", [1, 2, 3]), ("new Uint8Array(0)", []), ("new ArrayBuffer(2)", [0, 0]),
      ("new Uint8Array([1, 2, 3, 4]).subarray(1, 3)", [2, 3]),
      ("new Uint16Array([258]).subarray(0)", [2, 1]),
      ("new Uint16Array([1, 258, 3]).subarray(1, 2)", [2, 1]),
      ("new DataView(new Uint8Array([5, 6, 7]).buffer, 1)", [6, 7]),
      ("new Float64Array([0])", [UInt8](repeating: 0, count: 8)),
      ("new BigInt64Array([1n])", [1, 0, 0, 0, 0, 0, 0, 0]), ("new Int8Array([-1])", [255]),
    ] as [(String, [UInt8])])
  func bytesOfAnyViewAreSeen(_ source: String, _ expected: [UInt8]) async throws {
    try await onEngineThread { context throws in
      let value = try js(context, source)
      // The library decides what it shows of a DataView: it is none of the typed arrays.
      guard let bytes = value.bytes else { return #expect(source.contains("DataView")) }
      #expect(Array(bytes) == expected)
    }
  }

  @Test(arguments: [
    "5", "'text'", "({ length: 3, byteLength: 3 })", "[1, 2]", "null", "undefined",
    "Object.create(Uint8Array.prototype)", "new Proxy(new Uint8Array(2), {})",
  ])
  func whatOnlyLooksLikeBytesIsNone(_ source: String) async throws {
    try await onEngineThread { context throws in #expect(try js(context, source).bytes == nil) }
  }

  @Test func detachedBytesAreNone() async throws {
    try await onEngineThread { context throws in
      let array = try js(context, "globalThis.b = new Uint8Array([1, 2, 3]); b.buffer.transfer(); b")
      #expect(array.bytes?.count ?? 0 == 0)
    }
  }

  @Test func nothingIsBytesToo() async throws {
    try await onEngineThread { context throws in
      context.setGlobal(
        "none", context.makeBytes(over: UnsafeRawBufferPointer(start: nil, count: 0), keeping: Probe2()))
      #expect(try js(context, "none instanceof Uint8Array && none.length === 0").bool)
    }
  }

  final class Probe2: Sendable {}
}

/// Stopping from outside.
@Suite struct InterrupterTests {
  @Test func requestsAreTakenBack() {
    let interrupter = JSInterrupter()
    #expect(!interrupter.isRequested)
    interrupter.interrupt()
    #expect(interrupter.isRequested)
    #expect(!interrupter.stopsScripts)
    interrupter.clear()
    #expect(!interrupter.isRequested)
  }

  @Test func deadlinesPass() {
    let interrupter = JSInterrupter()
    #expect(!interrupter.isPastDeadline)
    interrupter.setDeadline(in: 3_600_000_000)
    #expect(!interrupter.isPastDeadline)
    interrupter.setDeadline(in: -1000)
    #expect(interrupter.isPastDeadline)
    interrupter.endDeadline()
    #expect(!interrupter.isPastDeadline)
  }

  /// Centuries are no fault.
  @Test(arguments: [Int.max, Int.max - 1, Int.max / 2])
  func deadlinesMayBeFarAway(_ microseconds: Int) {
    let interrupter = JSInterrupter()
    interrupter.setDeadline(in: microseconds)
    #expect(!interrupter.isPastDeadline)
  }

  @Test func aDeadlineEndsAScriptThatLoops() async throws {
    try await onEngineThread { context throws in
      context.machine.watchInterrupter()
      context.machine.interrupter.setDeadline(in: 1000)
      do throws(JSException) {
        try context.evaluate("for (;;) {}", url: "t.js")
        Issue.record("it was not stopped")
      } catch { #expect(error.isTermination) }
      context.machine.interrupter.endDeadline()
      context.machine.interrupter.clear()
      context.machine.unwatchInterrupter()
    }
  }

  @Test func whileAStopIsAskedForNothingIsCalled() async throws {
    try await onEngineThread { context throws in
      let function = try js(context, "() => { globalThis.ran = 1 }")
      context.machine.watchInterrupter()
      context.machine.interrupter.interrupt()
      let error = #expect(throws: JSException.self) { try context.call(function) }
      #expect(error?.isTermination == true)
      context.machine.interrupter.clear()
      context.machine.unwatchInterrupter()
      try context.call(function)
      #expect(try js(context, "ran").number == 1)
    }
  }
}

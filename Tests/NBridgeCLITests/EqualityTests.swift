// SPDX-License-Identifier: MIT

import Testing

/// What is the same and what is not, of objects that keep what they hold out of sight.
@Suite struct EqualityTests {
  private static let setUp = """
    import node from 'node:assert';
    async function* numbers(n) { yield n; }
    function* counted(n) { yield n; }
    const made = (text) => new WebAssembly.Module(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]));
    const file = (name, text) => new File([text], name, { type: 'text/plain' });
    const form = (text) => { const form = new FormData(); form.append('f', new Blob([text])); return form };
    """

  /// Two that differ.
  @Test(arguments: [
    "[new Intl.Locale('en'), new Intl.Locale('de')]",
    "[new Intl.NumberFormat('en'), new Intl.NumberFormat('en', { style: 'percent' })]",
    "[new Intl.DateTimeFormat('en'), new Intl.DateTimeFormat('en', { dateStyle: 'full' })]",
    "[new Intl.Collator('en'), new Intl.Collator('en', { numeric: true })]",
    "[new Intl.PluralRules('en'), new Intl.PluralRules('en', { type: 'ordinal' })]",
    "[new Intl.Segmenter('en'), new Intl.Segmenter('en', { granularity: 'word' })]",
    "[new Intl.Collator('en'), new Intl.Segmenter('en')]", "[{}, new Intl.Locale('en')]",
    "[made(), made()]",
    "[new WebAssembly.Global({ value: 'i32' }, 1), new WebAssembly.Global({ value: 'i32' }, 2)]",
    "[new WebAssembly.Memory({ initial: 1 }), new WebAssembly.Memory({ initial: 2 })]",
    "[1, 2].map((n) => new WebAssembly.Table({ initial: n, element: 'anyfunc' }))",
    "[numbers(1), numbers(2)]", "[1, 2].map(() => new FinalizationRegistry(() => {}))",
    "[new DisposableStack(), new DisposableStack()]", "[1, 2].map(() => new AsyncDisposableStack())",
    "[1, 2].map((n) => Object.setPrototypeOf(new WebAssembly.Memory({ initial: n }), null))",
    "[new URLPattern({ pathname: '/a' }), new URLPattern({ pathname: '/b' })]",
    "[new URLPattern({ pathname: '/a' }), new URLPattern({ pathname: '/a' }, { ignoreCase: true })]",
    "[new CloseEvent('close', { code: 1 }), new CloseEvent('close', { code: 2 })]",
    "[new Request('http://a/'), new Request('http://a/', { method: 'PUT' })]",
    "[new Request('http://a/'), new Request('http://a/', { headers: { a: '1' } })]",
    "[1, 2].map(() => new Request('http://a/', { method: 'POST', body: 'a' }))",
    "[new Response(null), new Response(null, { status: 204 })]", "[new Response(null), new Response('')]",
    "[new Response('a'), new Response('a')]", "[new Blob(['a']), new Blob(['b'])]",
    "[new Blob(['a']), new Blob(['a'], { type: 'a/b' })]", "[file('a', 'x'), file('b', 'x')]",
    "[file('a', 'x'), file('a', 'y')]", "[file('a', 'x'), new Blob(['x'], { type: 'text/plain' })]",
    "[form('a'), form('b')]", "[new FileReader(), new FileReader()]",
    "[1, 2].map((highWaterMark) => new CountQueuingStrategy({ highWaterMark }))",
    "[1, 2].map((highWaterMark) => new ByteLengthQueuingStrategy({ highWaterMark }))",
    "[new Headers({ a: '1' }), new Headers({ a: '2' })]",
  ])
  func whatDiffersIsNotTheSame(_ pair: String) throws {
    let result = try CommandRunner.run([
      "a.test.mjs": """
      \(Self.setUp)
      test('a', () => {
        const [a, b] = \(pair);
        expect(a).not.toEqual(b); expect([a]).not.toStrictEqual([b]); assert.notDeepEqual(a, b);
        node.notDeepStrictEqual({ a }, { a: b }); expect({ x: a }).not.toMatchObject({ x: b });
        expect(a).toEqual(a); expect([a]).toStrictEqual([a]); node.deepStrictEqual([a], [a]);
      });
      """
    ])
    #expect(result.status == 0 && result.output.contains("1 passed"), "\(result)")
  }

  /// What makes one of two that are the same.
  @Test(arguments: [
    "new Intl.Locale('en')", "new Intl.NumberFormat('de', { style: 'percent' })",
    "new Intl.DateTimeFormat('en')", "new Intl.Collator('en')", "new Intl.PluralRules('en')",
    "new Intl.Segmenter('en')", "new URLPattern({ pathname: '/a/:b' })",
    "new CloseEvent('close', { code: 1, reason: 'a' })", "new Request('http://a/', { headers: { a: '1' } })",
    "new Response(null)", "new Response(null, { status: 204, headers: { a: '1' } })", "new Blob(['a', 'b'])",
    "file('a', 'x')", "form('a')", "new CountQueuingStrategy({ highWaterMark: 1 })",
    "new ByteLengthQueuingStrategy({ highWaterMark: 1 })", "new Headers({ a: '1' })",
    "new Proxy({ a: 1 }, {})", "(function () { return arguments })(1, 2)", "Object('text')",
  ])
  func whatHoldsTheSameIsTheSame(_ value: String) throws {
    let result = try CommandRunner.run([
      "a.test.mjs": """
      \(Self.setUp)
      test('a', () => {
        const [a, b] = [0, 1].map(() => \(value));
        expect(a).toEqual(b); expect([a]).toStrictEqual([b]); assert.deepEqual(a, b);
        node.deepStrictEqual([a], [b]);
      });
      """
    ])
    #expect(result.status == 0 && result.output.contains("1 passed"), "\(result)")
  }

  /// Two that look the same in a report.
  @Test(arguments: [
    ("new Response('a')", "Response", "await x.text()"), ("Promise.resolve(1)", "Promise", "await x"),
    ("new FileReader()", "FileReader", "its result"), ("numbers(1)", "AsyncGenerator", "Array.fromAsync(x)"),
    ("new DisposableStack()", "DisposableStack", "what can be read of them"),
  ])
  func whatCannotBeLookedIntoIsTold(_ value: String, _ kind: String, _ instead: String) throws {
    let calls = ["expect(a).toEqual(b)", "expect([a]).toStrictEqual([b])", "assert.deepEqual([a], [b])"]
    for call in calls {
      let result = try CommandRunner.run([
        "a.test.mjs": "\(Self.setUp) test('a', () => { const [a, b] = [\(value), \(value)]; \(call) })"
      ])
      let says = "two of the kind \(kind) are the same only if they are one"
      #expect(result.output.contains(says) && result.output.contains(instead), "\(call): \(result)")
    }
  }

  @Test(arguments: [
    "[[1].values(), [2].values()]", "[new Map([[1, 2]]).entries(), new Map([[1, 3]]).entries()]",
    "[new Set([1]).values(), new Set([2]).values()]", "['a', 'b'].map((text) => text[Symbol.iterator]())",
    "[/a/g, /b/g].map((pattern) => 'ab'.matchAll(pattern))",
    "[1, 2].map((n) => [n].values().map((n) => n))", "[1, 2].map((n) => counted(n))",
    "[1, 2].map((n) => new URLSearchParams({ n }).entries())",
    "['1', '2'].map((a) => new Headers({ a }).entries())", "['a', 'b'].map((text) => form(text).values())",
    "['ab', 'bc'].map((text) => new Intl.Segmenter('en').segment(text))",
  ])
  func iteratorsOfOtherThingsAreNotTheSame(_ pair: String) throws {
    let result = try CommandRunner.run([
      "a.test.mjs": """
      \(Self.setUp)
      test('a', () => {
        const [a, b] = \(pair);
        assert.notDeepEqual(a, b); node.notDeepStrictEqual({ a }, { a: b }); node.notDeepEqual(a, b);
        expect(a).not.toEqual(b);
      });
      """
    ])
    #expect(result.status == 0 && result.output.contains("1 passed"), "\(result)")
  }

  /// Of an iterator `assert` knows nothing, since it does not go through it; `expect` does.
  @Test(arguments: [
    "[1].values()", "new Map([[1, 2]]).entries()", "'a'.matchAll(/a/g)", "[1].values().map((n) => n)",
    "counted(1)", "new URLSearchParams('a=1').entries()", "new Headers({ a: '1' }).keys()",
    "new Intl.Segmenter('en').segment('ab')",
  ])
  func iteratorsAreTheSameIfTheyAreOne(_ value: String) throws {
    let result = try CommandRunner.run([
      "a.test.mjs": """
      \(Self.setUp)
      test('a', () => {
        const [a, b, c, d] = [0, 1, 2, 3].map(() => \(value));
        assert.notDeepEqual(a, b); node.notDeepStrictEqual(a, b); node.notDeepEqual([a], [b]);
        assert.deepEqual(a, a); node.deepStrictEqual([a], [a]);
        assert.throws(() => assert.deepEqual(a, b), /are the same only if they are one.*\\[\\.\\.\\.x\\]/s);
        expect(a).toEqual(b); expect([c]).toStrictEqual([d]);
      });
      """
    ])
    #expect(result.status == 0 && result.output.contains("1 passed"), "\(result)")
  }

  /// A copy of a Blob's bytes is compared: no code that it comes upon may change the Blob.
  @Test func noScriptGetsHoldOfABlobsBytes() throws {
    let result = try CommandRunner.run([
      "a.test.mjs": """
      const spoil = { get() { if (this instanceof Uint8Array) this.fill(0) }, configurable: true };
      test('a', async () => {
        const [a, b] = [new Blob(['a']), new Blob(['a'])];
        Object.defineProperty(Uint8Array.prototype, 'asymmetricMatch', spoil);
        try { expect(a).toEqual(b) } catch {}
        delete Uint8Array.prototype.asymmetricMatch;
        expect(await a.text() + await b.text()).toBe('aa');
      });
      """
    ])
    #expect(result.status == 0, "\(result)")
  }
}

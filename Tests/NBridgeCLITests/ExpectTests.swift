// SPDX-License-Identifier: MIT

import Testing

/// What `expect` and `assert` take and refuse, by Jest's and Node's measure. What must fail is in
/// `Clients/testing/lies`.
@Suite struct ExpectTests {
  @Test(arguments: [
    "expect({ a: { b: 1 }, c: 2 }).toEqual(expect.objectContaining({ a: { b: 1 } }))",
    "expect({ a: { b: 1, c: 2 } }).not.toEqual(expect.objectContaining({ a: { b: 1 } }))",
    "expect({ a: 1 }).toEqual(expect.not.objectContaining({ a: 2 }))",
    "expect([1, 2]).toEqual(expect.not.arrayContaining([3]))",
    "expect('abc').toEqual(expect.not.stringContaining('x'))",
    "expect('abc').toEqual(expect.not.stringMatching(/x/))",
    "expect('abc').toEqual(expect.stringMatching('a.c'))",
    "expect([1, 2]).toEqual(expect.arrayOf(expect.any(Number)))",
    "expect([1, '2']).toEqual(expect.not.arrayOf(expect.any(Number)))",
    "expect(expect.any(Number).asymmetricMatch(3)).toBe(true)",
    "expect(expect.not.stringContaining('a').asymmetricMatch('a')).toBe(false)",
    "expect({ a: 4 }).toEqual({ a: { asymmetricMatch: (n) => n % 2 === 0 } })",
    "expect({ a: 3 }).not.toEqual({ a: { asymmetricMatch: (n) => n % 2 === 0 } })",
    "expect({ a: 3 }).toMatchObject({ a: { asymmetricMatch: (n) => n % 2 === 1 } })",
    "expect({ e: new Error('a') }).toMatchObject({ e: new Error('a') })",
    "expect({ l: [{ a: 1, b: 2 }] }).toMatchObject({ l: [{ a: 1 }] })",
    """
    const { default: node } = await import('node:assert');
    const pairs = [
      [new Response('a'), new Response('a')], [new Request('http://a/'), new Request('http://b/')],
      [new ReadableStream(), new ReadableStream()],
      [new CompressionStream('gzip'), new CompressionStream('deflate')],
      [new CountQueuingStrategy({ highWaterMark: 1 }), new CountQueuingStrategy({ highWaterMark: 2 })],
      [new URLPattern({ hash: 'a' }), new URLPattern({ hash: 'b' })],
      [new MessageChannel().port1, new MessageChannel().port1],
      [new CloseEvent('a', { code: 1 }), new CloseEvent('a', { code: 2 })],
      [new ProgressEvent('a', { loaded: 1 }), new ProgressEvent('a', { loaded: 2 })],
    ];
    for (const [a, b] of pairs) {
      expect(a).not.toEqual(b); expect(a).toEqual(a); expect([a]).not.toStrictEqual([b]);
      assert.notDeepEqual(a, b); assert.deepEqual(a, a);
      node.notDeepStrictEqual(a, b); node.deepStrictEqual(a, a);
    }
    assert.notDeepEqual(new Headers({ a: '1' }), new Headers({ a: '2' }));
    assert.deepEqual(new Headers({ a: '1' }), new Headers({ A: '1' }));
    expect(new Headers({ a: '1' })).not.toEqual({}); expect({}).not.toEqual(new Headers({ a: '1' }));
    expect({ r: new Response('a') }).not.toMatchObject({ r: new Response('a') });
    expect(new EventTarget()).not.toEqual(new Response('x'));
    node.notDeepStrictEqual(new SuppressedError(1, 2), new SuppressedError(3, 4));
    class Emitter extends EventTarget { a = 1 } assert.deepEqual(new Emitter(), new Emitter());
    expect(new CustomEvent('a', { detail: 1 })).toEqual(new CustomEvent('a', { detail: 1 }));
    """,
    "expect.assertions(1); expect(1).toBe(1)", "expect.hasAssertions(); expect(1).toBe(1)",
    "await expect(Promise.resolve(1)).resolves.not.toThrow()",
    "await expect(Promise.resolve(new Error('a'))).resolves.toThrow('a')",
    "await expect(Promise.reject(new Error('a'))).rejects.toThrow('a')",
    "expect(new Set([1])).toContain(1); expect(() => {}).toHaveLength(0)",
    "expect(() => { throw new TypeError('a') }).toThrow(new Error('a'))",
    "expect(() => { throw new Error('a', { cause: new Error('b') }) }).not.toThrow(new Error('a'))",
    "assert.throws(() => { throw new Error('abc') }, { message: /b/ })",
    "expect(() => { throw 1 }).not.toThrow(class A {}); expect(() => { throw 1 }).toThrow((e) => e === 1)",
    "expect(() => assert.throws(() => { throw new TypeError('a') }, new Error('a'))).toThrow()",
    """
    const f = mock.fn((a) => { if (a) throw a; return 7 });
    f(); expect(() => f(1)).toThrow(); f();
    expect(f).toHaveReturnedTimes(2); expect(f).toHaveLastReturnedWith(7);
    expect(f).toHaveNthReturnedWith(3, 7); expect(f).not.toHaveNthReturnedWith(2, 7)
    """,
    """
    expect.extend({ toBeEven(v) { return { pass: v % 2 === 0, message: () => `own ${this.isNot}` } } });
    expect(2).toBeEven(); expect(3).not.toBeEven(); expect({ a: 2 }).toEqual({ a: expect.toBeEven() });
    expect(() => expect(2).not.toBeEven()).toThrow('own true')
    """,
    """
    expect.extend({ async toBeStored(v) {
      await new Promise((done) => setTimeout(done));
      return { pass: v === 1, message: () => `stored ${this.isNot} ${this.promise}` };
    } });
    await expect(1).toBeStored(); await expect(2).not.toBeStored();
    await expect(Promise.resolve(1)).resolves.toBeStored();
    await expect(Promise.reject(2)).rejects.not.toBeStored();
    await assert.rejects(expect(2).toBeStored(), { message: 'stored false ' });
    await assert.rejects(expect(1).not.toBeStored(), { message: 'stored true ' });
    const two = expect(Promise.resolve(2)).resolves.toBeStored();
    await assert.rejects(two, { message: 'stored false resolves' });
    const equal = () => expect({ a: 1 }).toEqual({ a: expect.toBeStored() });
    expect(equal).toThrow('its matcher answers a promise');
    """,
  ])
  func passes(_ line: String) throws {
    let result = try run("test('a', async () => { \(line) })")
    #expect(result.status == 0, "\(result)")
  }

  /// One that is not awaited checks nothing.
  @Test(arguments: ["expect(1).toBeStored()", "expect(1).not.toBeStored()"])
  func aMatcherWithAPromiseIsAwaitedOrFails(_ line: String) throws {
    let matcher = "expect.extend({ toBeStored: async (v) => ({ pass: v === 1 }) })"
    let result = try run("\(matcher); test('a', () => { \(line) })")
    #expect(result.status == 1 && result.output.contains("toBeStored(...) was not awaited"), "\(result)")
    let awaited = try run("\(matcher); test('a', async () => { await \(line) })")
    #expect(awaited.status == (line.contains("not") ? 1 : 0), "\(awaited)")
    let answer = try run(
      "expect.extend({ toBe2: async () => true }); test('a', async () => { await expect(1).toBe2() })")
    #expect(answer.output.contains("the matcher 'toBe2' must answer { pass, message }"), "\(answer)")
  }

  /// A text that is the message itself is one in the wrong place.
  @Test(arguments: [
    "assert.throws(() => { throw new Error('abc') }, 'abc')", "assert.throws(() => { throw 'abc' }, 'abc')",
    "await assert.rejects(Promise.reject(new Error('abc')), 'abc')",
    "await assert.rejects(async () => { throw 'abc' }, 'abc')",
  ])
  func aTextThatIsTheMessageIsAmbiguous(_ line: String) throws {
    for imports in ["", "import assert from 'node:assert'; "] {
      let result = try run("\(imports)test('a', async () => { \(line) })")
      #expect(result.status == 1 && result.output.contains("[ERR_AMBIGUOUS_ARGUMENT]"), "\(result)")
    }
  }

  @Test(arguments: [
    ("expect.assertions(2); expect(1).toBe(1)", "expect.assertions(2): 1 was made"),
    ("expect.assertions(0); expect(1).toBe(1)", "expect.assertions(0): 1 was made"),
    ("expect.hasAssertions()", "expect.hasAssertions(): none was made"),
  ])
  func whatATestDoesNotAssertIsTold(_ line: String, _ says: String) throws {
    let result = try run("test('a', () => { \(line) }); test('b', () => {})")
    #expect(result.status == 1 && result.output.contains(says), "\(result)")
    #expect(result.output.contains("\n1 passed, 1 failed\n"), "\(result)")
  }

  private func run(_ script: String) throws -> CommandRunner.Result {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(["a.test.js": script])
    return try runner.shell("nbridge test")
  }
}

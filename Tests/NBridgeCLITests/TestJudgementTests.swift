// SPDX-License-Identifier: MIT

import Testing

/// What assertions make of values, whatever a file of tests has done to the language, and how soon.
@Suite struct TestJudgementTests {
  static let replaced = [
    "Array.prototype.every = () => true; Array.prototype.some = () => true",
    "Object.keys = () => []; Object.getOwnPropertyNames = () => []; Object.getOwnPropertySymbols = () => []",
    "Array.prototype[Symbol.iterator] = function* () {}",
    "Set.prototype.delete = Set.prototype.has = () => true",
    "Map.prototype.get = Map.prototype.has = () => true; Map.prototype.delete = () => true",
    "Object.getPrototypeOf = () => null; Object.is = () => true; Number.isNaN = () => true",
    "RegExp.prototype.test = () => true",
    // A search for all of them would have no end.
    "RegExp.prototype.exec = function () { return this.global ? null : [''] }",
    "RegExp.prototype[Symbol.search] = () => 0; String.prototype.search = () => 0",
    "Object.prototype.propertyIsEnumerable = () => false; Object.hasOwn = () => false",
    "Object.defineProperty(RegExp, Symbol.hasInstance, { value: () => false })",
    "Object.defineProperty(Error, Symbol.hasInstance, { value: () => false })",
    "Math.abs = () => 0; String.prototype.split = () => []; Array.prototype[0] = 1; Array.prototype[1] = 1",
    "Array.prototype.push = () => 0; Array.prototype.filter = () => []; Array.prototype.map = () => []",
    "Array.isArray = () => false; ArrayBuffer.isView = () => false; globalThis.Uint8Array = Array",
    "Object.defineProperty(URL.prototype, 'href', { get: () => '' })",
  ]

  private static let lies = [
    "node.deepStrictEqual({ a: 1 }, { a: 2 })", "node.deepEqual({ a: [1] }, { a: [2] })",
    "node.deepStrictEqual(sets[0], sets[1])", "node.deepStrictEqual(sets[2], sets[3])",
    "node.deepStrictEqual(maps[0], maps[1])", "node.deepStrictEqual([1], [2])",
    "node.deepStrictEqual({ [Symbol.for('a')]: 1 }, { [Symbol.for('a')]: 2 })", "node.equal(1, 2)",
    "node.deepStrictEqual(bytes[0], bytes[1])", "node.strictEqual(1, 2)",
    "node.deepStrictEqual(/a/g, /a/i)", "node.deepStrictEqual(new Date(1), new Date(2))",
    "node.deepStrictEqual(new Error('a'), new Error('b'))", "node.deepStrictEqual(1, 2)",
    "node.deepStrictEqual(new URL('a:1'), new URL('a:2'))", "node.deepStrictEqual(Object(1), Object(2))",
    "node.match('a', /b/)", "node.doesNotMatch('a', /a/)", "node.ok()", "node(0)",
    "node.strict.equal(1, '1')",
    "node.throws(() => { throw new Error('a') }, /b/)", "node.throws(() => {}, /b/)",
    "node.throws(() => { throw new Error('a') }, { message: 'b' })", "node.throws(() => {})",
    "node.throws(() => { throw new Error('a') }, new TypeError('a'))", "node.notDeepEqual([1], [1])",
    "node.throws(() => { throw new Error('a') }, TypeError)", "await node.rejects(Promise.reject(1), /b/)",
    "await node.rejects(Promise.resolve())", "node.doesNotThrow(() => { throw 1 })",
    "assert.match('a', /b/)", "assert.throws(() => { throw new Error('a') }, /b/)",
    "expect('a').toMatch(/b/)", "expect(1).toBeCloseTo(2)", "expect({ a: 1 }).toHaveProperty('b.c')",
    "expect({ a: 'x' }).toEqual({ a: expect.stringMatching(/b/) })", "assert.deepEqual({ a: 1 }, { a: 2 })",
  ]

  @Test(arguments: replaced) func aFileDoesNotJudgeItself(_ change: String) throws {
    let tests = Self.lies.enumerated().map { "test('lie \($0)', async () => { change(); \($1) });" }
    let result = try CommandRunner.run([
      "a.test.mjs": """
      import node from 'node:assert';
      const sets = [new Set([1]), new Set([2]), new Set([{}]), new Set([[]])];
      const maps = [new Map([[1, 2]]), new Map([[1, 3]])], bytes = [new Uint8Array([1]), new Uint8Array([2])];
      const change = () => { \(change) };
      \(tests.joined(separator: "\n"))
      """
    ])
    #expect(result.status == 1, "\(result)")
    let count = "\n0 passed, \(Self.lies.count) failed\n"
    #expect(result.output.contains(count), "\(result.output.suffix(3000))")
  }

  /// A name that is misspelt is undefined, and nothing is to be the same as that by chance.
  @Test(arguments: [
    ("assert.match('abc')", "ERR_INVALID_ARG_TYPE"),
    ("t.assert.match('abc', undefined)", "ERR_INVALID_ARG_TYPE"),
    ("assert.doesNotMatch('abc', null)", "ERR_INVALID_ARG_TYPE"), ("assert.equal()", "ERR_MISSING_ARGS"),
    ("assert.equal({}.prot)", "ERR_MISSING_ARGS"), ("assert.notEqual(80)", "ERR_MISSING_ARGS"),
    ("assert.deepEqual(undefined)", "ERR_MISSING_ARGS"), ("t.assert.notDeepEqual(1)", "ERR_MISSING_ARGS"),
    ("assert.strictEqual()", "ERR_MISSING_ARGS"), ("assert.partialDeepStrictEqual()", "ERR_MISSING_ARGS"),
  ])
  func anArgumentThatIsLeftOutFails(_ call: String, _ code: String) throws {
    let result = try CommandRunner.run([
      "a.test.mjs": "test('a', (t) => { \(call) }); test('b', () => { assert.equal(undefined, undefined) })"
    ])
    #expect(result.status == 1 && result.output.contains("[\(code)]"), "\(result)")
    #expect(result.output.hasSuffix("1 passed, 1 failed\n"), "\(result)")
  }

  /// A promise would count as yes, whatever it settles to.
  @Test(arguments: ["toEqual", "toStrictEqual", "toMatchObject", "not.toEqual"])
  func anAnswerThatIsAPromiseIsNone(_ matcher: String) throws {
    let result = try CommandRunner.run([
      "a.test.mjs": """
      test('a', () => expect({ a: 1 }).\(matcher)({ a: { asymmetricMatch: async () => false } }));
      """
    ])
    #expect(result.status == 1 && result.output.contains("asymmetricMatch answered a promise"), "\(result)")
  }

  @Test func whatIsTheSameStaysTheSame() throws {
    let result = try CommandRunner.run([
      "a.test.mjs": """
      import node from 'node:assert';
      const all = () => [{ a: [1, { b: NaN }] }, new Map([[{ k: 1 }, new Set([[1]])]]), /a/g, new Date(5),
        new Error('x', { cause: 1 }), new Uint8Array([1]), new DataView(new ArrayBuffer(2)), Object('s'),
        new URL('a:1'), Object.create(null), new (class A { x = 1 })(), [, 1], new ArrayBuffer(3), 5n, -0];
      class A { x = 1 }
      test('node', () => {
        const [one, two] = [all(), all()];
        one[10] = new A(); two[10] = new A();
        node.deepStrictEqual(one, two); node.deepEqual(one, two); assert.deepEqual(one, two);
        expect(one).toEqual(two);
        node.match('abc', /b/); assert.match('abc', /b/y) ?? 0;
      });
      test('no brand is a prototype', () => {
        const plain = () => Object.setPrototypeOf(new Map([[1, 2]]), Object.prototype);
        const other = Object.setPrototypeOf(new Map([[1, 3]]), Object.prototype);
        node.notDeepStrictEqual(plain(), other); assert.notDeepEqual(plain(), other);
        node.deepStrictEqual(plain(), plain()); assert.deepEqual(plain(), plain());
        node.notDeepStrictEqual(plain(), {}); assert.notDeepEqual(plain(), {});
      });
      """.replacing("assert.match('abc', /b/y) ?? 0;", with: "assert.match('abc', /b/g);")
    ])
    #expect(result.status == 0, "\(result)")
  }

  /// As quick as node:assert is, which a limit of time can't tell for sure: the time it takes for both.
  @Test func manyObjectsAreComparedAsQuicklyAsByNodesAssertions() throws {
    let result = try CommandRunner.run([
      "a.test.mjs": """
      import node from 'node:assert';
      const row = (_, id) => ({ id, name: `n${id}`, tags: ['a'], in: { x: 1 } });
      const rows = () => Array.from({ length: 2000 }, row);
      const set = (k) => new Set(Array.from({ length: 300 }, (_, i) => ({ i: (i * k) % 300 })));
      const time = (body) => { const start = performance.now(); body(); return performance.now() - start };
      test('rows', () => {
        const [one, other] = [rows(), rows()];
        const quick = time(() => node.deepStrictEqual(one, other));
        const own = [() => expect(one).toEqual(other), () => assert.deepEqual(one, other)].map(time);
        for (const spent of own) if (spent > 10 * quick + 100) throw new Error(`${spent} ms, not ${quick}`);
      });
      test('a set in another order', () => { expect(set(1)).toEqual(set(7)) });
      """
    ])
    #expect(result.status == 0, "\(result)")
  }
}

// SPDX-License-Identifier: MIT

import Testing

/// The declarations that `nbridge types` prints, read by TypeScript's own compiler.
@Suite struct TypesTests {
  @Test func strictProgramsCompile() throws {
    #expect(try Self.problems(of: Self.program).isEmpty)
  }

  /// What newer libraries declare is theirs: ours gives way.
  @Test func newerLibrariesGoBeforeOurDeclarations() throws {
    #expect(try Self.problems(of: Self.program, beside: Self.newer).isEmpty)
    let mistake = "const n: number = new URLPattern({}).exec({});\nexport {};\n"
    #expect(try Self.problems(of: mistake, beside: Self.newer).contains("'URLPatternResult | null'"))
  }

  @Test func filesOfTestsCompile() throws {
    #expect(try Self.problems(of: Self.tests).isEmpty)
  }

  /// Else everything might be `any`, and the two above would prove nothing.
  @Test func mistakesAreFound() throws {
    let mistakes = [
      ("await nbridge.app.appInfo().name", "Property 'name' does not exist"),
      ("nbridge.nobody", "Property 'nobody' does not exist"),
      ("const n: number = import.meta.url", "not assignable to type 'number'"),
      ("nbridge.logger.child({}).flush()", "Property 'flush' does not exist"),
      ("expect(1).toBeLong()", "Property 'toBeLong' does not exist"),
      ("test(1, () => {})", "not assignable to parameter of type 'string'"),
      ("mock.timers.tick('a')", "not assignable to parameter of type 'number'"),
      ("URL.canParse(5)", "not assignable to parameter of type 'string | URL'"),
      ("class Own {}; Own.canParse('a:b')", "The 'this' context of type 'typeof Own' is not assignable"),
    ]
    let found = try Self.problems(of: mistakes.map { $0.0 }.joined(separator: "\n") + "\nexport {};\n")
    let lines = found.split(separator: "\n")
    for (index, (line, problem)) in mistakes.enumerated() {
      let isFound = lines.contains { $0.hasPrefix("program.ts(\(index + 1),") && $0.contains(problem) }
      #expect(isFound, "\(line): \(found)")
    }
  }

  /// What the runner gives a file, asked of the runner itself.
  @Test func everythingThatATestCanCallIsDeclared() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([
      "names.test.js": """
      test('names', (t) => {
        const parts = [expect(1), expect, assert, mock, mock.timers, mock.fn().mock];
        const own = parts.flatMap((part) => Object.keys(part));
        const members = Object.getOwnPropertyNames(Object.getPrototypeOf(t));
        throw new Error(`names: ${[...own, ...members].join(' ')}`);
      });
      """
    ])
    let output = try runner.shell("nbridge test names.test.js").output
    let line = output.split(separator: "\n").first { $0.contains("names: ") }
    let names = (line ?? "").split(separator: " ").drop { $0 != "names:" }.dropFirst()
    #expect(names.contains("toHaveBeenCalledWith") && names.contains("rejects"), "\(output)")
    let types = try runner.shell("nbridge types").output
    let declared = Set(types.split { !$0.isLetter }.map(String.init))
    #expect(names.filter { $0 != "constructor" && !declared.contains(String($0)) } == [])
  }

  private static let program = """
    const name: string = (await nbridge.app.appInfo()).name;
    const child = nbridge.logger.child({ name });
    child.info("started", { main: import.meta.main, at: import.meta.dirname });
    nbridge.logger.warning("late", new Error("x"));
    for await (const entry of nbridge.documents.list()) console.log(entry.path);
    const session = await nbridge.peers.create({ serviceType: "chess" });
    await session[Symbol.asyncDispose]();
    try { await nbridge.app.openURL("x:"); } catch (error) {
      const failure = error as NBridgeErrorOf<"app.openURL">;
      console.log(failure.code === "permission_denied");
    }
    if (name === "" || URL.canParse("./a", import.meta.url)) exit(1);
    const place: string | undefined = URL.parse("a:b")?.href;
    const ends: boolean = AbortSignal.any([AbortSignal.timeout(5)]).aborted;
    console.log(place, ends);
    for await (const piece of Response.json({ a: 1 }).body!) piece.length.toFixed();
    for await (const n of ReadableStream.from([1, 2])) n.toFixed();
    const cookies: string[] = new Headers().getSetCookie();
    const bytes: Uint8Array = await new Blob([]).bytes();
    const { promise, resolve } = Promise.withResolvers<number>();
    resolve(cookies.toSorted().findLast((text) => text !== "")?.length ?? bytes.length);
    const numbers = [await promise, ...await Array.fromAsync([1])];
    const groups: { odd?: number[] } = Object.groupBy(numbers, () => "odd");
    const packed = new Blob(["x"]).stream().pipeThrough(new CompressionStream("gzip"));
    const piece: ReadableStream = packed.pipeThrough(new DecompressionStream("gzip"));
    const route = new URLPattern({ pathname: "/a/:id" });
    const id: string | undefined = route.exec({ pathname: "/a/5" })?.pathname.groups.id;
    console.log(piece, id, new URLPattern("/x", "http://h", { ignoreCase: true }).test("http://h/X"));
    console.log(new Set(groups.odd).union(new Set(["x"])).size, Map.groupBy([1], String).size);
    export {};

    """

  /// As TypeScript's libraries have it since 5.1 and 6.0.
  private static let newer = """
    interface Scheduler { yield(): Promise<void> }
    declare var scheduler: Scheduler;
    interface ReportingObserver {}
    declare var ReportingObserver: { prototype: ReportingObserver };
    interface CompressionStream extends GenericTransformStream {
      readonly readable: ReadableStream<Uint8Array>; readonly writable: WritableStream<BufferSource>;
    }
    declare var CompressionStream: { prototype: CompressionStream; new(format: "gzip"): CompressionStream };
    interface DecompressionStream extends GenericTransformStream {}
    declare var DecompressionStream: { new(format: "gzip"): DecompressionStream };
    interface URLPatternInit { baseURL?: string; pathname?: string }
    type URLPatternInput = string | URLPatternInit;
    interface URLPatternResult { pathname: { groups: Record<string, string | undefined> } }
    interface URLPattern {
      readonly hash: string;
      exec(input?: URLPatternInput, base?: string): URLPatternResult | null;
      test(input?: URLPatternInput, base?: string | URL): boolean;
    }
    declare var URLPattern: {
      prototype: URLPattern;
      new(input: URLPatternInput, base: string | URL, options?: { ignoreCase?: boolean }): URLPattern;
      new(input?: URLPatternInput): URLPattern;
    };

    """

  private static let tests = """
    describe("a basket", () => {
      beforeEach(() => {});
      afterAll(async () => {});
      test("counts", async (t) => {
        const ask = t.mock.fn((word: string) => word.length);
        const length: number = ask("tea");
        expect(ask).toHaveBeenCalledTimes(1);
        expect(length).not.toBe(4);
        await expect(Promise.resolve({ a: 1 })).resolves.toEqual({ a: expect.any(Number) });
        await t.test("a part", () => { assert.equal(ask.mock.calls[0]?.arguments[0], "tea"); });
        await assert.rejects(() => Promise.reject(new TypeError("no")), TypeError);
        await assert.rejects(Promise.reject(new TypeError("no")), { message: "no" });
        assert.throws(() => { throw new Error("x"); }, /x/);
        expect(() => { throw new Error("x"); }).toThrow("x");
        t.after(() => {});
        t.plan(1); t.assert.ok(true); t.beforeEach((part) => { part.skip(); }); t.afterEach(() => {});
      });
      test("planned", { plan: 1 }, (t) => { t.assert.strictEqual(1, 1); });
      it.skip("later", () => {});
      test.each([[1, 2], [3, 4]])("%i", (a, b, t) => { t.diagnostic((a + b).toFixed()); });
      test.each(["x"])("%s", (text) => { text.trim(); });
      test.only.each`a | b
        ${1} | ${2}`("$a", ({ a, b }) => { expect([a, b]).toEqual(expect.arrayOf(expect.any(Number))); });
      describe.each([["s", 1]] as const)("%s", (text, n) => { text.trim(); n.toFixed(); });
      test.failing("no", () => { expect.assertions(1); });
      test("not", () => { expect({}).toEqual(expect.not.objectContaining({ a: 1 })); });
      test.concurrent("at once", async () => { expect(mock.fn()).toHaveNthReturnedWith(1, 2); });
      test.todo("some day");
      test("quick", () => {}, 50);
      test("as quick", 50, async (t) => { await t.test("a part", () => {}, { timeout: 20 }); });
      test("left out", () => {}, { skip: "not today" });
      test.each([[1]])("%i", 50, (n) => { n.toFixed(); });
      describe("all quick", { timeout: 50 }, () => { beforeEach((t) => { t.after(() => {}); }); });
      expect.extend({
        async toBeStored(value: string) { return { pass: this.equals(value, await value) }; },
      });
      test("slow", { timeout: 100 }, () => {
        mock.timers.enable({ apis: ["setTimeout"] });
        mock.timers.tick(5);
        expect({ a: 1 }).toMatchSnapshot();
        expect({ a: 1 }).toMatchSnapshot({ a: expect.any(Number) }, "named");
      });
    });
    export {};

    """

  /// What the compiler says of a script beside the declarations.
  private static func problems(of script: String, beside library: String = "") throws -> String {
    let runner = try CommandRunner()
    defer { runner.remove() }
    guard try runner.shell("command -v tsc").status == 0 else {
      return "there is no tsc: run make setup EXTRA=node-typescript"
    }
    try runner.write(["program.ts": script, "library.d.ts": library])
    return try runner.shell(
      """
      nbridge types > nbridge.d.ts
      tsc --strict --noEmit --target es2022 --module es2022 library.d.ts nbridge.d.ts program.ts
      """
    ).output
  }
}

// SPDX-License-Identifier: MIT

/// The TypeScript declarations of what `nbridge test` gives a file of tests.
enum TestTypes {
  static let declarations = """
    /** What a test's function gets. */
    interface NBridgeTestContext {
      readonly name: string;
      readonly fullName: string;
      /** Aborted when the test's time is over. */
      readonly signal: AbortSignal;
      /** What it replaces is put back when the test ends. */
      readonly mock: NBridgeMock;
      /** A part of the test, which must be awaited. */
      test(name: string, body: NBridgeTestBody, limit?: NBridgeTestLimit): Promise<void>;
      test(name: string, limit: NBridgeTestLimit, body: NBridgeTestBody): Promise<void>;
      /** The same as `test`. */
      step: NBridgeTestContext["test"];
      /** The test counts as skipped if nothing of it fails; it does not end here. */
      skip(why?: string): void;
      /** The test counts as one to come, whatever fails in it. */
      todo(why?: string): void;
      diagnostic(text: string): void;
      /** Runs when the test has ended. */
      after(body: () => unknown): void;
      /** Run with the context of each part, before it and behind it. */
      beforeEach(body: NBridgeTestBody): void;
      afterEach(body: NBridgeTestBody): void;
      /** How many assertions of `t.assert`, and parts, the test is to make. */
      plan(count: number): void;
      /** Not here: all parts of a test run. It throws. */
      runOnly(isOnly: boolean): never;
      /** The assertions that a plan counts. */
      readonly assert: NBridgeCountedAssert;
    }

    type NBridgeTestBody = (t: NBridgeTestContext) => unknown;

    interface NBridgeTestOption {
      /** Milliseconds; by default 5,000. */
      timeout?: number;
      skip?: boolean | string;
      todo?: boolean | string;
      only?: boolean;
      /** What the test leaves open is not held against it. */
      allowsLeaks?: boolean;
      /** How many assertions of `t.assert`, and parts, a test is to make. */
      plan?: number;
      /** Aborted, it ends the test, which has failed. */
      signal?: AbortSignal;
      /** Node's: tests run one by one all the same. */
      concurrency?: number | boolean;
    }

    /** Options, or `timeout` alone. */
    type NBridgeTestLimit = number | NBridgeTestOption;

    interface NBridgeDeclareTest {
      (name: string, body: NBridgeTestBody, limit?: NBridgeTestLimit): void;
      (name: string, limit: NBridgeTestLimit, body: NBridgeTestBody): void;
    }

    /** Declares once for each row: `each([[1, 2]])("%i and %i", (a, b) => { ... })`. */
    interface NBridgeEach {
      <Row extends readonly [any, ...any[]] | readonly any[]>(
        table: readonly Row[]): NBridgeDeclareRow<[...Row, NBridgeTestContext]>;
      <Row>(table: readonly Row[]): NBridgeDeclareRow<[Row, NBridgeTestContext]>;
      (names: TemplateStringsArray, ...values: any[]): NBridgeDeclareRow<[any, NBridgeTestContext]>;
    }

    interface NBridgeDeclareRow<Values extends readonly any[]> {
      (title: string, body: (...values: Values) => unknown, limit?: NBridgeTestLimit): void;
      (title: string, limit: NBridgeTestLimit, body: (...values: Values) => unknown): void;
    }

    interface NBridgeDeclareEach extends NBridgeDeclareTest {
      readonly each: NBridgeEach;
    }

    interface NBridgeDeclareTests extends NBridgeDeclareEach {
      readonly only: NBridgeDeclareEach;
      readonly skip: NBridgeDeclareEach;
      readonly todo: NBridgeDeclareTest & ((name: string) => void);
    }

    interface NBridgeTestFunction extends NBridgeDeclareTests {
      /** Passes when it fails. */
      readonly failing: NBridgeDeclareEach;
      /** One by one, too. */
      readonly concurrent: NBridgeDeclareTests;
    }

    interface NBridgeDeclareSuite {
      (name: string, body: () => void, limit?: NBridgeTestLimit): void;
      /** `timeout` holds for each test in it that has none of its own. */
      (name: string, limit: NBridgeTestLimit, body: () => void): void;
    }

    interface NBridgeSuites extends NBridgeDeclareSuite {
      readonly each: NBridgeEach;
    }

    interface NBridgeSuiteFunction extends NBridgeSuites {
      readonly only: NBridgeSuites;
      readonly skip: NBridgeSuites;
      readonly todo: NBridgeDeclareSuite & ((name: string) => void);
    }

    declare var test: NBridgeTestFunction;
    declare var it: NBridgeTestFunction;
    declare var describe: NBridgeSuiteFunction;
    declare function before(body: () => unknown): void;
    declare function after(body: () => unknown): void;
    declare function beforeAll(body: () => unknown): void;
    declare function afterAll(body: () => unknown): void;
    declare function beforeEach(body: NBridgeTestBody): void;
    declare function afterEach(body: NBridgeTestBody): void;

    type NBridgeAnyFunction = (...args: any[]) => any;
    type NBridgeAnyClass = abstract new (...args: any[]) => any;

    /** A function that keeps how it was called. */
    type NBridgeMockedFunction<F extends NBridgeAnyFunction> = F & {
      readonly mock: {
        readonly calls: readonly {
          readonly arguments: readonly any[]; readonly this: unknown;
          readonly result?: any; readonly error?: unknown;
        }[];
        callCount(): number;
        resetCalls(): void;
        mockImplementation(body: NBridgeAnyFunction): void;
        mockImplementationOnce(body: NBridgeAnyFunction, call?: number): void;
        restore(): void;
      };
    };

    interface NBridgeMockOption {
      /** After so many calls the original is back. */
      times?: number;
      /** Of `method`: the getter, or the setter, of the property is replaced. */
      getter?: boolean;
      setter?: boolean;
    }

    interface NBridgeMock {
      fn<F extends NBridgeAnyFunction>(
        original?: F, implementation?: NBridgeAnyFunction, option?: NBridgeMockOption
      ): NBridgeMockedFunction<F>;
      fn<F extends NBridgeAnyFunction>(original: F, option: NBridgeMockOption): NBridgeMockedFunction<F>;
      fn(option: NBridgeMockOption): NBridgeMockedFunction<NBridgeAnyFunction>;
      method(
        object: object, name: string | symbol, implementation?: NBridgeAnyFunction,
        option?: NBridgeMockOption): NBridgeMockedFunction<NBridgeAnyFunction>;
      method(
        object: object, name: string | symbol, option: NBridgeMockOption
      ): NBridgeMockedFunction<NBridgeAnyFunction>;
      getter(
        object: object, name: string | symbol, implementation?: (() => any) | NBridgeMockOption,
        option?: NBridgeMockOption): NBridgeMockedFunction<() => any>;
      setter(
        object: object, name: string | symbol, implementation?: ((value: any) => void) | NBridgeMockOption,
        option?: NBridgeMockOption): NBridgeMockedFunction<(value: any) => void>;
      readonly timers: {
        /** By default all: setTimeout, setInterval, setImmediate, Date. */
        enable(option?: { apis?: string[]; now?: number | Date }): void;
        /** Lets so many milliseconds pass. */
        tick(milliseconds?: number): void;
        runAll(): void;
        setTime(time: number): void;
        reset(): void;
      };
      reset(): void;
      restoreAll(): void;
    }

    declare var mock: NBridgeMock;

    type NBridgeNote = string | Error;
    type NBridgeErrorPattern = RegExp | string | NBridgeAnyClass | object | ((error: any) => boolean);

    interface NBridgeAssert {
      (value: unknown, message?: NBridgeNote): asserts value;
      readonly strict: NBridgeAssert;
      ok(value: unknown, message?: NBridgeNote): asserts value;
      equal(actual: unknown, expected: unknown, message?: NBridgeNote): void;
      notEqual(actual: unknown, expected: unknown, message?: NBridgeNote): void;
      strictEqual(actual: unknown, expected: unknown, message?: NBridgeNote): void;
      notStrictEqual(actual: unknown, expected: unknown, message?: NBridgeNote): void;
      deepEqual(actual: unknown, expected: unknown, message?: NBridgeNote): void;
      notDeepEqual(actual: unknown, expected: unknown, message?: NBridgeNote): void;
      deepStrictEqual(actual: unknown, expected: unknown, message?: NBridgeNote): void;
      notDeepStrictEqual(actual: unknown, expected: unknown, message?: NBridgeNote): void;
      partialDeepStrictEqual(actual: unknown, expected: unknown, message?: NBridgeNote): void;
      match(text: string, pattern: RegExp, message?: NBridgeNote): void;
      doesNotMatch(text: string, pattern: RegExp, message?: NBridgeNote): void;
      throws(body: () => unknown, expected?: NBridgeErrorPattern, message?: NBridgeNote): void;
      doesNotThrow(body: () => unknown, message?: NBridgeNote): void;
      rejects(
        body: Promise<unknown> | (() => Promise<unknown>), expected?: NBridgeErrorPattern,
        message?: NBridgeNote): Promise<void>;
      doesNotReject(
        body: Promise<unknown> | (() => Promise<unknown>), message?: NBridgeNote): Promise<void>;
      ifError(value: unknown): void;
      fail(message?: NBridgeNote): never;
      readonly AssertionError: new (
        option: { message?: string; actual?: unknown; expected?: unknown }) => Error;
    }

    declare var assert: NBridgeAssert;

    /** Without `asserts`, which the compiler takes of names with a written type only. */
    interface NBridgeCountedAssert extends Omit<NBridgeAssert, "ok" | "strict" | "AssertionError"> {
      ok(value: unknown, message?: NBridgeNote): void;
    }

    type NBridgeSnapshotMatcher = "toMatchSnapshot" | "toThrowErrorMatchingSnapshot"
      | "toMatchInlineSnapshot" | "toThrowErrorMatchingInlineSnapshot";

    /** Jest's matchers; `Answer` is a promise where the value is one. */
    interface NBridgeMatchers<Answer> {
      toBe(expected: unknown): Answer;
      toEqual(expected: unknown): Answer;
      toStrictEqual(expected: unknown): Answer;
      toMatchObject(expected: object): Answer;
      toBeTruthy(): Answer;
      toBeFalsy(): Answer;
      toBeNull(): Answer;
      toBeUndefined(): Answer;
      toBeDefined(): Answer;
      toBeNaN(): Answer;
      toBeTypeOf(type: string): Answer;
      toBeInstanceOf(type: NBridgeAnyClass): Answer;
      toBeGreaterThan(limit: number | bigint): Answer;
      toBeGreaterThanOrEqual(limit: number | bigint): Answer;
      toBeLessThan(limit: number | bigint): Answer;
      toBeLessThanOrEqual(limit: number | bigint): Answer;
      toBeCloseTo(expected: number, digits?: number): Answer;
      toContain(item: unknown): Answer;
      toContainEqual(item: unknown): Answer;
      toHaveLength(length: number): Answer;
      toHaveProperty(path: string | readonly PropertyKey[], value?: unknown): Answer;
      toMatch(pattern: string | RegExp): Answer;
      toThrow(expected?: NBridgeErrorPattern): Answer;
      toHaveBeenCalled(): Answer;
      toHaveBeenCalledTimes(count: number): Answer;
      toHaveBeenCalledWith(...args: unknown[]): Answer;
      toHaveBeenLastCalledWith(...args: unknown[]): Answer;
      toHaveBeenNthCalledWith(nth: number, ...args: unknown[]): Answer;
      toHaveReturned(): Answer;
      toHaveReturnedTimes(count: number): Answer;
      toHaveReturnedWith(value: unknown): Answer;
      toHaveLastReturnedWith(value: unknown): Answer;
      toHaveNthReturnedWith(nth: number, value: unknown): Answer;
      // Jest's older names of them.
      toThrowError(expected?: NBridgeErrorPattern): Answer;
      toBeCalled(): Answer;
      toBeCalledTimes(count: number): Answer;
      toBeCalledWith(...args: unknown[]): Answer;
      lastCalledWith(...args: unknown[]): Answer;
      nthCalledWith(nth: number, ...args: unknown[]): Answer;
      toReturn(): Answer;
      toReturnTimes(count: number): Answer;
      toReturnWith(value: unknown): Answer;
      lastReturnedWith(value: unknown): Answer;
      nthReturnedWith(nth: number, value: unknown): Answer;
      /** Compares with the text that is kept beside the file. */
      toMatchSnapshot(hint?: string): Answer;
      /** Members that differ from run to run are matched: the snapshot has the matchers in their places. */
      toMatchSnapshot(members: object, hint?: string): Answer;
      toThrowErrorMatchingSnapshot(hint?: string): Answer;
      /** Compares with the text that stands in the call: --update-snapshots writes it there. */
      toMatchInlineSnapshot(text?: string): Answer;
      toMatchInlineSnapshot(members: object, text?: string): Answer;
      toThrowErrorMatchingInlineSnapshot(text?: string): Answer;
      readonly not: Omit<NBridgeMatchers<Answer>, "not" | NBridgeSnapshotMatcher>;
    }

    /** What stands in the place of a value, and has an opposite. */
    interface NBridgeStandIns {
      objectContaining(members: object): any;
      arrayContaining(list: readonly unknown[]): any;
      arrayOf(item: unknown): any;
      stringContaining(text: string): any;
      stringMatching(pattern: string | RegExp): any;
      closeTo(value: number, digits?: number): any;
    }

    interface NBridgeExpect extends NBridgeStandIns {
      (value: unknown): NBridgeMatchers<void> & {
        readonly resolves: NBridgeMatchers<Promise<void>>;
        readonly rejects: NBridgeMatchers<Promise<void>>;
      };
      anything(): any;
      any(type: Function): any;
      readonly not: NBridgeStandIns;
      /** Fails the test unless it makes so many assertions with expect. */
      assertions(count: number): void;
      hasAssertions(): void;
      unreachable(message?: string): never;
      /** One that answers a promise must be awaited: `await expect(value).toBeStored()`. */
      extend(matchers: { [name: string]: NBridgeMatcher }): void;
    }

    interface NBridgeMatcherAnswer { pass: boolean; message?: () => string }
    type NBridgeMatcher = (
      this: NBridgeMatcherContext, value: any, ...args: any[]
    ) => NBridgeMatcherAnswer | PromiseLike<NBridgeMatcherAnswer>;
    interface NBridgeMatcherContext {
      equals(a: unknown, b: unknown): boolean;
      readonly isNot: boolean;
      /** Through which of them the value came; "" for none. */
      readonly promise: "" | "resolves" | "rejects";
    }

    declare var expect: NBridgeExpect;

    """
}

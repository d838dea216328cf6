// SPDX-License-Identifier: MIT
// `expect(value).toBe(...)`: Jest's matchers, over the assertions.
((host) => {
  "use strict";
  const { inspect, brief, awaited, takeUnawaited, snapshot, inlineSnapshot, own: ownPromise, outcomeOf } = host;
  const { Error, Object, TypeError } = globalThis;
  const { allLinesWith } = host.failures;
  const { Matching, isClosed, standsForValues, hiddenIn } = host;
  const { AssertionError, check, thrownBy, rejectionOf, isEqual, contains, whyDifferent } = host.assertions;
  const { MATCHERS } = host.matchers;
  const { placeholders, matching } = host.placeholders;
  const { create, defineProperty, getPrototypeOf, keys: keysOf, hasOwn } = Object;
  const { isArray } = Array;
  const { isView } = ArrayBuffer;
  const { apply } = Reflect;
  // A file of tests may replace them.
  const uncurry = (method) => (self, ...args) => apply(method, self, args);
  const concat = uncurry(Array.prototype.concat);
  const includes = uncurry(Array.prototype.includes);
  const isWellFormed = uncurry(String.prototype.isWellFormed);

  // --- How many assertions a test makes -------------------------------------------------------------------

  let made = 0;
  /** What the test wants: a number, and whether it wants any at all. */
  let wanted;
  let wantsSome = false;
  /** What a test's assertions are short of, a text; "" for nothing. It begins anew. */
  const takeCount = () => {
    const found = wanted !== undefined && made !== wanted
      ? `expect.assertions(${wanted}): ${made} ${made === 1 ? "was" : "were"} made`
      : wantsSome && made === 0 ? "expect.hasAssertions(): none was made" : "";
    made = 0;
    wanted = undefined;
    wantsSome = false;
    return found;
  };

  // --- Snapshots ------------------------------------------------------------------------------------------

  const compare = (found, text, what) => {
    const kept = found[0];
    if (kept === true) return;
    if (kept === undefined) {
      throw new AssertionError(`there is no ${what} '${found[1]}' yet: --update-snapshots writes it. It is:\n${text}`);
    }
    throw new AssertionError({
      message: `not the ${what} '${found[1]}'; if it is right as it is now, --update-snapshots writes it`,
      actual: text.includes("\n") ? text : `${text}\n`, expected: kept.includes("\n") ? kept : `${kept}\n`,
    });
  };

  const messageOf = (value, name) => {
    if (typeof value !== "function") throw new TypeError(`${name} needs a function, not ${inspect(value)}`);
    const thrown = thrownBy(value);
    check(thrown !== undefined, () => "nothing was thrown");
    return `${thrown.error?.message ?? thrown.error}`;
  };

  /** In a file, all halves of characters are the same. */
  const whole = (text) => {
    check(isWellFormed(text), () => "a snapshot can't hold half a character (a lone surrogate), as this text has:\n"
      + `${inspect(text)}\nuse toBe(), or take the snapshot of JSON.stringify(value)`);
    return text;
  };

  /** Stands in a snapshot for a value that a matcher fits. */
  class Fitting {
    #text;
    constructor(text) { this.#text = text; }
    static textOf(value) { return typeof value === "object" && #text in value ? [value.#text] : undefined; }
  }
  const { textOf: fittingText } = Fitting;
  /** What stands for a value, and nothing for most. A text that is the same whatever a value holds would never fail. */
  const standIn = (value) => {
    const text = fittingText(value);
    const reason = text === undefined ? hiddenIn(value) : undefined;
    if (reason !== undefined) throw new TypeError(`a snapshot can't be taken of this: ${reason}`);
    return text;
  };
  /** Strings in quotes: "5" is another value than 5. */
  const linesOf = (value) => (typeof value === "string" ? `"${value}"` : allLinesWith(standIn, value));
  const isMatcher = (value) => Matching.is(value) || standsForValues(value);
  const nameOf = (matcher) => Matching.is(matcher) ? Matching.nameOf(matcher)
    : typeof matcher.toAsymmetricMatcher === "function" ? `${matcher.toAsymmetricMatcher()}` : "AsymmetricMatcher";

  /** The name of a matcher of the file's, with what it was given. */
  const nameWith = (name, args) => {
    let given = "";
    for (let at = 0; at < args.length; at++) given += `${at === 0 ? "" : ", "}${inspect(args[at], { depth: null })}`;
    return `${name}<${given}>`;
  };

  /** A copy of a value that has the members, with the matchers' names in the places of what they fit. */
  const withNames = (value, members, outer) => {
    if (isMatcher(members)) return new Fitting(nameOf(members));
    if (typeof members !== "object" || members === null || isClosed(members)) return value;
    for (let at = outer; at !== undefined; at = at.outer) if (at.members === members) return value;
    if (isClosed(value) || isView(value)) {
      throw new TypeError(`toMatchSnapshot takes members of plain objects and of lists, not those of ${brief(value)}`);
    }
    const copy = isArray(value) ? [] : create(getPrototypeOf(value));
    if (isArray(value)) copy.length = value.length;
    const keys = keysOf(value);
    for (let at = 0; at < keys.length; at++) {
      const key = keys[at];
      const own = hasOwn(members, key) ? withNames(value[key], members[key], { members, outer }) : value[key];
      defineProperty(copy, key, { __proto__: null, value: own, writable: true, enumerable: true, configurable: true });
    }
    return copy;
  };

  /** The text of a value that has the members: Jest's property matchers. */
  const linesWith = (value, members) => {
    if (isMatcher(members)) throw new TypeError("toMatchSnapshot takes members, { id: expect.any(String) }, not one matcher for all");
    check(contains(value, members), () => `expected ${brief(value)} to have the members ${brief(members)}`, undefined,
      { actual: value, expected: members });
    return allLinesWith(standIn, withNames(value, members));
  };

  /** What a snapshot is called: the last argument, or nothing. */
  const hintIn = (name, args, at) => {
    const hint = args[at];
    if (args.length <= at + 1 && (hint === undefined || typeof hint === "string")) return hint;
    const taken = name === "toMatchSnapshot" ? "members of an object, a text for the snapshot's name, both or nothing"
      : "a text for the snapshot's name, or nothing";
    throw new TypeError(`${name} takes ${taken}, not ${brief(args.length > at + 1 ? args[at + 1] : hint)}`);
  };

  /** With a text that is kept in a file. */
  const besideText = (made, hint = "") => {
    const text = whole(made);
    compare(snapshot(text, whole(hint)), text, "snapshot");
  };
  const beside = (value, args) => {
    const hasMembers = typeof args[0] === "object" && args[0] !== null;
    const hint = hintIn("toMatchSnapshot", args, hasMembers ? 1 : 0);
    besideText(hasMembers ? linesWith(value, args[0]) : linesOf(value), hint);
  };
  const besideThrown = (name) => (value, args) => {
    const hint = hintIn(name, args, 0);
    besideText(messageOf(value, name), hint);
  };

  /** With the text that stands in the call itself: `stack` leads to that. */
  const inside = (name, textOf, takesMembers = false) => (value, args, stack) => {
    const hasMembers = takesMembers && typeof args[0] === "object" && args[0] !== null;
    const at = hasMembers ? 1 : 0;
    const kept = args[at];
    if (args.length > at + 1 || (kept !== undefined && typeof kept !== "string")) {
      throw new TypeError(`${name} takes the text that it compares with, ${
        takesMembers ? "members of an object, both " : ""}or nothing, not ${inspect(args.length > at + 1 ? args[at + 1] : kept)}`);
    }
    const text = whole(hasMembers ? linesWith(value, args[0]) : textOf(value, name));
    if (kept !== undefined) whole(kept);
    compare(inlineSnapshot(text, kept, name, stack), text, "inline snapshot of");
  };

  /** What has no opposite. */
  const SNAPSHOTS = {
    toMatchSnapshot: beside,
    toThrowErrorMatchingSnapshot: besideThrown("toThrowErrorMatchingSnapshot"),
    toMatchInlineSnapshot: inside("toMatchInlineSnapshot", linesOf, true),
    toThrowErrorMatchingInlineSnapshot: inside("toThrowErrorMatchingInlineSnapshot", messageOf),
  };
  const SNAPSHOT_NAMES = keysOf(SNAPSHOTS);
  const OF_THROWN = ["toThrow", "toThrowError", "toThrowErrorMatchingSnapshot", "toThrowErrorMatchingInlineSnapshot"];

  // --- What expect(value) has -----------------------------------------------------------------------------

  /** What a matcher that the file brought says of a value; it says why, too. */
  const verdict = (found, name, negated, value) => {
    if (typeof found?.pass !== "boolean") throw new TypeError(`the matcher '${name}' must answer { pass, message }`);
    check(found.pass !== negated, () => (typeof found.message === "function" ? `${found.message()}`
      : `expected ${brief(value)} ${negated ? "not " : ""}${name}`));
  };
  const ask = (matcher, negated, promise, value, args) =>
    apply(matcher, { equals: isEqual, isNot: negated, promise }, concat([value], args));
  const isPromise = (found) => typeof found?.then === "function";

  /** Answers what is to be awaited where the matcher answers a promise. */
  const judge = (matcher, name, negated, promise, value, args) => {
    const found = ask(matcher, negated, promise, value, args);
    if (!isPromise(found)) return verdict(found, name, negated, value);
    return awaited(`expect(...).${negated ? "not." : ""}${name}(...)`,
      async () => {
        const { isRejected, error, value: answer } = await outcomeOf(() => found);
        if (isRejected) throw error;
        return verdict(answer, name, negated, value);
      });
  };

  const matcherFor = (name, value, negated, promise) => (...args) => {
    made++;
    const { passes, says, compares, explains, needs, tells, isAlone, own } = { __proto__: null, ...MATCHERS[name] };
    if (own !== undefined) return judge(own, name, negated, promise, value, args);
    if (isAlone && args[0] !== undefined) throw new TypeError(`${name} takes no argument, not ${brief(args[0])}`);
    needs?.(value, args, name);
    const values = compares && !negated ? { actual: value, expected: args[0] } : undefined;
    check(!apply(passes, undefined, concat([value], args)) === negated, () => {
      let what = "";
      for (let at = 0; at < args.length; at++) what += `${at === 0 ? "" : ","} ${brief(args[at])}`;
      return `expected ${brief(value)} ${negated ? "not " : ""}${says}${what}${explains && !negated ? whyDifferent() : ""}${
        tells?.(value) ?? ""}`;
    }, undefined, values);
    return undefined;
  };

  /** `promise` is "resolves" or "rejects" for what came by a promise. */
  const matchersFor = (value, negated, stack, promise = "") => {
    const matchers = {};
    const names = keysOf(MATCHERS);
    for (let index = 0; index < names.length; index++) {
      matchers[names[index]] = matcherFor(names[index], value, negated, promise);
    }
    for (let index = 0; !negated && index < SNAPSHOT_NAMES.length; index++) {
      const name = SNAPSHOT_NAMES[index];
      matchers[name] = (...args) => {
        made++;
        return SNAPSHOTS[name](value, args, stack ?? new Error().stack);
      };
    }
    return matchers;
  };

  /** What matchers for what was thrown look at: a rejection's error itself, and of what resolves an error or a function. */
  const throwing = (settled, isRejected) => {
    if (!isRejected && typeof settled === "function") return settled;
    return () => { if (isRejected || settled instanceof Error) throw settled; };
  };

  /** The same matchers, for what a promise settles to. */
  const later = (path, settle, negated, isRejected) => {
    const matchers = {};
    const names = negated ? keysOf(MATCHERS) : concat(keysOf(MATCHERS), SNAPSHOT_NAMES);
    for (let index = 0; index < names.length; index++) {
      const name = names[index];
      matchers[name] = (...args) => {
        const { stack } = new Error();
        return awaited(`expect(...).${path}.${name}(...)`, async () => {
          const { value: settled } = await ownPromise(settle());
          const value = includes(OF_THROWN, name) ? throwing(settled, isRejected) : settled;
          return apply(matchersFor(value, negated, stack, isRejected ? "rejects" : "resolves")[name], undefined, args);
        });
      };
    }
    return matchers;
  };

  const expect = (value, ...others) => {
    if (others.length > 0) throw new TypeError(`expect() takes one value, not ${brief(others[0])} beside it`);
    const promised = () => {
      const promise = typeof value === "function" ? value() : value;
      if (typeof promise?.then !== "function") throw new TypeError(`a promise is needed, not ${inspect(promise)}`);
      return promise;
    };
    const resolved = async () => {
      const outcome = await outcomeOf(promised);
      if (outcome.isRejected) throw outcome.error;
      return outcome;
    };
    const rejected = async () => {
      const thrown = await rejectionOf(value);
      check(thrown !== undefined, () => "expected a rejection; it resolved");
      return { __proto__: null, value: thrown.error };
    };
    return {
      ...matchersFor(value, false), not: matchersFor(value, true),
      resolves: { ...later("resolves", resolved, false, false), not: later("resolves.not", resolved, true, false) },
      rejects: { ...later("rejects", rejected, false, true), not: later("rejects.not", rejected, true, true) },
    };
  };

  // --- What expect itself has -----------------------------------------------------------------------------

  Object.assign(expect, placeholders, {
    /** Fails the test where it is reached. */
    unreachable: (message = "this must not be reached") => check(false, () => message),
    /** Fails the test unless it makes so many assertions. */
    assertions(count) {
      if (!Number.isSafeInteger(count) || count < 0) {
        throw new TypeError(`expect.assertions needs a whole number of 0 or more, not ${inspect(count)}`);
      }
      wanted = count;
    },
    hasAssertions() { wantsSome = true; },
    /** Adds matchers, by Jest's shape: `{ toBeEven(value) { return { pass, message: () => "..." } } }`. */
    extend(more) {
      const names = keysOf(more);
      for (let index = 0; index < names.length; index++) {
        const name = names[index];
        const own = more[name];
        if (typeof own !== "function") throw new TypeError(`the matcher '${name}' must be a function, not ${inspect(own)}`);
        MATCHERS[name] = { own };
        if (hasOwn(expect, name)) continue;
        const standing = (negated) => (...args) => matching(`${negated ? "not " : ""}${name}`, args[0], (value) => {
          const found = ask(own, negated, "", value, args);
          if (isPromise(found)) throw new TypeError(`expect.${name} can't stand in a value: its matcher answers a promise`);
          try { verdict(found, name, negated, value); } catch (error) {
            if (error instanceof AssertionError) return false;
            throw error;
          }
          return true;
        }, nameWith(`${negated ? "not." : ""}${name}`, args));
        expect[name] = standing(false);
        expect.not[name] = standing(true);
      }
    },
  });

  return { expect, takeUnawaited, takeCount };
})

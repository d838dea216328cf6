// SPDX-License-Identifier: MIT
// What a report of an uncaught error says of what was thrown, as JSON: texts, frames, causes. Runs no code of the
// value's.
((host) => {
  "use strict";
  const { inspect, json } = host;
  const { titleOf, makersOf, stackOf, keysOf, reasonsOf } = host.errors;
  const { constructorName, dataOf, proxyTarget } = host.looking;
  const { descriptorOf, getOwnPropertyNames, getOwnPropertySymbols, isError } = host.primordials;
  /** How many errors a report tells of, and how many of them may lie in each other. */
  const MOST = 40, DEEPEST = 12, MOST_ERRORS = 10;

  const textOf = (value) => (typeof value === "string" ? value : undefined);
  const numberOf = (value) => (typeof value === "number" && value >= 1 && value < 1e9 ? Math.floor(value) : undefined);

  /** The properties that the rest of a report does not tell, as `{ a: 1 }`. */
  const propertiesOf = (error, isOurs) => {
    const copy = {};
    let count = 0;
    const keys = [...getOwnPropertyNames(error), ...getOwnPropertySymbols(error)];
    const reasons = reasonsOf(error);
    for (const key of keysOf(error, keys)) {
      const found = descriptorOf(error, key);
      if (!found.enumerable || reasons.includes(key) || key === "details") continue;
      if (key === "code" && typeof found.value === "string") continue;
      if (isOurs && (key === "service" || key === "action")) continue;
      Object.defineProperty(copy, key, found);
      count++;
    }
    return count === 0 ? undefined : inspect(copy);
  };

  const detailsOf = (error) => {
    const details = dataOf(error, "details");
    return details === undefined || details === null ? undefined : typeof details === "string" ? details : json(details);
  };

  /** The class that made a value, in a list. */
  const makerOf = (value) => {
    const name = constructorName(value);
    return typeof name === "string" ? [name] : [];
  };

  class Examination {
    #told = [];

    describe(value) {
      if (typeof value === "object" && value !== null && proxyTarget(value) === undefined && isError(value)) {
        return this.#error(value);
      }
      const isFunction = typeof value === "function";
      const isObject = (typeof value === "object" && value !== null) || isFunction;
      const shown = inspect(value);
      const seen = isObject && !isFunction && proxyTarget(value) === undefined;
      return {
        shown, message: typeof value === "string" ? value : shown, stack: seen ? stackOf(value) : "",
        keys: seen ? getOwnPropertyNames(value).slice(0, 50) : undefined, makers: seen ? makerOf(value) : undefined,
      };
    }

    #error(error) {
      const { name, title, message } = titleOf(error, constructorName(error));
      if (this.#told.includes(error)) return { name, title, message, stack: "", isTold: true };
      this.#told.push(error);
      const isOurs = name === "BridgeError";
      const told = {
        name, title, message, stack: stackOf(error), makers: makersOf(error).split("\n").filter((maker) => maker !== ""),
        url: textOf(dataOf(error, "sourceURL")), line: numberOf(dataOf(error, "line")), column: numberOf(dataOf(error, "column")),
        code: textOf(dataOf(error, "code")), service: textOf(dataOf(error, "service")), action: textOf(dataOf(error, "action")),
        details: detailsOf(error), properties: propertiesOf(error, isOurs),
      };
      this.#add(told, error);
      return told;
    }

    #add(told, error) {
      if (this.#told.length > DEEPEST) return;
      const cause = descriptorOf(error, "cause")?.value;
      if (cause !== undefined && cause !== null) told.cause = [this.describe(cause)];
      if (reasonsOf(error).includes("suppressed")) {
        told.error = [this.describe(descriptorOf(error, "error").value)];
        told.suppressed = [this.describe(descriptorOf(error, "suppressed").value)];
      }
      const errors = descriptorOf(error, "errors")?.value;
      if (!Array.isArray(errors) || proxyTarget(errors) !== undefined) return;
      told.errors = [];
      const { length } = errors;
      for (let index = 0; index < length && index < MOST_ERRORS && this.#told.length < MOST; index++) {
        told.errors.push(this.describe(descriptorOf(errors, index)?.value));
      }
      told.count = length;
    }
  }

  const wellFormed = (key, value) => (typeof value === "string" ? value.toWellFormed() : value);
  return { examine: (value) => JSON.stringify(new Examination().describe(value), wellFormed) };
})

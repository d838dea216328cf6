// SPDX-License-Identifier: MIT
// What the mocks say of an argument that they can't take: with the codes and texts of Node's documentation, "Errors".
((host) => {
  "use strict";
  const { inspect } = host;
  const { Error, RangeError, TypeError } = globalThis;
  const { defineProperty } = Object;
  const { isArray } = Array;
  const { isInteger, MAX_SAFE_INTEGER } = Number;
  const MOST_SHOWN = 28;

  const coded = (Base, code, message) => defineProperty(new Base(message), "code",
    { __proto__: null, value: code, configurable: true, writable: true, enumerable: true });

  const described = (value) => {
    if (value === undefined || value === null) return `${value}`;
    if (typeof value === "function") return `function ${value.name}`;
    const shown = inspect(value, { depth: -1 });
    if (typeof value === "object") return value.constructor?.name ? `an instance of ${value.constructor.name}` : shown;
    return `type ${typeof value} (${shown.length > MOST_SHOWN ? `${shown.slice(0, MOST_SHOWN - 3)}...` : shown})`;
  };

  const kindOf = (name) => (name.includes(".") ? "property" : "argument");
  const wrongType = (name, wanted, value) => coded(TypeError, "ERR_INVALID_ARG_TYPE",
    `The "${name}" ${kindOf(name)} must be ${wanted}. Received ${described(value)}`);
  const wrongValue = (name, reason, value) => coded(TypeError, "ERR_INVALID_ARG_VALUE",
    `The ${kindOf(name)} '${name}' ${reason}. Received ${inspect(value)}`);
  const missing = (names) => coded(TypeError, "ERR_MISSING_ARGS", `The ${names} must be specified`);
  const wrongState = (reason) => coded(Error, "ERR_INVALID_STATE", `Invalid state: ${reason}`);

  const needFunction = (value, name) => { if (typeof value !== "function") throw wrongType(name, "of type function", value); };
  const needBoolean = (value, name) => { if (typeof value !== "boolean") throw wrongType(name, "of type boolean", value); };
  const needNumber = (value, name) => { if (typeof value !== "number") throw wrongType(name, "of type number", value); };
  const needObject = (value, name) => {
    if (typeof value !== "object" || value === null || isArray(value)) throw wrongType(name, "of type object", value);
  };
  const needCount = (value, name, least) => {
    needNumber(value, name);
    const wanted = !isInteger(value) ? "an integer" : value < least || value > MAX_SAFE_INTEGER
      ? `>= ${least} && <= ${MAX_SAFE_INTEGER}` : "";
    if (wanted === "") return;
    throw coded(RangeError, "ERR_OUT_OF_RANGE",
      `The value of "${name}" is out of range. It must be ${wanted}. Received ${inspect(value)}`);
  };

  return { wrongType, wrongValue, wrongState, missing, needFunction, needBoolean, needNumber, needObject, needCount };
})

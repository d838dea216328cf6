// SPDX-License-Identifier: MIT
// DOMException (Web IDL, 2.8.1 and 3.14).
(() => {
  "use strict";
  const { defineProperty, setPrototypeOf } = Object;
  const { TypeError } = globalThis;
  const { construct } = Reflect;
  const { bind, call } = Function.prototype;
  const uncurry = (method) => bind.call(call, method);
  const split = uncurry(String.prototype.split);
  const includes = uncurry(String.prototype.includes);
  const ErrorOf = Error;

  const CODES = {
    __proto__: null,
    IndexSizeError: 1, HierarchyRequestError: 3, WrongDocumentError: 4, InvalidCharacterError: 5,
    NoModificationAllowedError: 7, NotFoundError: 8, NotSupportedError: 9, InUseAttributeError: 10,
    InvalidStateError: 11, SyntaxError: 12, InvalidModificationError: 13, NamespaceError: 14,
    InvalidAccessError: 15, TypeMismatchError: 17, SecurityError: 18, NetworkError: 19, AbortError: 20,
    URLMismatchError: 21, QuotaExceededError: 22, TimeoutError: 23, InvalidNodeTypeError: 24,
    DataCloneError: 25,
  };

  const CONSTANTS = {
    __proto__: null,
    INDEX_SIZE_ERR: 1, DOMSTRING_SIZE_ERR: 2, HIERARCHY_REQUEST_ERR: 3, WRONG_DOCUMENT_ERR: 4,
    INVALID_CHARACTER_ERR: 5, NO_DATA_ALLOWED_ERR: 6, NO_MODIFICATION_ALLOWED_ERR: 7, NOT_FOUND_ERR: 8,
    NOT_SUPPORTED_ERR: 9, INUSE_ATTRIBUTE_ERR: 10, INVALID_STATE_ERR: 11, SYNTAX_ERR: 12,
    INVALID_MODIFICATION_ERR: 13, NAMESPACE_ERR: 14, INVALID_ACCESS_ERR: 15, VALIDATION_ERR: 16,
    TYPE_MISMATCH_ERR: 17, SECURITY_ERR: 18, NETWORK_ERR: 19, ABORT_ERR: 20, URL_MISMATCH_ERR: 21,
    QUOTA_EXCEEDED_ERR: 22, TIMEOUT_ERR: 23, INVALID_NODE_TYPE_ERR: 24, DATA_CLONE_ERR: 25,
  };

  /** The frames of the script: neither the runtime's own nor the one that makes the error below. */
  const ownFrames = (stack) => {
    const lines = split(stack, "\n");
    let own = "";
    for (let i = 0; i < lines.length; i++) {
      const line = lines[i];
      if (includes(line, "@nbridge:") || line === "construct@[native code]") continue;
      own += own === "" ? line : `\n${line}`;
    }
    return own;
  };

  /** Leaves of the engine's own properties the stack, from where the script was. */
  const place = (error) => {
    const { stack } = error; // Before the rest: the engine adds all of them when one is asked for.
    delete error.line;
    delete error.column;
    delete error.sourceURL;
    const value = typeof stack === "string" ? ownFrames(stack) : "";
    defineProperty(error, "stack", { __proto__: null, value, writable: true, enumerable: false, configurable: true });
  };

  // Puts private fields on an object that exists already: a class constructor may return any object.
  const Existing = function (object) { return object; };

  class Fields extends Existing {
    #name;
    #message;
    constructor(error, name, message) {
      super(error);
      this.#name = name;
      this.#message = message;
    }
    static isIn(value) { return typeof value === "object" && value !== null && #name in value; }
    static nameOf(error) { return error.#name; }
    static messageOf(error) { return error.#message; }
  }
  const { isIn, nameOf, messageOf } = Fields;

  const checked = (value) => {
    if (!isIn(value)) throw new TypeError("this is not a DOMException");
    return value;
  };

  class DOMException {
    constructor(message = "", name = "Error") {
      const text = `${message}`;
      // An error of the engine, so that Error.isError and whatever shows errors know it for one.
      const error = construct(ErrorOf, [], new.target);
      new Fields(error, `${name}`, text);
      place(error);
      return error;
    }
    get name() { return nameOf(checked(this)); }
    get message() { return messageOf(checked(this)); }
    get code() { return CODES[nameOf(checked(this))] ?? 0; }
  }

  const { prototype } = DOMException;
  setPrototypeOf(prototype, ErrorOf.prototype);
  for (const name of ["name", "message", "code"]) defineProperty(prototype, name, { __proto__: null, enumerable: true });
  defineProperty(prototype, Symbol.toStringTag, { __proto__: null, value: "DOMException", configurable: true });
  const fixed = { __proto__: null, value: 0, enumerable: true };
  for (const name in CONSTANTS) {
    fixed.value = CONSTANTS[name];
    defineProperty(DOMException, name, fixed);
    defineProperty(prototype, name, fixed);
  }

  return {
    DOMException, isDOMException: isIn,
    /** What it was made with, read past getters that a script may have changed. */
    describe: (value) => (isIn(value) ? { name: nameOf(value), message: messageOf(value) } : undefined),
  };
})

// SPDX-License-Identifier: MIT
// node:module: modules are put together before a program runs, so none can be found while it does.
"use strict";

const { missing, invalidArgValue } = require("node:internal/errors");

const NAMES = [
  "assert", "assert/strict", "buffer", "child_process", "console", "constants", "crypto",
  "diagnostics_channel", "events", "fs", "fs/promises", "module", "os", "path", "path/posix",
  "path/win32", "perf_hooks", "process", "punycode", "querystring", "stream", "stream/promises",
  "string_decoder", "sys", "timers", "timers/promises", "tty", "url", "util", "util/types",
];

const createRequire = (from) => {
  if (typeof from !== "string" && !(from instanceof URL)) {
    throw invalidArgValue("filename", from,
      "must be a file URL object, file URL string, or absolute path string");
  }
  const refuse = (name) => {
    throw Object.assign(missing(`require('${name}') at run time`,
      "import it by its name, so that it is found before the program runs"),
      { code: "MODULE_NOT_FOUND" });
  };
  const require = (name) => refuse(name);
  return Object.assign(require, { resolve: refuse, cache: { __proto__: null }, main: undefined });
};

function Module() { throw missing("module.Module", "modules are put together before a program runs"); }

module.exports = Object.assign(Module, {
  Module, createRequire, builtinModules: NAMES,
  isBuiltin: (name) => NAMES.includes(`${name}`.replace(/^node:/, "")),
  register() { throw missing("module.register()"); },
  syncBuiltinESMExports() {}, findSourceMap() {}, _extensions: { __proto__: null },
    _cache: { __proto__: null },
});

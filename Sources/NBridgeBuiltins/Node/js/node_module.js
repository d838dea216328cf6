// SPDX-License-Identifier: MIT
// node:module: what Node's loader tells of itself, and `require` for modules of the language.
"use strict";

const { assign } = require("node:internal/own");
const { missing, invalidArgValue } = require("node:internal/errors");

const NAMES = [
  "assert", "assert/strict", "buffer", "child_process", "console", "constants", "crypto",
  "diagnostics_channel", "events", "fs", "fs/promises", "http", "module", "os", "path", "path/posix",
  "path/win32", "perf_hooks", "process", "punycode", "querystring", "readline", "readline/promises",
  "stream", "stream/promises",
  "string_decoder", "sys", "timers", "timers/promises", "tty", "url", "util", "util/types",
];

const createRequire = (from) => {
  if (typeof from !== "string" && !(from instanceof URL)) {
    throw invalidArgValue("filename", from,
      "must be a file URL object, file URL string, or absolute path string");
  }
  const path = `${from}`.startsWith("file:") ? require("node:url").fileURLToPath(from) : `${from}`;
  if (!path.startsWith("/")) {
    throw invalidArgValue("filename", from,
      "must be a file URL object, file URL string, or absolute path string");
  }
  return require.from(path);
};

function Module() { throw missing("module.Module", "modules are put together before a program runs"); }

module.exports = assign(Module, {
  Module, createRequire, builtinModules: NAMES,
  isBuiltin: (name) => name === "node:test" || NAMES.includes(`${name}`.replace(/^node:/, "")),
  register() { throw missing("module.register()"); },
  syncBuiltinESMExports() {}, findSourceMap() {}, _extensions: { __proto__: null },
    _cache: { __proto__: null },
});

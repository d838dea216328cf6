// SPDX-License-Identifier: MIT
// node:child_process: packages name it for things that they may never do, so it can be imported.
"use strict";

const { missing } = require("node:internal/errors");

const names = ["exec", "execFile", "execFileSync", "execSync", "fork", "spawn", "spawnSync"];

module.exports = Object.fromEntries(
  names.map((name) => [name, () => { throw missing(`child_process.${name}()`); }]));

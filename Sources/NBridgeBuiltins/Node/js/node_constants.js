// SPDX-License-Identifier: MIT
// node:constants, the older name of what node:os and node:fs have.
"use strict";

const { errno, signals, priority, dlopen } = require("node:os").constants;

module.exports = Object.freeze({ ...dlopen, ...errno, ...priority, ...signals,
  ...require("node:fs").constants });

// SPDX-License-Identifier: MIT
// node:perf_hooks, over the web's performance.
"use strict";

const { missing } = require("node:internal/errors");

const { performance, PerformanceEntry, PerformanceMark, PerformanceMeasure,
  PerformanceObserver } = globalThis;
const unavailable = (name) => () => { throw missing(`perf_hooks.${name}()`); };

module.exports = {
  performance, PerformanceEntry, PerformanceMark, PerformanceMeasure, PerformanceObserver, constants: {},
  monitorEventLoopDelay: unavailable("monitorEventLoopDelay"),
    createHistogram: unavailable("createHistogram"),
};

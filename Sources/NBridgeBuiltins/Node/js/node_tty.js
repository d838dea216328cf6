// SPDX-License-Identifier: MIT
// node:tty: whether the program's streams are a terminal.
"use strict";

const { missing } = require("node:internal/errors");
const { now } = require("node:internal/native");

const NAMES = ["stdin", "stdout", "stderr"];

function ReadStream() { throw missing("tty.ReadStream", "lines are read with node:readline"); }
function WriteStream() { throw missing("tty.WriteStream", "write to process.stdout"); }

const isatty = (fd) => fd in NAMES && now("terminal", { stream: NAMES[fd] }) !== undefined;

module.exports = { isatty, ReadStream, WriteStream };

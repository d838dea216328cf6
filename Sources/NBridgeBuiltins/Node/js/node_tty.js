// SPDX-License-Identifier: MIT
// node:tty: a program can't ask about the terminal, so there is none.
"use strict";

const { missing } = require("node:internal/errors");

function ReadStream() { throw missing("tty.ReadStream", "ask with prompt()"); }
function WriteStream() { throw missing("tty.WriteStream", "print with console"); }

module.exports = { isatty: () => false, ReadStream, WriteStream };

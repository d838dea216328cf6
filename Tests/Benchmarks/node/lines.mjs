// SPDX-License-Identifier: MIT
// A file's lines by Node's readline, as `documents.js lines` reads them.
import { createReadStream } from "node:fs";
import { createInterface } from "node:readline";

let lines = 0;
const input = createReadStream(process.argv[2]);
for await (const line of createInterface({ input, crlfDelay: Infinity })) if (line.length > 0) lines++;
if (lines !== 1e6) throw new Error("not all were read");

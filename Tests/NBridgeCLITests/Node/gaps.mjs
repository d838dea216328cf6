// What packages ask for and is easily left out.
import { createHash, getHashes } from "node:crypto";
import { once } from "node:events";
import os from "node:os";
import process from "node:process";
import readline from "node:readline";
import { Readable } from "node:stream";
import url from "node:url";
import util from "node:util";

// The timers of the web have promises, too.
console.log(await util.promisify(setTimeout)(1, "value"));
console.log(await util.promisify(setTimeout)(1, "value", { signal: AbortSignal.abort() }).catch((error) => error.code));

const errors = util.getSystemErrorMap();
console.log([-2, -11, -13, -95].map((number) => errors.get(number)), util.getSystemErrorName(-11));
console.log(typeof os.homedir(), typeof process.arch, os.arch() === process.arch);

// Lines are over when their input is.
const lines = readline.createInterface({ input: Readable.from(["a\nb\n"]) });
const told = [];
lines.on("line", (line) => {
  told.push(line);
  lines.pause();
  setTimeout(() => lines.resume(), 1);
});
await once(lines, "close");
lines.pause();
lines.resume();
console.log(told, lines.closed);

for (const name of ["xn--n-mga7b.com", "www.xn--maana-pta.com", "EXAMPLE.com", "espa\u00f1ol.com", "xn--fiq228c.com", "xn--a"]) {
  console.log(url.domainToASCII(name), url.domainToUnicode(name));
}
for (const text of ["http://user:pa@\u00fcn\u00ef.com:80/xn--a?b#c", "http://xn--n-mga7b.com/x", "mailto:a@b", "file:///x"]) {
  console.log(url.format(new URL(text), { unicode: true }), url.format(new URL(text), { unicode: true, auth: false, fragment: false }));
}
for (const [from, to] of [["mailto:x", "y"], ["mailto:x/y", "z"], ["mailto:x/y/w", "../../z"], ["mailto:x", "/y"], ["about:blank", "x"],
  ["mailto:x", "y?q#h"], ["mailto:x", "?q"], ["mailto:x", "//h/p"]]) {
  console.log(from, to, url.resolve(from, to));
}

console.log(getHashes().includes("RSA-SHA256"), getHashes().every((name) => createHash(name).update("x").digest().length > 0));

// Who puts something in their places is what runs at the end.
const { emit, reallyExit } = process;
process.emit = function (name, ...given) {
  if (name === "exit") console.log("ends", given);
  return emit.call(this, name, ...given);
};
process.reallyExit = function (status) {
  console.log("really", status);
  reallyExit.call(process, status);
};
process.on("exit", () => console.log("told"));
process.exit();

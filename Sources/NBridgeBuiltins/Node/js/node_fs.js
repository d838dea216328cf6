// SPDX-License-Identifier: MIT
// node:fs: with callbacks over node:fs/promises. A call of nbridge is never answered at once, so the
// functions that wait for the disk throw; those that read say ENOENT, which packages that look for optional
// files understand.
"use strict";

const { assign } = require("node:internal/own");
const { check, missing } = require("node:internal/errors");
const promises = require("node:fs/promises");
const constants = require("node:internal/fsconstants");

const fs = {};

/** How many arguments each has before options and what takes `(error, value)`. */
const COUNTS = {
  readFile: 1, writeFile: 2, appendFile: 2, stat: 1, lstat: 1, readdir: 1, access: 1, mkdir: 1, rm: 1, rmdir: 1,
  unlink: 1, copyFile: 2, cp: 2, rename: 2, mkdtemp: 1, truncate: 1, realpath: 1,
};
for (const [name, count] of Object.entries(COUNTS)) {
  fs[name] = (...args) => {
    const done = args.length > count ? args.pop() : undefined;
    check.function(done, "cb");
    promises[name](...args).then((value) => queueMicrotask(() => done(null, value)),
      (error) => queueMicrotask(() => done(error)));
  };
}
fs.realpath.native = fs.realpath;
fs.exists = (path, done) => {
  check.function(done, "cb");
  promises.access(path).then(() => done(true), () => done(false));
};

const instead = (name) =>
  `files are read and written by calls that are awaited: import { ${name} } from "node:fs/promises"`;

for (const [name, syscall] of [["readFile", "open"], ["stat", "stat"], ["lstat", "lstat"],
  ["readdir", "scandir"], ["access", "access"],
  ["realpath", "realpath"], ["readlink", "readlink"], ["open", "open"], ["opendir", "opendir"]]) {
  fs[`${name}Sync`] = (path) => {
    const reason = missing("files that are read at once", instead(name)).message;
    const text = `fs.${name}Sync() can't look for it: ${reason}`;
    throw Object.assign(new Error(`ENOENT: ${text}, ${syscall} '${path}'`),
      { errno: -2, code: "ENOENT", syscall, path });
  };
}
fs.realpathSync.native = fs.realpathSync;
for (const name of ["exists", "writeFile", "appendFile", "mkdir", "rm", "rmdir", "unlink", "copyFile", "cp",
  "rename", "mkdtemp",
  "truncate", "close", "read", "write", "fstat", "fsync", "ftruncate", "chmod", "chown", "utimes", "futimes",
    "symlink", "link"]) {
  fs[`${name}Sync`] = () => {
    throw Object.assign(missing(`fs.${name}Sync()`, instead(name === "exists" ? "access" : name)),
      { code: "ENOSYS", errno: -38 });
  };
}
for (const name of ["createReadStream", "createWriteStream", "watch", "watchFile", "unwatchFile", "open",
  "close", "read", "write",
  "fstat", "opendir", "symlink", "link", "readlink", "chmod", "chown", "utimes", "fsync", "ReadStream",
    "WriteStream"]) {
  fs[name] = function unavailable() { throw missing(`fs.${name}()`,
    "nbridge.documents has chunks, lines, writer and watch"); };
}

module.exports = assign(fs, {
  promises, constants, Stats: promises.Stats, Dirent: promises.Dirent,
  F_OK: constants.F_OK, R_OK: constants.R_OK, W_OK: constants.W_OK, X_OK: constants.X_OK,
});

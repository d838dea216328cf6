// SPDX-License-Identifier: MIT
// What node:fs tells of files and of the entries of folders.
"use strict";

const constants = require("node:internal/fsconstants");

/** What kind of thing stands at a name. */
class Kind {
  #kind;
  constructor(kind) { this.#kind = kind; }
  isFile() { return this.#kind === "file"; }
  isDirectory() { return this.#kind === "folder"; }
  isSymbolicLink() { return this.#kind === "link"; }
  isBlockDevice() { return false; }
  isCharacterDevice() { return false; }
  isFIFO() { return false; }
  isSocket() { return false; }
}

/** What is known of a file; what Linux would tell beyond that is 0. */
class Stats extends Kind {
  constructor({ kind, size, modified, accessed, mode }) {
    super(kind);
    const type = { file: constants.S_IFREG, folder: constants.S_IFDIR, link: constants.S_IFLNK }[kind] ?? 0;
    Object.assign(this, {
      dev: 0, mode: type | (mode & 0o7777), nlink: 1, uid: 0, gid: 0, rdev: 0, blksize: 4096, ino: 0, size,
      blocks: Math.ceil(size / 512), atimeMs: +accessed, mtimeMs: +modified, ctimeMs: +modified,
        birthtimeMs: +modified,
      atime: accessed, mtime: modified, ctime: modified, birthtime: modified,
    });
  }
}

/** The same in whole numbers that lose nothing, with nanoseconds. */
class BigIntStats extends Stats {
  constructor(facts) {
    super(facts);
    for (const [name, value] of Object.entries(this)) {
      if (typeof value === "number") this[name] = BigInt(Math.floor(value));
    }
    for (const name of ["atime", "mtime", "ctime", "birthtime"]) this[`${name}Ns`] = this[`${name}Ms`] * 1000000n;
  }
}

class Dirent extends Kind {
  constructor(name, parent, kind) {
    super(kind);
    [this.name, this.parentPath, this.path] = [name, parent, parent];
  }
}

module.exports = { BigIntStats, Dirent, Stats };

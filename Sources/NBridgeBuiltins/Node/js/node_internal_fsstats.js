// SPDX-License-Identifier: MIT
// What node:fs tells of files and of the entries of folders.
"use strict";

const constants = require("node:internal/fsconstants");

/** What is known of a file; what Linux would tell beyond that is 0. */
class Stats {
  #kind;
  constructor({ kind, size, modified, accessed, mode }) {
    this.#kind = kind;
    const type = { file: constants.S_IFREG, folder: constants.S_IFDIR, link: constants.S_IFLNK }[kind] ?? 0;
    Object.assign(this, {
      dev: 0, mode: type | (mode & 0o7777), nlink: 1, uid: 0, gid: 0, rdev: 0, blksize: 4096, ino: 0, size,
      blocks: Math.ceil(size / 512), atimeMs: +accessed, mtimeMs: +modified, ctimeMs: +modified,
        birthtimeMs: +modified,
      atime: accessed, mtime: modified, ctime: modified, birthtime: modified,
    });
  }
  isFile() { return this.#kind === "file"; }
  isDirectory() { return this.#kind === "folder"; }
  isSymbolicLink() { return this.#kind === "link"; }
  isBlockDevice() { return false; }
  isCharacterDevice() { return false; }
  isFIFO() { return false; }
  isSocket() { return false; }
}

class Dirent {
  #kind;
  constructor(name, parent, kind) {
    [this.name, this.parentPath, this.path, this.#kind] = [name, parent, parent, kind];
  }
  isFile() { return this.#kind === "file"; }
  isDirectory() { return this.#kind === "folder"; }
  isSymbolicLink() { return this.#kind === "link"; }
  isBlockDevice() { return false; }
  isCharacterDevice() { return false; }
  isFIFO() { return false; }
  isSocket() { return false; }
}

module.exports = { Dirent, Stats };

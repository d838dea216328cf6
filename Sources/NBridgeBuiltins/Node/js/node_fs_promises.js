// SPDX-License-Identifier: MIT
// node:fs/promises over nbridge.documents, whose permissions hold: a relative path is one of the app's
// documents, and a whole one below the app's own folder can be read.
"use strict";

const { Buffer } = require("node:buffer");
const { abortError, check, coded, invalidArgType, missing } = require("node:internal/errors");
const { appFolder } = require("node:internal/start");
const constants = require("node:internal/fsconstants");
const errno = require("node:os").constants.errno;

const CODES = {
  not_found: "ENOENT", exists: "EEXIST", not_directory: "ENOTDIR", permission_denied: "EACCES",
    too_large: "EFBIG",
  quota_exceeded: "ENOSPC", io_error: "EIO", conflict: "EBUSY", invalid_parameter: "EINVAL",
    unavailable: "ENODEV",
};

const failure = (code, message, syscall, path, cause) => {
  const error = new Error(`${code}: ${message}, ${syscall} '${path}'`, cause === undefined ? undefined
    : { cause });
  return Object.assign(error, { errno: -(errno[code] ?? 0), code, syscall, path });
};

const textOf = (path, name = "path") => {
  if (typeof path === "string") return path;
  if (path instanceof Uint8Array) return Buffer.from(path).toString();
  if (path instanceof URL) return require("node:url").fileURLToPath(path);
  throw invalidArgType(name, ["string", "Buffer", "URL"], path);
};

/** Which of the app's directories a path leads to. */
const placeOf = (path, syscall) => {
  const text = textOf(path);
  if (text.includes("\0")) {
    throw coded(TypeError, "ERR_INVALID_ARG_VALUE",
      "The argument 'path' must be a string without null bytes");
  }
  if (text === "") throw failure("ENOENT", "no such file or directory", syscall, text);
  if (!text.startsWith("/")) return { text, path: text.replace(/\/+$/, ""), directory: "documents" };
  const whole = require("node:path").normalize(text).replace(/(.)\/$/, "$1");
  const root = appFolder === "/" ? "" : appFolder;
  if (whole === appFolder || whole.startsWith(`${root}/`)) {
    return { text, path: whole.slice(root.length + 1) || ".", directory: "bundle" };
  }
  throw failure("EACCES",
    "it lies outside of the app's folder; a relative path is one of the app's documents, and " +
    "nbridge.documents.import and export reach other places", syscall, text);
};

const call = async (syscall, path, action, signal) => {
  if (signal?.aborted) throw abortError(signal);
  const place = placeOf(path, syscall);
  try {
    return await action(nbridge.documents, place, { directory: place.directory }, signal ? { signal }
      : undefined);
  } catch (error) {
    if (error?.code === "cancelled" && signal?.aborted) throw abortError(signal);
    const code = Object.hasOwn(CODES, error?.code) ? CODES[error.code] : undefined;
    throw code === undefined ? error : failure(code, error.message, syscall, place.text, error);
  }
};

const optionsOf = (given) => typeof given === "string" ? { encoding: given } : given ?? {};
const encoded = (buffer, encoding) => encoding && encoding !== "buffer" ? buffer.toString(encoding) : buffer;

const readFile = async (path, given) => {
  const { encoding, signal } = optionsOf(given);
  if (encoding && !Buffer.isEncoding(encoding) && encoding !== "buffer") {
    throw coded(TypeError, "ERR_INVALID_ARG_VALUE",
      `The argument 'encoding' is invalid encoding. Received '${encoding}'`);
  }
  const bytes = await call("open", path, (documents, place, option, control) =>
    documents.read(place.path, { ...option, format: "bytes" }, control), signal);
  return encoded(Buffer.from(bytes.buffer ?? bytes, bytes.byteOffset ?? 0, bytes.byteLength), encoding);
};

const contentOf = (data, encoding) => {
  if (typeof data === "string") return Buffer.from(data, encoding ?? "utf8");
  if (ArrayBuffer.isView(data)) return new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
  throw invalidArgType("data", ["string", "Buffer", "TypedArray", "DataView"], data);
};

const writeFile = async (path, data, given) => {
  const { encoding, signal, flag = "w", flush = false } = optionsOf(given);
  const bytes = contentOf(data, encoding);
  if (!["w", "wx", "a", "ax", "r+"].includes(flag)) throw missing(`fs flag '${flag}'`,
    "there are w, wx, a, ax and r+");
  await call("open", path, (documents, place, option, control) => flag === "a"
    ? documents.append(place.path, bytes, option, control)
    : documents.write(place.path, bytes, {
      ...option, format: "bytes", durable: flush, overwrite: !flag.endsWith("x"), create: flag !== "r+",
    }, control), signal);
};

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

const known = (syscall, path) => call(syscall, path, (documents, place, option) => documents.stat(place.path,
  option));
const stat = async (path) => new Stats(await known("stat", path));

const readdir = async (path, given) => {
  const { withFileTypes = false, recursive = false, encoding } = optionsOf(given);
  const entries = await call("scandir", path, (documents, place, option) =>
    documents.list(place.path === "." ? "" : place.path, { ...option, recursive }).toArray());
  const folder = textOf(path);
  const { join, dirname } = require("node:path");
  if (withFileTypes) return entries.map(({ name, path: at, kind }) =>
    new Dirent(name, join(folder, dirname(at)), kind));
  return entries.map((entry) => encoded(Buffer.from(recursive ? entry.path : entry.name), encoding ??
    "utf8"));
};

const access = async (path, mode = constants.F_OK) => {
  const { directory } = placeOf(path, "access");
  await known("access", path);
  if (mode & constants.W_OK && directory === "bundle") {
    throw failure("EACCES", "the app's own folder can only be read", "access", textOf(path));
  }
};

const mkdir = async (path, given) => {
  const { recursive = false } = typeof given === "object" && given !== null ? given : {};
  await call("mkdir", path, async (documents, place, option) => {
    if (!recursive && await documents.exists(place.path, option)) {
      throw failure("EEXIST", "file already exists", "mkdir", place.text);
    }
    await documents.makeDirectory(place.path, { ...option, parents: recursive });
  });
};

const removal = async (syscall, path, wanted) => {
  const { kind } = await known(syscall, path);
  const isFolder = kind === "folder";
  if (isFolder && wanted === "file") throw failure("EISDIR", "illegal operation on a directory", syscall,
    textOf(path));
  if (!isFolder && wanted === "folder") throw failure("ENOTDIR", "not a directory", syscall, textOf(path));
  if (wanted === "folder" && (await readdir(path)).length > 0) {
    throw failure("ENOTEMPTY", "directory not empty", syscall, textOf(path));
  }
  await call(syscall, path, (documents, place, option) => documents.remove(place.path,
    { ...option, permanently: true }));
};

const rm = async (path, { force = false, recursive = false } = {}) => {
  try {
    await removal("rm", path, recursive ? undefined : "file");
  } catch (error) {
    if (!(force && error.code === "ENOENT")) throw error;
  }
};

const between = (syscall, from, to, action) => call(syscall, from, (documents, place, option) => {
  const target = placeOf(to, syscall);
  return action(documents, place, target, { ...option, toDirectory: target.directory });
});

const copyFile = (from, to, mode = 0) => between("copyfile", from, to, (documents, place, target, option) =>
  documents.copy(place.path, target.path, { ...option, overwrite: !(mode & constants.COPYFILE_EXCL) }));

const cp = async (from, to, { recursive = false, force = true } = {}) => {
  if ((await known("cp", from)).kind === "folder" && !recursive) {
    throw coded(Error, "ERR_FS_EISDIR",
      `Recursive option not enabled, cannot copy a directory: ${textOf(from)}`);
  }
  await between("cp", from, to, (documents, place, target, option) =>
    documents.copy(place.path, target.path, { ...option, overwrite: force }));
};

const rename = (from, to) => between("rename", from, to, (documents, place, target, option) =>
  documents.move(place.path, target.path, { ...option, overwrite: true }));

const mkdtemp = async (prefix) => {
  check.string(prefix, "prefix");
  const path = prefix + Array.from(require("node:crypto").randomBytes(6),
    (byte) => "abcdefghijklmnopqrstuvwxyzABCDEF"[byte & 31]).join("");
  await mkdir(path);
  return path;
};

module.exports = {
  readFile, writeFile, stat, lstat: stat, readdir, access, mkdir, rm, copyFile, cp, rename, mkdtemp,
    constants,
  appendFile: (path, data, given) => writeFile(path, data, { ...optionsOf(given), flag: "a" }),
  unlink: (path) => removal("unlink", path, "file"),
  rmdir: (path) => removal("rmdir", path, "folder"),
  truncate: (path, size = 0) => call("truncate", path, (documents, place, option) =>
    documents.truncate(place.path, size, option)),
  realpath: async (path) => {
    await known("realpath", path);
    return textOf(path);
  },
};
for (const name of ["open", "opendir", "watch", "link", "symlink", "readlink", "chmod", "chown", "lchown",
  "utimes", "lutimes", "statfs"]) {
  module.exports[name] = async () => { throw missing(`fs.promises.${name}()`,
    "nbridge.documents has what there is of files"); };
}
Object.defineProperty(module.exports, "Stats", { value: Stats });
Object.defineProperty(module.exports, "Dirent", { value: Dirent });

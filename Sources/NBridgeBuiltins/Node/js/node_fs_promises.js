// SPDX-License-Identifier: MIT
// node:fs/promises over nbridge.documents, whose permissions hold: a relative path is one of the app's
// documents, and a whole one below the app's own folder can be read.
"use strict";

const { Buffer } = require("node:buffer");
const { abortError, check, coded, invalidArgType, missing } = require("node:internal/errors");
const { appFolder } = require("node:internal/start");
const constants = require("node:internal/fsconstants");
const { Dirent, Stats } = require("node:internal/fsstats");
const errno = require("node:os").constants.errno;

const CODES = {
  not_found: "ENOENT", exists: "EEXIST", not_directory: "ENOTDIR", permission_denied: "EACCES",
    too_large: "EFBIG",
  quota_exceeded: "ENOSPC", io_error: "EIO", conflict: "EBUSY", invalid_parameter: "EINVAL",
    unavailable: "ENODEV",
};

const failure = (code, message, syscall, path, cause, dest) => {
  const error = new Error(
    `${code}: ${message}, ${syscall} '${path}'${dest === undefined ? "" : ` -> '${dest}'`}`,
    cause === undefined ? undefined : { cause });
  Object.assign(error, { errno: -(errno[code] ?? 0), code, syscall, path });
  return dest === undefined ? error : Object.assign(error, { dest });
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
  // A slash at the end stays: only a folder has such a path.
  if (!text.startsWith("/")) return { text, path: text, directory: "documents" };
  const whole = require("node:path").normalize(text);
  const root = appFolder === "/" ? "" : appFolder;
  if (whole === appFolder || whole.startsWith(`${root}/`)) {
    return { text, path: whole.slice(root.length + 1) || ".", directory: "bundle" };
  }
  throw failure("EACCES",
    "it lies outside of the app's folder; a relative path is one of the app's documents, and " +
    "nbridge.documents.import and export reach other places", syscall, text);
};

const call = async (syscall, path, action, signal, dest) => {
  if (signal?.aborted) throw abortError(signal);
  const place = placeOf(path, syscall);
  try {
    return await action(nbridge.documents, place, { directory: place.directory }, signal ? { signal }
      : undefined);
  } catch (error) {
    if (error?.code === "cancelled" && signal?.aborted) throw abortError(signal);
    const known = Object.hasOwn(CODES, error?.code) ? CODES[error.code] : undefined;
    if (known === undefined) throw error;
    throw failure(error.details?.system ?? known, error.message, syscall, place.text, error, dest);
  }
};

/** Throws when a path that is to be a file's says that it is a folder's. */
const demandFile = ({ text }, syscall) => {
  if (text.endsWith("/")) throw failure("EISDIR", "illegal operation on a directory", syscall, text);
};

/** What an option says: of an object's own, and of its kind; a deletion must not come of a slip. */
const flagOf = (given, name, fallback) => {
  if (given === undefined || given === null || !Object.hasOwn(given, name) || given[name] === undefined) return fallback;
  check.boolean(given[name], `options.${name}`);
  return given[name];
};
const demandOptions = (given) => {
  if (given !== undefined && given !== null && typeof given !== "object") throw invalidArgType("options", "object", given);
};

/** The permission bits of what is made: a number, or octal digits; none where nothing is said. */
const modeIn = (given) => {
  if (given === undefined || given === null) return {};
  if (typeof given === "string" && /^[0-7]+$/.test(given)) return { mode: parseInt(given, 8) };
  if (typeof given === "string") {
    throw coded(TypeError, "ERR_INVALID_ARG_VALUE",
      `The argument 'mode' must be a 32-bit unsigned integer or an octal string. Received '${given}'`);
  }
  check.integer(given, "mode", 0, 2 ** 32 - 1);
  return { mode: given };
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

const isIterable = (data) => typeof data === "object" && data !== null && !ArrayBuffer.isView(data) &&
  (typeof data[Symbol.asyncIterator] === "function" || typeof data[Symbol.iterator] === "function");

/** Writes what comes of an iterable; until its end the old content stays. */
const writePieces = async (documents, place, data, encoding, option, control) => {
  const writer = await documents.writer(place.path, option, control);
  try {
    for await (const piece of data) await writer.write(contentOf(piece, encoding));
  } catch (error) {
    await writer.abort();
    throw error;
  }
  await writer.close();
};

/** Writes what comes of an iterable over what is there, from its start on; what stands behind it stays. */
const writeOver = async (documents, place, data, encoding, option, control) => {
  // A file that is not there fails also where nothing comes.
  await documents.writeRange(place.path, 0, new Uint8Array(), option, control);
  let offset = 0;
  for await (const piece of data) {
    const bytes = contentOf(piece, encoding);
    await documents.writeRange(place.path, offset, bytes, option, control);
    offset += bytes.byteLength;
  }
};

const writeFile = async (path, data, given) => {
  const { encoding, signal, flag = "w", flush = false, mode } = optionsOf(given);
  const isMany = isIterable(data);
  const bytes = isMany ? undefined : contentOf(data, encoding);
  if (!["w", "wx", "a", "ax", "r+"].includes(flag)) throw missing(`fs flag '${flag}'`,
    "there are w, wx, a, ax and r+");
  const made = modeIn(mode);
  await call("open", path, async (documents, place, option, control) => {
    demandFile(place, "open");
    if (flag === "a") {
      // It is made also where nothing comes.
      if (isMany) await documents.append(place.path, new Uint8Array(), { ...option, ...made }, control);
      for await (const piece of isMany ? data : [bytes]) {
        await documents.append(place.path, contentOf(piece, encoding), { ...option, ...made }, control);
      }
      return;
    }
    // What stands behind the bytes stays.
    if (flag === "r+") {
      return isMany ? writeOver(documents, place, data, encoding, option, control)
        : documents.writeRange(place.path, 0, bytes, option, control);
    }
    const rules = { ...option, ...made, durable: flush, overwrite: !flag.endsWith("x") };
    if (isMany) return writePieces(documents, place, data, encoding, rules, control);
    return documents.write(place.path, bytes, { ...rules, format: "bytes" }, control);
  }, signal);
};

const known = (syscall, path) => call(syscall, path, (documents, place, option) =>
  documents.stat(place.path, option));
/** The same of a link itself: who removes or copies what is in a folder must not go through one. */
const knownLink = (syscall, path) => call(syscall, path, (documents, place, option) =>
  documents.stat(place.path, { ...option, asLink: true }));
const stat = async (path) => new Stats(await known("stat", path));
const lstat = async (path) => new Stats(await knownLink("lstat", path));

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

/** Makes the folders that are not there, and answers the first of them. */
const makeFolders = async (path, mode) => {
  const make = (at, parents) => call("mkdir", at, (documents, place, option) =>
    documents.makeDirectory(place.path, { ...option, ...mode, parents }));
  try {
    await make(path, false);
    return path;
  } catch (error) {
    if (error.code === "EEXIST") return make(path, true).then(() => undefined);
    const above = require("node:path").dirname(path);
    if (error.code !== "ENOENT" || above === path) throw error;
    const first = await makeFolders(above, mode);
    await make(path, true);
    return first ?? path;
  }
};

const mkdir = async (path, given) => {
  const recursive = typeof given === "object" && flagOf(given, "recursive", false);
  const mode = modeIn(typeof given === "object" ? given?.mode : given);
  if (recursive) return makeFolders(textOf(path), mode);
  await call("mkdir", path, (documents, place, option) =>
    documents.makeDirectory(place.path, { ...option, ...mode, parents: false }));
};

/** `how` says what alone is removed: between a look and a removal others could change what is there. */
const removal = (syscall, path, how) => call(syscall, path, async (documents, place, option) => {
  // With a slash at its end a path must not lead to a file.
  if (place.text.endsWith("/")) await documents.stat(place.path, option);
  await documents.remove(place.path, { ...option, ...how });
});

const rm = async (path, given) => {
  demandOptions(given);
  const force = flagOf(given, "force", false), recursive = flagOf(given, "recursive", false);
  try {
    await removal("rm", path, recursive ? { permanently: true } : { only: "file" });
  } catch (error) {
    if (error.code === "EISDIR" && !recursive) {
      throw coded(Error, "ERR_FS_EISDIR",
        `Path is a directory: rm returned EISDIR (is a directory) ${textOf(path)}`,
        { errno: errno.EISDIR, syscall: "rm", path: textOf(path) });
    }
    if (!(force && error.code === "ENOENT")) throw error;
  }
};

const rmdir = async (path, given) => {
  demandOptions(given);
  if (!flagOf(given, "recursive", false)) return removal("rmdir", path, { only: "emptyFolder" });
  if ((await knownLink("rmdir", path)).kind !== "folder") {
    throw failure("ENOTDIR", "not a directory", "rmdir", textOf(path));
  }
  return removal("rmdir", path, { permanently: true });
};

const between = (syscall, from, to, action) => call(syscall, from, async (documents, place, option) => {
  const target = placeOf(to, syscall);
  // A slash at the end is a folder's.
  if (place.text.endsWith("/") || target.text.endsWith("/")) {
    if ((await documents.stat(place.path, option)).kind !== "folder") {
      throw failure("ENOTDIR", "not a directory", syscall, place.text, undefined, target.text);
    }
  }
  return action(documents, place, target, { ...option, toDirectory: target.directory });
}, undefined, textOf(to));

const copyFile = async (from, to, mode = 0) => {
  if (!Number.isInteger(mode) || mode < 0 || mode > 7) {
    throw coded(RangeError, "ERR_OUT_OF_RANGE",
      `The value of "mode" is out of range. It must be an integer >= 0 && <= 7. Received ${String(mode)}`);
  }
  return between("copyfile", from, to, (documents, place, target, option) =>
  documents.copy(place.path, target.path,
    { ...option, overwrite: !(mode & constants.COPYFILE_EXCL), asSystem: true }));
};

const rename = (from, to) => between("rename", from, to, (documents, place, target, option) =>
  documents.move(place.path, target.path, { ...option, overwrite: true, asSystem: true }));

const cpFailure = (code, reason, path) => coded(Error, code, reason,
  { errno: errno[code.slice(10)] ?? errno.EINVAL, syscall: "cp", path });

/** The kind of what stands at a path; undefined for nothing. */
const kindOf = (path) => knownLink("lstat", path).then(({ kind }) => kind, (error) => {
  if (error.code === "ENOENT") return undefined;
  throw error;
});

/**
 * What is in a folder, with what is below it, links not followed: looked at before anything is copied, as the copy may come to
 * lie in there, by a link, too.
 */
const contentsOf = async (from) => {
  const { join } = require("node:path");
  const entries = await call("cp", from, (documents, place, at) =>
    documents.list(place.path === "." ? "" : place.path, at).toArray());
  const all = [];
  for (const { name, kind } of entries) {
    all.push({ name, kind, below: kind === "folder" ? await contentsOf(join(from, name)) : undefined });
  }
  return all;
};

const copyThing = async (from, to, kind, option, below) => {
  if (option.filter !== undefined && !await option.filter(from, to)) return;
  const there = await kindOf(to);
  const copy = (how) => between("cp", from, to, (documents, place, target, both) =>
    documents.copy(place.path, target.path, { ...both, ...how }));
  if (kind === "folder") return copyFolder(from, to, there, option, copy, below);
  if (there === "folder") {
    throw cpFailure("ERR_FS_CP_NON_DIR_TO_DIR",
      "Cannot overwrite directory with non-directory: cp returned ENOTDIR " +
      `(cannot overwrite directory ${to} with non-directory ${from}) ${to}`, to);
  }
  // A link that replaces nothing stays a link.
  if (there === undefined) return copy({ overwrite: false });
  // A link in the place goes, as with any other file: what it leads to is no part of it.
  if (there === "link" && option.force) {
    await removal("cp", to, { only: "file" });
    return copy({ overwrite: false });
  }
  if (kind === "link" && option.force) {
    throw failure("EEXIST", "a link does not replace a file", "symlink", from, undefined, to);
  }
  if (option.force) return copy({ overwrite: true, asSystem: true });
  if (option.errorOnExist) {
    throw cpFailure("ERR_FS_CP_EEXIST",
      `Target already exists: cp returned EEXIST (${to} already exists) ${to}`, to);
  }
};

/** What is in the folder already stays, but for the files that come with the same names. */
const copyFolder = async (from, to, there, option, copy, below) => {
  if (there !== undefined && there !== "folder") {
    throw cpFailure("ERR_FS_CP_DIR_TO_NON_DIR",
      "Cannot overwrite non-directory with directory: cp returned EISDIR " +
      `(cannot overwrite non-directory ${to} with directory ${from}) ${to}`, to);
  }
  if (there === undefined && option.filter === undefined) return copy({ overwrite: false });
  const entries = below ?? await contentsOf(from);
  await mkdir(to, { recursive: true });
  const { join } = require("node:path");
  for (const entry of entries) {
    await copyThing(join(from, entry.name), join(to, entry.name), entry.kind, option, entry.below);
  }
};

const cp = async (source, target, given) => {
  demandOptions(given);
  const recursive = flagOf(given, "recursive", false), force = flagOf(given, "force", true);
  const errorOnExist = flagOf(given, "errorOnExist", false);
  const filter = given && Object.hasOwn(given, "filter") ? given.filter : undefined;
  if (filter !== undefined) check.function(filter, "options.filter");
  const { dirname, normalize } = require("node:path");
  const [from, to] = [textOf(source), textOf(target)];
  const { kind } = await knownLink("cp", from);
  const [one, other] = [from, to].map((path) => normalize(path).replace(/(.)\/$/, "$1"));
  const invalid = (reason) => cpFailure("ERR_FS_CP_EINVAL",
    `Invalid src or dest: cp returned EINVAL (${reason}) ${to}`, to);
  if (one === other) throw invalid("src and dest cannot be the same");
  if (kind === "folder") {
    if (!recursive) {
      throw coded(Error, "ERR_FS_EISDIR",
        `Recursive option not enabled, cannot copy a directory: ${from}`);
    }
    if (one === "." ? !/^(\/|\.\.(\/|$))/.test(other) : other.startsWith(`${one}/`)) {
      throw invalid(`cannot copy ${from} to a subdirectory of self ${to}`);
    }
  }
  const above = dirname(to);
  if (above !== "." && above !== "/") await mkdir(above, { recursive: true });
  await copyThing(from, to, kind, { force, errorOnExist, filter });
};

const mkdtemp = async (prefix) => {
  check.string(prefix, "prefix");
  const path = prefix + Array.from(require("node:crypto").randomBytes(6),
    (byte) => "abcdefghijklmnopqrstuvwxyzABCDEF"[byte & 31]).join("");
  await mkdir(path);
  return path;
};

module.exports = {
  readFile, writeFile, stat, lstat, readdir, access, mkdir, rm, rmdir, copyFile, cp, rename, mkdtemp,
    constants,
  appendFile: (path, data, given) => writeFile(path, data, { ...optionsOf(given), flag: "a" }),
  unlink: (path) => removal("unlink", path, { only: "file" }),
  truncate: (path, size = 0) => call("open", path, (documents, place, option) =>
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

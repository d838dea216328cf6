// SPDX-License-Identifier: MIT
// node:fs/promises over nbridge.documents, whose permissions hold: a relative path is one of the app's
// documents, and a whole one below the app's own folder can be read.
"use strict";

const { Buffer } = require("node:buffer");
const { check, coded, invalidArgType, missing } = require("node:internal/errors");
const { between, call, demandFile, errno, failure, isFolders, known, knownLink, placeOf, removal, textOf } =
  require("node:internal/fscalls");
const { accessIn, badFile, demandOptions, flagOf, flagsIn, lengthIn, modeIn, optionsIn } =
  require("node:internal/fsoptions");
const constants = require("node:internal/fsconstants");
const { BigIntStats, Dirent, Stats } = require("node:internal/fsstats");

const encoded = (buffer, encoding) => encoding && encoding !== "buffer" ? buffer.toString(encoding) : buffer;

const readFile = async (path, given) => {
  const { encoding, signal, flag } = optionsIn(given);
  const { reads, creates, isNew, truncates } = flagsIn(flag, "r");
  const bytes = await call("open", path, async (documents, place, option, control) => {
    // Node has emptied or made the file by then; for a slip that would be much.
    if (!reads) throw badFile("read");
    const empty = new Uint8Array();
    if (isNew || truncates) {
      await documents.write(place.path, empty, { ...option, format: "bytes", overwrite: !isNew, asSystem: true },
        control);
    } else if (creates) await documents.append(place.path, empty, option, control);
    return documents.read(place.path, { ...option, format: "bytes" }, control);
  }, signal);
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
  const { encoding, signal, flag, mode } = optionsIn(given);
  const { writes, creates, isNew, truncates, appends } = flagsIn(flag, "w");
  const flush = typeof given === "object" && flagOf(given, "flush", false);
  const isMany = isIterable(data);
  const bytes = isMany ? undefined : contentOf(data, encoding);
  const made = modeIn(mode);
  await call("open", path, async (documents, place, option, control) => {
    if (!writes) throw badFile("write");
    await demandFile(documents, place, option, "open");
    if (appends && !isNew) {
      // It is made also where nothing comes.
      if (isMany) await documents.append(place.path, new Uint8Array(), { ...option, ...made }, control);
      for await (const piece of isMany ? data : [bytes]) {
        await documents.append(place.path, contentOf(piece, encoding), { ...option, ...made }, control);
      }
      return;
    }
    // What stands behind the bytes stays.
    if (!truncates && !isNew) {
      if (creates) await documents.append(place.path, new Uint8Array(), { ...option, ...made }, control);
      return isMany ? writeOver(documents, place, data, encoding, option, control)
        : documents.writeRange(place.path, 0, bytes, option, control);
    }
    const rules = { ...option, ...made, durable: flush, overwrite: !isNew, asSystem: true };
    if (isMany) return writePieces(documents, place, data, encoding, rules, control);
    return documents.write(place.path, bytes, { ...rules, format: "bytes" }, control);
  }, signal);
};

const statsOf = async (facts, given) => new (given?.bigint ? BigIntStats : Stats)(await facts);
const stat = (path, given) => statsOf(known("stat", path), given);
const lstat = (path, given) => statsOf(knownLink("lstat", path), given);

const readdir = async (path, given) => {
  const { withFileTypes = false, recursive = false, encoding } = optionsIn(given);
  const entries = await call("scandir", path, (documents, place, option) =>
    documents.list(place.path === "." ? "" : place.path, { ...option, recursive }).toArray());
  const folder = textOf(path);
  const { join, dirname } = require("node:path");
  if (withFileTypes) return entries.map(({ name, path: at, kind }) =>
    new Dirent(name, join(folder, dirname(at)), kind));
  return entries.map((entry) => encoded(Buffer.from(recursive ? entry.path : entry.name), encoding ??
    "utf8"));
};

const access = async (path, given) => {
  const mode = accessIn(given);
  const { directory } = placeOf(path, "access");
  const facts = await known("access", path);
  if (mode & constants.W_OK && directory === "bundle") {
    throw failure("EACCES", "the app's own folder can only be read", "access", textOf(path));
  }
  if (mode & constants.X_OK && facts.kind === "file" && !(facts.mode & 0o111)) {
    throw failure("EACCES", "permission denied", "access", textOf(path));
  }
};

/** Makes the folders that are not there, and answers the first of them. */
const makeFolders = async (path, mode) => {
  const make = (at, parents) => call("mkdir", at, (documents, place, option) =>
    documents.makeDirectory(place.path, { ...option, ...mode, parents, asSystem: true }));
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
    documents.makeDirectory(place.path, { ...option, ...mode, parents: false, asSystem: true }));
};

/** Removes a folder whose path ends in a slash, or in no name: of the last, rmdir(2) says that it can't be. */
const removeFolder = async (path) => {
  try {
    await removal("rmdir", path, { only: "emptyFolder" });
  } catch (error) {
    // Of a link to a folder nothing goes, as in Node.
    if (error.code === "ENOTDIR") return;
    if (error.code !== "ENOTEMPTY") throw error;
    await removal("rm", path, { permanently: true });
  }
};

const rm = async (path, given) => {
  demandOptions(given);
  const force = flagOf(given, "force", false), recursive = flagOf(given, "recursive", false);
  const isDirectory = () => coded(Error, "ERR_FS_EISDIR",
    `Path is a directory: rm returned EISDIR (is a directory) ${textOf(path)}`,
    { errno: errno.EISDIR, syscall: "rm", path: textOf(path) });
  try {
    if (isFolders(textOf(path))) {
      await knownLink("lstat", path);
      if (!recursive) throw isDirectory();
      return await removeFolder(path);
    }
    await removal("rm", path, recursive ? { permanently: true } : { only: "file" });
  } catch (error) {
    if (error.code === "EISDIR" && !recursive) throw isDirectory();
    if (!(force && error.code === "ENOENT")) throw error;
  }
};

const rmdir = async (path, given) => {
  demandOptions(given);
  if (!flagOf(given, "recursive", false)) return removal("rmdir", path, { only: "emptyFolder" });
  if ((await knownLink("rmdir", path)).kind !== "folder") {
    throw failure("ENOTDIR", "not a directory", "rmdir", textOf(path));
  }
  return isFolders(textOf(path)) ? removeFolder(path) : removal("rmdir", path, { permanently: true });
};

const copyFile = async (from, to, mode = 0) => {
  if (!Number.isInteger(mode) || mode < 0 || mode > 7) {
    throw coded(RangeError, "ERR_OUT_OF_RANGE",
      `The value of "mode" is out of range. It must be an integer >= 0 && <= 7. Received ${String(mode)}`);
  }
  return between("copyfile", from, to, async (documents, place, target, option) => {
    // What can't be opened comes first, whatever the target is.
    if (isFolders(place.text) || isFolders(target.text)) {
      const { kind } = await documents.stat(place.path, { directory: option.directory });
      if (kind === "folder") throw failure("EISDIR", "illegal operation on a directory", "copyfile", place.text,
        undefined, target.text);
      await demandFile(documents, target, { directory: target.directory }, "copyfile");
    }
    return documents.copy(place.path, target.path,
      { ...option, overwrite: !(mode & constants.COPYFILE_EXCL), asSystem: true });
  });
};

const rename = (from, to) => between("rename", from, to, (documents, place, target, option) =>
  documents.move(place.path, target.path, { ...option, overwrite: true, asSystem: true }));

const mkdtemp = async (prefix, given) => {
  const { encoding } = optionsIn(given);
  check.string(prefix, "prefix");
  const path = prefix + Array.from(require("node:crypto").randomBytes(6),
    (byte) => "abcdefghijklmnopqrstuvwxyzABCDEF"[byte & 31]).join("");
  await mkdir(path);
  return encoded(Buffer.from(path), encoding ?? "utf8");
};

module.exports = {
  readFile, writeFile, stat, lstat, readdir, access, mkdir, rm, rmdir, copyFile, rename, mkdtemp, constants,
  cp: (...given) => require("node:internal/fscopy").cp(...given),
  appendFile: (path, data, given) => writeFile(path, data, { flag: "a", ...optionsIn(given) }),
  unlink: (path) => removal("unlink", path, { only: "file" }),
  truncate: async (path, given) => {
    const size = lengthIn(given);
    await call("open", path, (documents, place, option) => documents.truncate(place.path, size, option));
  },
  realpath: async (path, given) => {
    const { encoding } = optionsIn(given);
    await known("realpath", path);
    return encoded(Buffer.from(textOf(path)), encoding ?? "utf8");
  },
};
for (const name of ["open", "opendir", "watch", "link", "symlink", "readlink", "chmod", "chown", "lchown",
  "utimes", "lutimes", "statfs"]) {
  module.exports[name] = async () => { throw missing(`fs.promises.${name}()`,
    "nbridge.documents has what there is of files"); };
}
Object.defineProperty(module.exports, "Stats", { value: Stats });
Object.defineProperty(module.exports, "Dirent", { value: Dirent });

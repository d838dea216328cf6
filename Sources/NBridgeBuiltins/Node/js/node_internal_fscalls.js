// SPDX-License-Identifier: MIT
// What the calls of node:fs/promises share: where a path leads, how nbridge.documents is asked, and what of
// its errors Node calls them.
"use strict";

const { Buffer } = require("node:buffer");
const { abortError, coded, invalidArgType } = require("node:internal/errors");
const { appFolder } = require("node:internal/start");
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

/** Whether a path can only be a folder's: it ends in a slash, or in no name. */
const isFolders = (text) => /(^|\/)\.{0,2}$/.test(text);

/** Throws as open(2) does where a path that is to be a file's is a folder's. */
const demandFile = async (documents, { path, text }, option, syscall) => {
  if (!isFolders(text)) return;
  const bare = path.replace(/(.)\/+$/, "$1");
  // What it is in must be there.
  const { dirname } = require("node:path");
  await documents.stat(isFolders(bare) ? path : `${dirname(bare)}/`, option);
  throw failure("EISDIR", "illegal operation on a directory", syscall, text);
};

const known = (syscall, path) => call(syscall, path, (documents, place, option) =>
  documents.stat(place.path, option));
/** The same of a link itself: who removes or copies what is in a folder must not go through one. */
const knownLink = (syscall, path) => call(syscall, path, (documents, place, option) =>
  documents.stat(place.path, { ...option, asLink: true }));
/** `how` says what alone is removed: between a look and a removal others could change what is there. */
const removal = async (syscall, path, how) => {
  await call(syscall, path, (documents, place, option) => documents.remove(place.path, { ...option, ...how }));
};

const between = async (syscall, from, to, action) => {
  await call(syscall, from, (documents, place, option) => {
    const target = placeOf(to, syscall);
    return action(documents, place, target, { ...option, toDirectory: target.directory });
  }, undefined, textOf(to));
};

module.exports = {
  between, call, demandFile, errno, failure, isFolders, known, knownLink, placeOf, removal, textOf,
};

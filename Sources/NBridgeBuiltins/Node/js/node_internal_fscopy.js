// SPDX-License-Identifier: MIT
// node:fs/promises' cp: files, folders with all that is in them, and links, which it copies or follows.
"use strict";

const { check, coded } = require("node:internal/errors");
const { between, call, errno, failure, isFolders, known, knownLink, removal, textOf } =
  require("node:internal/fscalls");
const { demandOptions, flagOf } = require("node:internal/fsoptions");
const { dirname, join, normalize } = require("node:path");

const mkdir = (path, option) => require("node:fs/promises").mkdir(path, option);

const cpFailure = (code, reason, path) => coded(Error, code, reason,
  { errno: errno[code.slice(10)] ?? errno.EINVAL, syscall: "cp", path });
const looped = (path) => failure("ELOOP", "a link leads to a folder that it is in", "cp", path);

/** What is known of a path, links followed or not; undefined where nothing stands. */
const lookAt = (path, follows) => (follows ? known("stat", path) : knownLink("lstat", path)).catch((error) => {
  if (error.code === "ENOENT") return undefined;
  throw error;
});

/** What a thing is, wherever its path leads through: the number of its inode. */
const numberOf = ({ identity }) => identity.slice(0, identity.indexOf("-"));

/**
 * What is in a folder, with what is below it: looked at before anything is copied, as the copy may come to lie in there, by a
 * link, too. `above` are the folders that it is in, which a link that is followed may lead to.
 */
const contentsOf = async (from, follows, above = []) => {
  const entries = await call("cp", from, (documents, place, at) =>
    documents.list(place.path === "." ? "" : place.path, at).toArray());
  const all = [];
  for (const { name, kind } of entries) {
    const path = join(from, name);
    const facts = follows ? await known("stat", path) : { kind };
    const isFolder = facts.kind === "folder";
    const number = follows && isFolder ? numberOf(facts) : undefined;
    if (number !== undefined && above.includes(number)) throw looped(path);
    const below = isFolder ? await contentsOf(path, follows, [...above, number]) : undefined;
    all.push({ name, kind: facts.kind, mode: facts.mode, below });
  }
  return all;
};

const isWanted = async (from, to, option) => option.filter === undefined || Boolean(await option.filter(from, to));

/** Throws where a folder would take the place of what is none, or the other way round. */
const demandKind = (from, to, kind, there) => {
  if (there === undefined || (kind === "folder") === (there === "folder")) return;
  if (kind === "folder") {
    throw cpFailure("ERR_FS_CP_DIR_TO_NON_DIR",
      "Cannot overwrite non-directory with directory: cp returned EISDIR " +
      `(cannot overwrite non-directory ${to} with directory ${from}) ${to}`, to);
  }
  throw cpFailure("ERR_FS_CP_NON_DIR_TO_DIR",
    "Cannot overwrite directory with non-directory: cp returned ENOTDIR " +
    `(cannot overwrite directory ${to} with non-directory ${from}) ${to}`, to);
};

/** `thing` is what is known of what is copied: its kind, and its mode where that is known. */
const copyThing = async (from, to, thing, option, below) => {
  const { kind } = thing;
  const link = (await lookAt(to, false))?.kind;
  const there = option.dereference && link === "link" ? (await lookAt(to, true))?.kind ?? link : link;
  demandKind(from, to, kind, there);
  const copy = (how) => between("cp", from, to, (documents, place, target, both) =>
    documents.copy(place.path, target.path, { ...both, asSystem: option.dereference, ...how }));
  if (kind === "folder") return copyFolder(from, to, there, thing, option, copy, below);
  // A link that replaces nothing stays a link.
  if (there === undefined) return copy({ overwrite: false });
  // A link in the place goes, as with any other file: what it leads to is no part of it.
  if (link === "link" && option.force) {
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
const copyFolder = async (from, to, there, { mode }, option, copy, below) => {
  // A slash behind a link leads to a folder; the path without it is the link.
  const isWhole = option.filter === undefined && !option.dereference && !isFolders(from);
  if (there === undefined && isWhole) return copy({ overwrite: false });
  const entries = below ?? await contentsOf(from, option.dereference, option.above);
  await mkdir(to, { recursive: true, mode });
  for (const entry of entries) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (await isWanted(source, target, option)) await copyThing(source, target, entry, option, entry.below);
  }
};

/** Whether a path lies in the folder of that number, whatever links lead there. */
const liesIn = async (path, number) => {
  for (let at = dirname(path); at !== "." && at !== "/"; at = dirname(at)) {
    const found = await lookAt(at, true);
    if (found !== undefined && numberOf(found) === number) return true;
  }
  return false;
};

const cp = async (source, target, given) => {
  demandOptions(given);
  const recursive = flagOf(given, "recursive", false), force = flagOf(given, "force", true);
  const errorOnExist = flagOf(given, "errorOnExist", false), dereference = flagOf(given, "dereference", false);
  const filter = given && Object.hasOwn(given, "filter") ? given.filter : undefined;
  if (filter !== undefined) check.function(filter, "options.filter");
  const [from, to] = [textOf(source), textOf(target)];
  const option = { force, errorOnExist, filter, dereference };
  if (!await isWanted(from, to, option)) return;
  const thing = await (dereference ? known("cp", from) : knownLink("cp", from));
  const number = numberOf(thing);
  const [one, other] = [from, to].map((path) => normalize(path).replace(/(.)\/$/, "$1"));
  const invalid = (reason) => cpFailure("ERR_FS_CP_EINVAL",
    `Invalid src or dest: cp returned EINVAL (${reason}) ${to}`, to);
  const there = await lookAt(to, dereference);
  if (one === other || dereference && there !== undefined && numberOf(there) === number) {
    throw invalid("src and dest cannot be the same");
  }
  demandKind(from, to, thing.kind, there?.kind);
  if (thing.kind === "folder") {
    const isInside = one === "." ? !/^(\/|\.\.(\/|$))/.test(other) : other.startsWith(`${one}/`);
    if (isInside || dereference && await liesIn(to, number)) {
      throw invalid(`cannot copy ${from} to a subdirectory of self ${to}`);
    }
    if (!recursive) {
      throw coded(Error, "ERR_FS_EISDIR",
        `Recursive option not enabled, cannot copy a directory: ${from}`);
    }
  }
  const above = dirname(to);
  if (above !== "." && above !== "/") await mkdir(above, { recursive: true });
  await copyThing(from, to, thing, { ...option, above: [number] });
};

module.exports = { cp };

// SPDX-License-Identifier: MIT
// node:path, whose POSIX half is the module and whose Windows half is `win32`.
"use strict";

const { assign, intrinsics } = require("node:internal/own");
const { endsWith, lastIndexOf, slice, split, startsWith } = intrinsics;
const { check, invalidArgType } = require("node:internal/errors");

const isLetter = (code) => (code >= 65 && code <= 90) || (code >= 97 && code <= 122);

/** The parts of a path with `.` and `..` taken out; those `..` that lead above a relative one stay. */
const resolved = (parts, staysBelow, separator) => {
  // No array, and none of its methods: a script may have changed them.
  const kept = { __proto__: null };
  let count = 0;
  for (let at = 0; at < parts.length; at++) {
    const part = parts[at];
    if (part === "" || part === ".") continue;
    if (part !== "..") kept[count++] = part;
    else if (count > 0 && kept[count - 1] !== "..") count--;
    else if (!staysBelow) kept[count++] = "..";
  }
  return joined(kept, 0, count, separator);
};

const joined = (parts, start, end, separator) => {
  let text = "";
  for (let at = start; at < end; at++) text += at > start ? separator + parts[at] : parts[at];
  return text;
};

/** Where a name's ending begins, -1 without one: `.bashrc` and `..` have none. */
const endingOf = (base) => {
  const dot = lastIndexOf(base, ".");
  if (dot <= 0 || base === "..") return -1;
  return dot;
};

const formatted = (separator, object) => {
  if (object === null || typeof object !== "object") throw invalidArgType("pathObject", "Object", object);
  const folder = object.dir || object.root;
  const ending = object.ext ? (object.ext[0] === "." ? object.ext : `.${object.ext}`) : "";
  const base = object.base || `${object.name || ""}${ending}`;
  if (!folder) return base;
  return folder === object.root ? `${folder}${base}` : `${folder}${separator}${base}`;
};

/** The last part of `rest`, without separators at its end, and where it begins. */
const lastPart = (path, from, isSeparator) => {
  let end = path.length;
  while (end > from && isSeparator(path[end - 1])) end--;
  let start = end;
  while (start > from && !isSeparator(path[start - 1])) start--;
  return { start, end, base: slice(path, start, end) };
};

/** The last part without an ending; what has no last part stays as it is, which is Node's way. */
const baseOf = (path, from, isSeparator, ending = "") => {
  if (ending !== "" && ending === path) return "";
  const { base } = lastPart(path, from, isSeparator);
  if (base === "" && ending !== "" && ending.length <= path.length) return slice(path, from);
  return ending !== "" && base !== ending && endsWith(base, ending) ? slice(base, 0, -ending.length) : base;
};

/** `dir`, `base`, `ext` and `name` behind a root that is `rootLength` long. */
const parsed = (path, rootLength, isSeparator) => {
  const root = slice(path, 0, rootLength);
  const { start, base } = lastPart(path, rootLength, isSeparator);
  const dot = endingOf(base);
  const ext = dot < 0 ? "" : slice(base, dot);
  const name = dot < 0 ? base : slice(base, 0, dot);
  const dir = start > rootLength ? slice(path, 0, start - 1) : root;
  return { root, dir, base, ext, name };
};

const cwd = () => require("node:process").cwd();

const isSlash = (character) => character === "/";

/** The parts of a whole path, of which the root has none. */
const partsOf = (path) => path === "/" ? { __proto__: null, length: 0 } : split(slice(path, 1), "/");

const posix = {
  resolve(...paths) {
    let path = "";
    for (let index = paths.length - 1; index >= -1 && !startsWith(path, "/"); index--) {
      const part = index < 0 ? cwd() : paths[index];
      check.string(part, `paths[${index}]`);
      if (part !== "") path = path === "" ? part : `${part}/${path}`;
    }
    const isWhole = startsWith(path, "/");
    const text = resolved(split(path, "/"), isWhole, "/");
    return isWhole ? `/${text}` : text || ".";
  },
  normalize(path) {
    check.string(path, "path");
    if (path === "") return ".";
    const isWhole = startsWith(path, "/");
    let text = resolved(split(path, "/"), isWhole, "/");
    if (text === "") return isWhole ? "/" : endsWith(path, "/") ? "./" : ".";
    if (endsWith(path, "/")) text += "/";
    return isWhole ? `/${text}` : text;
  },
  isAbsolute(path) {
    check.string(path, "path");
    return startsWith(path, "/");
  },
  join(...paths) {
    let whole = "";
    for (let at = 0; at < paths.length; at++) {
      check.string(paths[at], "path");
      if (paths[at] !== "") whole += whole === "" ? paths[at] : `/${paths[at]}`;
    }
    return whole === "" ? "." : posix.normalize(whole);
  },
  relative(from, to) {
    check.string(from, "from");
    check.string(to, "to");
    if (from === to) return "";
    const start = partsOf(posix.resolve(from));
    const end = partsOf(posix.resolve(to));
    let same = 0;
    while (same < start.length && same < end.length && start[same] === end[same]) same++;
    const rest = joined(end, same, end.length, "/");
    let up = "";
    for (let at = same; at < start.length; at++) up += at > same ? "/.." : "..";
    return up === "" || rest === "" ? up + rest : `${up}/${rest}`;
  },
  toNamespacedPath: (path) => path,
  dirname(path) {
    check.string(path, "path");
    if (path === "") return ".";
    const { start } = lastPart(path, 0, isSlash);
    if (start === 0) return startsWith(path, "/") ? "/" : ".";
    // Of several slashes only the last one is the end of the folder; two at the start stay.
    if (start === 2 && startsWith(path, "//")) return "//";
    return start === 1 ? "/" : slice(path, 0, start - 1);
  },
  basename(path, ending) {
    if (ending !== undefined) check.string(ending, "suffix");
    check.string(path, "path");
    return baseOf(path, 0, isSlash, ending);
  },
  extname(path) {
    check.string(path, "path");
    const { base } = lastPart(path, 0, isSlash);
    const dot = endingOf(base);
    return dot < 0 ? "" : slice(base, dot);
  },
  format: (object) => formatted("/", object),
  parse(path) {
    check.string(path, "path");
    return parsed(path, startsWith(path, "/") ? 1 : 0, isSlash);
  },
  sep: "/",
  delimiter: ":",
};

const isEither = (character) => character === "/" || character === "\\";

/** What a Windows path starts with: a drive, a share, and whether a separator follows. */
const rootOf = (path) => {
  if (isLetter(path.charCodeAt(0)) && path[1] === ":") {
    const isWhole = isEither(path[2]);
    return { device: path.slice(0, 2), isWhole, length: isWhole ? 3 : 2, isShare: false };
  }
  if (!isEither(path[0])) return { device: "", isWhole: false, length: 0, isShare: false };
  const share = /^[\\/]{2}([^\\/]+)[\\/]+([^\\/]+)([\\/]?)/.exec(path);
  if (share !== null) {
    return { device: `\\\\${share[1]}\\${share[2]}`, isWhole: true, length: share[0].length, isShare: true };
  }
  return { device: "", isWhole: true, length: 1, isShare: false };
};

const windowsText = (path) => {
  const { device, isWhole, length } = rootOf(path);
  const rest = path.slice(length);
  let text = resolved(rest.split(/[\\/]/), isWhole, "\\");
  if (text === "" && !isWhole) text = ".";
  if (text !== "" && isEither(path[path.length - 1]) && rest !== "") text += "\\";
  if (isWhole) return `${device}\\${text}`;
  // What is no drive must not become one by its folders being taken out.
  const looksLikeDrive = device === "" && (/^[A-Za-z]:/.test(text) || /:([\\/]|$)/.test(path));
  return looksLikeDrive ? `.\\${text}` : `${device}${text}`;
};

const win32 = {
  resolve(...paths) {
    let device = "";
    let rest = "";
    let isWhole = false;
    for (let index = paths.length - 1; index >= -1 && !(device !== "" && isWhole); index--) {
      // nbridge has no drives: the folder that a program runs in is the place of all of them.
      const path = index < 0 ? cwd() : paths[index];
      check.string(path, `paths[${index}]`);
      if (path === "") continue;
      const root = rootOf(path);
      if (root.device !== "") {
        if (device !== "" && device.toLowerCase() !== root.device.toLowerCase()) continue;
        device = root.device;
      }
      if (isWhole) continue;
      rest = `${path.slice(root.length)}\\${rest}`;
      isWhole = root.isWhole;
    }
    const text = resolved(rest.split(/[\\/]/), isWhole, "\\");
    return isWhole ? `${device}\\${text}` : `${device}${text}` || ".";
  },
  normalize(path) {
    check.string(path, "path");
    return path === "" ? "." : windowsText(path);
  },
  isAbsolute(path) {
    check.string(path, "path");
    return rootOf(path).isWhole;
  },
  join(...paths) {
    for (const path of paths) check.string(path, "path");
    const parts = paths.filter((path) => path !== "");
    if (parts.length === 0) return ".";
    // Only a first part that looks like a share may make one: `join("//", "a")` is no share.
    let joined = parts.join("\\");
    if (!/^[\\/]{2}[^\\/]/.test(parts[0])) joined = joined.replace(/^[\\/]{2,}/, "\\");
    return win32.normalize(joined);
  },
  relative(from, to) {
    check.string(from, "from");
    check.string(to, "to");
    if (from === to) return "";
    const [start, end] = [win32.resolve(from), win32.resolve(to)];
    if (start.toLowerCase() === end.toLowerCase()) return "";
    if (rootOf(start).device.toLowerCase() !== rootOf(end).device.toLowerCase()) return end;
    const [a, b] = [start, end].map((path) => path.split("\\").filter(Boolean));
    let same = 0;
    while (same < a.length && same < b.length && a[same].toLowerCase() === b[same].toLowerCase()) same++;
    if (same === 0 && a.length > 0 && b.length > 0) return end;
    return [...a.slice(same).map(() => ".."), ...b.slice(same)].join("\\");
  },
  toNamespacedPath(path) {
    if (typeof path !== "string" || path === "") return path;
    const whole = win32.resolve(path);
    if (/^\\\\[^?.]/.test(whole)) return `\\\\?\\UNC\\${whole.slice(2)}`;
    return /^[A-Za-z]:\\/.test(whole) ? `\\\\?\\${whole}` : whole;
  },
  dirname(path) {
    check.string(path, "path");
    if (path === "") return ".";
    const { length } = rootOf(path);
    const { start } = lastPart(path, length, isEither);
    if (start === length) return length > 0 ? path.slice(0, length) : ".";
    return path.slice(0, start - 1);
  },
  basename(path, ending) {
    if (ending !== undefined) check.string(ending, "suffix");
    check.string(path, "path");
    const from = isLetter(path.charCodeAt(0)) && path[1] === ":" ? 2 : 0;
    return baseOf(path, from, isEither, ending);
  },
  extname(path) {
    const base = win32.basename(path);
    const dot = endingOf(base);
    return dot < 0 ? "" : base.slice(dot);
  },
  format: (object) => formatted("\\", object),
  parse(path) {
    check.string(path, "path");
    return parsed(path, rootOf(path).length, isEither);
  },
  sep: "\\",
  delimiter: ";",
};

for (const half of [posix, win32]) assign(half, { posix, win32, _makeLong: half.toNamespacedPath });
module.exports = posix;

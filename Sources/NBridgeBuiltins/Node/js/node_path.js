// SPDX-License-Identifier: MIT
// node:path, whose POSIX half is the module and whose Windows half is `win32`.
"use strict";

const { check, invalidArgType } = require("node:internal/errors");

const isLetter = (code) => (code >= 65 && code <= 90) || (code >= 97 && code <= 122);

/** The parts of a path with `.` and `..` taken out; those `..` that lead above a relative one stay. */
const resolved = (parts, staysBelow) => {
  const kept = [];
  for (const part of parts) {
    if (part === "" || part === ".") continue;
    if (part !== "..") kept.push(part);
    else if (kept.length > 0 && kept.at(-1) !== "..") kept.pop();
    else if (!staysBelow) kept.push("..");
  }
  return kept;
};

/** Where a name's ending begins, -1 without one: `.bashrc` and `..` have none. */
const endingOf = (base) => {
  const dot = base.lastIndexOf(".");
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
  while (end > from && isSeparator(path.charCodeAt(end - 1))) end--;
  let start = end;
  while (start > from && !isSeparator(path.charCodeAt(start - 1))) start--;
  return { start, end, base: path.slice(start, end) };
};

/** The last part without an ending; what has no last part stays as it is, which is Node's way. */
const baseOf = (path, from, isSeparator, ending = "") => {
  if (ending !== "" && ending === path) return "";
  const { base } = lastPart(path, from, isSeparator);
  if (base === "" && ending !== "" && ending.length <= path.length) return path.slice(from);
  return ending !== "" && base !== ending && base.endsWith(ending) ? base.slice(0, -ending.length) : base;
};

/** `dir`, `base`, `ext` and `name` behind a root that is `rootLength` long. */
const parsed = (path, rootLength, isSeparator) => {
  const root = path.slice(0, rootLength);
  const { start, base } = lastPart(path, rootLength, isSeparator);
  const dot = endingOf(base);
  const ext = dot < 0 ? "" : base.slice(dot);
  const name = dot < 0 ? base : base.slice(0, dot);
  const dir = start > rootLength ? path.slice(0, start - 1) : root;
  return { root, dir, base, ext, name };
};

const cwd = () => require("node:process").cwd();

const isSlash = (code) => code === 47;

const posix = {
  resolve(...paths) {
    let path = "";
    for (let index = paths.length - 1; index >= -1 && !path.startsWith("/"); index--) {
      const part = index < 0 ? cwd() : paths[index];
      check.string(part, `paths[${index}]`);
      if (part !== "") path = path === "" ? part : `${part}/${path}`;
    }
    const isWhole = path.startsWith("/");
    const text = resolved(path.split("/"), isWhole).join("/");
    return isWhole ? `/${text}` : text || ".";
  },
  normalize(path) {
    check.string(path, "path");
    if (path === "") return ".";
    const isWhole = path.startsWith("/");
    let text = resolved(path.split("/"), isWhole).join("/");
    if (text === "") return isWhole ? "/" : path.endsWith("/") ? "./" : ".";
    if (path.endsWith("/")) text += "/";
    return isWhole ? `/${text}` : text;
  },
  isAbsolute(path) {
    check.string(path, "path");
    return path.startsWith("/");
  },
  join(...paths) {
    for (const path of paths) check.string(path, "path");
    const joined = paths.filter((path) => path !== "").join("/");
    return joined === "" ? "." : posix.normalize(joined);
  },
  relative(from, to) {
    check.string(from, "from");
    check.string(to, "to");
    if (from === to) return "";
    const start = posix.resolve(from).split("/").filter(Boolean);
    const end = posix.resolve(to).split("/").filter(Boolean);
    let same = 0;
    while (same < start.length && same < end.length && start[same] === end[same]) same++;
    return [...start.slice(same).map(() => ".."), ...end.slice(same)].join("/");
  },
  toNamespacedPath: (path) => path,
  dirname(path) {
    check.string(path, "path");
    if (path === "") return ".";
    const { start } = lastPart(path, 0, isSlash);
    if (start === 0) return path.startsWith("/") ? "/" : ".";
    // Of several slashes only the last one is the end of the folder; two at the start stay.
    if (start === 2 && path.startsWith("//")) return "//";
    return start === 1 ? "/" : path.slice(0, start - 1);
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
    return dot < 0 ? "" : base.slice(dot);
  },
  format: (object) => formatted("/", object),
  parse(path) {
    check.string(path, "path");
    return parsed(path, path.startsWith("/") ? 1 : 0, isSlash);
  },
  sep: "/",
  delimiter: ":",
};

const isEither = (code) => code === 47 || code === 92;

/** What a Windows path starts with: a drive, a share, and whether a separator follows. */
const rootOf = (path) => {
  if (isLetter(path.charCodeAt(0)) && path[1] === ":") {
    const isWhole = isEither(path.charCodeAt(2));
    return { device: path.slice(0, 2), isWhole, length: isWhole ? 3 : 2, isShare: false };
  }
  if (!isEither(path.charCodeAt(0))) return { device: "", isWhole: false, length: 0, isShare: false };
  const share = /^[\\/]{2}([^\\/]+)[\\/]+([^\\/]+)([\\/]?)/.exec(path);
  if (share !== null) {
    return { device: `\\\\${share[1]}\\${share[2]}`, isWhole: true, length: share[0].length, isShare: true };
  }
  return { device: "", isWhole: true, length: 1, isShare: false };
};

const windowsText = (path) => {
  const { device, isWhole, length } = rootOf(path);
  const rest = path.slice(length);
  let text = resolved(rest.split(/[\\/]/), isWhole).join("\\");
  if (text === "" && !isWhole) text = ".";
  if (text !== "" && isEither(path.charCodeAt(path.length - 1)) && rest !== "") text += "\\";
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
    const text = resolved(rest.split(/[\\/]/), isWhole).join("\\");
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

for (const half of [posix, win32]) Object.assign(half, { posix, win32, _makeLong: half.toNamespacedPath });
module.exports = posix;

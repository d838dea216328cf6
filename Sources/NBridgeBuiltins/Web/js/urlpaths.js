// SPDX-License-Identifier: MIT
// The paths of URLs (WHATWG URL Standard, section 4.4), for urlparser.js. A path is kept in its serialised form, as its Parts
// tell. It has a global object of its own, as the parser has.
((host) => {
  "use strict";

  const { percentEncode } = host;

  // What the parser encodes in them: the set lists what is left alone.
  const PATH = /[^!$-;=@-_a-z|~]+/g;
  const SLASH = /[/\\]/;
  const DRIVE = /^[a-z][:|]$/i;
  const STARTS_WITH_DRIVE = /^[a-z][:|](?:[/\\]|$)/i;
  const PATH_IN_DRIVE = /^\/[a-z]:(?:\/|$)/i;
  const DOT_SEGMENT = /(?:^|\/)(?:\.|%2e)(?:\.|%2e)?(?:[/?#]|$)/i;
  const DOT = /^(?:\.|%2e)$/i;
  const DOTS = /^(?:\.|%2e)(?:\.|%2e)?$/i;

  // Used as it is, but for dot segments and drive letters.
  const PLAIN_CHARS = "[!$-;=@-[\\]_a-z|~]*";
  const PLAIN_PATH = new RegExp(`^${PLAIN_CHARS}$`);

  const isSlash = (url, char) => char === "/" || (char === "\\" && url.special);

  // Drops the last segment, but never the drive letter of a file URL.
  const shorten = (url, path) => {
    if (path === "" || (url.scheme === "file" && path.length === 3 && PATH_IN_DRIVE.test(path))) return path;
    return path.slice(0, path.lastIndexOf("/"));
  };

  const isDots = (segment) =>
    segment === "." || segment === ".." || ((segment[0] === "." || segment[0] === "%") && DOTS.test(segment));

  // Appends segments of which some are dots.
  const resolveDots = (url, path, encoded) => {
    // An array and not more of the string: adding and dropping by turns would copy a long path each time. The engine copies
    // a long array, too, when that is made shorter: it is at the end.
    const kept = [];
    let count = 0;
    for (let start = 0, end = 0; end < encoded.length; start = end + 1) {
      end = encoded.indexOf("/", start);
      if (end < 0) end = encoded.length;
      const segment = encoded.slice(start, end);
      const first = url.scheme === "file" && path === "" && count === 0;
      if (!isDots(segment)) {
        kept[count++] = first && DRIVE.test(segment) ? segment[0] + ":" : segment;
        continue;
      }
      if (segment !== "." && !DOT.test(segment)) {
        if (count === 0) path = shorten(url, path);
        else if (count > 1 || path !== "" || shorten(url, "/" + kept[0]) === "") count--;
      }
      if (end === encoded.length) kept[count++] = "";
    }
    kept.length = count;
    return count === 0 ? path : path + "/" + kept.join("/");
  };

  // Appends the segments in text (which has no leading slash of its own) to a serialised path.
  const appendPath = (url, path, text) => {
    let encoded = PLAIN_PATH.test(text) ? text : percentEncode(text, PATH);
    if (url.special && encoded.indexOf("\\") >= 0) encoded = encoded.replaceAll("\\", "/");
    // Only the first segment of a path can be a drive letter, which may be written as "C|".
    if (!DOT_SEGMENT.test(encoded)) {
      const drive = url.scheme === "file" && path === "" && STARTS_WITH_DRIVE.test(encoded);
      return drive ? `/${encoded[0]}:${encoded.slice(2)}` : path + "/" + encoded;
    }
    return resolveDots(url, path, encoded);
  };

  // The path after an authority: special URLs always have one.
  const startPath = (url, text) => {
    if (text === "" && !url.special) return "";
    return appendPath(url, "", isSlash(url, text[0]) ? text.slice(1) : text);
  };

  // How many dots a segment is, 0 if it is none of one or two; looked at where it stands, since most are none.
  const dotsAt = (path, start, end) => {
    const first = path.charCodeAt(start), length = end - start;
    if (first === 0x2E && length <= 2) return length === 1 ? 1 : path.charCodeAt(start + 1) === 0x2E ? 2 : 0;
    if ((first !== 0x2E && first !== 0x25) || length > 6) return 0;
    const segment = path.slice(start, end);
    return !isDots(segment) ? 0 : DOT.test(segment) ? 1 : 2;
  };

  // As resolveDots, for a path that needs nothing else: a text that grows and shrinks takes a quarter of an array's time.
  const withoutDots = (path) => {
    let resolved = "";
    for (let start = 0, end = 0; start < path.length; start = end) {
      end = path.indexOf("/", start + 1);
      if (end < 0) end = path.length;
      const dots = dotsAt(path, start + 1, end);
      if (dots === 0) resolved += path.slice(start, end);
      else {
        if (dots === 2) resolved = resolved.slice(0, resolved.lastIndexOf("/"));
        if (end === path.length) resolved += "/";
      }
    }
    return resolved;
  };

  const expressions = { DOT_SEGMENT, DRIVE, PATH_IN_DRIVE, PLAIN_CHARS, SLASH, STARTS_WITH_DRIVE };
  return { ...expressions, appendPath, isSlash, shorten, startPath, withoutDots };
})

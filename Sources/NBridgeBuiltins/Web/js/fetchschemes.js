// SPDX-License-Identifier: MIT
// What fetch gets without a server: `data:` and `blob:` (Fetch standard, 4.1 and 6); `file:` is in fetchfiles.js.
((host) => {
  "use strict";
  const { atob, blobs, blob, headers, pairs, texts, mimeTypes, core, turns } = host;
  const { unitAt, slice, lower, indexIn, trimmed } = texts;
  const { rejected } = core;
  const { TypeError } = globalThis;
  const Bytes = Uint8Array;
  const uncurry = (method) => Function.prototype.call.bind(method);
  // Of a Blob, whose bytes no script may come by.
  const typed = Object.getPrototypeOf(Bytes.prototype);
  const getterOf = (name) => uncurry(Object.getOwnPropertyDescriptor(typed, name).get);
  const bufferOf = getterOf("buffer"), offsetOf = getterOf("byteOffset"), lengthOf = getterOf("byteLength");
  const { fromCharCode } = String;
  const lastIndexIn = uncurry(String.prototype.lastIndexOf);

  const failed = (reason) => new TypeError(`fetch failed: ${reason}`);

  const answer = (list, body, status = 200, reason = "OK") => ({ __proto__: null, status, reason, list, body, rest: undefined });

  const hexOf = (unit) => unit >= 0x30 && unit <= 0x39 ? unit - 0x30
    : unit >= 0x41 && unit <= 0x46 ? unit - 0x37 : unit >= 0x61 && unit <= 0x66 ? unit - 0x57 : -1;

  /** "Percent-decode" of text whose characters are bytes: a URL has no others. */
  const percentDecoded = (text) => {
    let out = "";
    let done = 0;
    for (let at = indexIn(text, "%"); at >= 0; at = indexIn(text, "%", at + 1)) {
      const high = at + 2 < text.length ? hexOf(unitAt(text, at + 1)) : -1, low = high < 0 ? -1 : hexOf(unitAt(text, at + 2));
      if (low < 0) continue;
      out += slice(text, done, at) + fromCharCode(16 * high + low);
      done = at + 3;
    }
    return out + slice(text, done, text.length);
  };

  const bytesOf = (text) => {
    const bytes = new Bytes(text.length);
    for (let i = 0; i < text.length; i++) bytes[i] = unitAt(text, i);
    return bytes;
  };

  /** "data: URL processor". */
  const ofData = (url) => {
    const comma = indexIn(url, ",");
    if (comma < 0) return rejected(failed("a data: URL needs a comma before its data"));
    let type = trimmed(slice(url, 5, comma));
    const fragment = indexIn(url, "#", comma);
    let text = percentDecoded(slice(url, comma + 1, fragment < 0 ? url.length : fragment));
    const semicolon = lastIndexIn(type, ";");
    if (semicolon >= 0 && lower(trimmed(slice(type, semicolon + 1, type.length))) === "base64") {
      try { text = atob(text); } catch { return rejected(failed("the data: URL is not base64")); }
      type = trimmed(slice(type, 0, semicolon));
    }
    if (type[0] === ";") type = `text/plain${type}`;
    const parsed = mimeTypes.parse(type) ?? mimeTypes.parse("text/plain;charset=US-ASCII");
    return turns.promise(answer(["content-type", mimeTypes.serialize(parsed)], bytesOf(text)), text.length);
  };

  const RANGE = /^bytes[\t ]*=[\t ]*([0-9]*)[\t ]*-[\t ]*([0-9]*)$/;
  const match = uncurry(RegExp.prototype.exec);

  /** "Parse a single range header value", as places of `size` bytes: `{ start, end }`; undefined where it names none of them. */
  const rangeOf = (text, size) => {
    const found = match(RANGE, text);
    if (found === null) return undefined;
    const { 1: first, 2: second } = found;
    if (first === "" && second === "") return undefined;
    const last = second === "" ? size - 1 : +second;
    // The last so many.
    if (first === "") return last === 0 || size === 0 ? undefined : { start: last < size ? size - last : 0, end: size };
    const start = +first;
    if (start >= size || start > last) return undefined;
    return { start, end: last < size ? last + 1 : size };
  };

  const ofBlob = ({ url, method, list, blob: kept }) => {
    const found = kept ?? blobs.find(url);
    if (found === undefined || method !== "GET") return rejected(failed("there is no such blob: URL, or it was revoked"));
    const bytes = blob.bytesOf(found), type = blob.typeOf(found), size = lengthOf(bytes);
    const wanted = headers.combined(list, "range");
    const range = wanted === null ? { start: 0, end: size } : rangeOf(wanted, size);
    if (range === undefined) return rejected(failed(`the blob has ${size} bytes, and none that the Range "${wanted}" names`));
    const { start, end } = range, told = ["content-length", `${end - start}`, "content-type", type];
    if (wanted === null) return turns.promise(answer(told, bytes), 0);
    pairs.append(told, "content-range", `bytes ${start}-${end - 1}/${size}`);
    const part = new Bytes(bufferOf(bytes), offsetOf(bytes) + start, end - start);
    return turns.promise(answer(told, part, 206, "Partial Content"), 0);
  };

  /** A promise of the answer to a request that no server is asked for; undefined for one of a server's. */
  const otherScheme = (state) => {
    const { url } = state, scheme = lower(slice(url, 0, indexIn(url, ":")));
    if (scheme === "http" || scheme === "https") return undefined;
    if (scheme === "data") return ofData(url);
    if (scheme === "blob") return ofBlob(state);
    if (scheme === "file") return host.ofFile(state);
    return rejected(failed(`the scheme ${scheme}: is none that is fetched; there are http:, https:, data:, blob: and file:`));
  };

  return { otherScheme };
})

// SPDX-License-Identifier: MIT
// What fetch answers for `file:` URLs. The files are the plugin `documents`': what opens one to its other calls opens it here.
((host) => {
  "use strict";
  const { texts, core } = host;
  const { lower, indexIn, slice } = texts;
  const { react, rejected } = core;
  const { TypeError, decodeURIComponent } = globalThis;
  const lastIndexIn = Function.prototype.call.bind(String.prototype.lastIndexOf);

  const failed = (reason, cause) => new TypeError(`fetch failed: ${reason}`, cause === undefined ? undefined : { __proto__: null, cause });

  // What a name ends in, and what is in such a file (IANA's names).
  const TYPES = {
    __proto__: null,
    html: "text/html", htm: "text/html", js: "text/javascript", mjs: "text/javascript", css: "text/css", txt: "text/plain",
    md: "text/markdown", csv: "text/csv", xml: "text/xml", json: "application/json", map: "application/json",
    webmanifest: "application/manifest+json", wasm: "application/wasm", pdf: "application/pdf", zip: "application/zip",
    gz: "application/gzip", svg: "image/svg+xml", png: "image/png", jpg: "image/jpeg", jpeg: "image/jpeg", gif: "image/gif",
    webp: "image/webp", avif: "image/avif", ico: "image/x-icon", woff: "font/woff", woff2: "font/woff2", ttf: "font/ttf",
    otf: "font/otf", mp3: "audio/mpeg", ogg: "audio/ogg", wav: "audio/wav", mp4: "video/mp4", webm: "video/webm",
  };

  /** A name that is not UTF-8 stays as it stands in the URL. */
  const decoded = (name) => { try { return decodeURIComponent(name); } catch { return name; } };

  const typeOf = (path) => {
    const name = decoded(slice(path, lastIndexIn(path, "/") + 1, path.length)), dot = lastIndexIn(name, ".");
    // A hidden file's name is no ending.
    return (dot > 0 ? TYPES[lower(slice(name, dot + 1, name.length))] : undefined) ?? "application/octet-stream";
  };

  const endOf = (url) => {
    const query = indexIn(url, "?"), fragment = indexIn(url, "#");
    if (query < 0) return fragment < 0 ? url.length : fragment;
    return fragment >= 0 && fragment < query ? fragment : query;
  };

  /** A promise of the answer to a request for a file. */
  const ofFile = ({ url, method, signal }) => {
    if (method !== "GET") return rejected(failed(`a file is only read: the method must be GET, and is ${method}`));
    const start = indexIn(url, "/", 7);
    if (start !== 7) return rejected(failed("a file: URL must not name a host: a file is one of this machine"));
    const path = slice(url, start, endOf(url));
    let call;
    try { call = host.fetchFile({ __proto__: null, path }, signal === undefined ? undefined : { __proto__: null, signal }); } catch (error) {
      return rejected(failed(error?.message, error));
    }
    return react(call, ({ size, rest }) => ({
      __proto__: null, status: 200, reason: "OK", list: ["content-type", typeOf(path), "content-length", `${size}`], body: undefined, rest,
    }), (error) => {
      throw failed(error?.message, error);
    });
  };

  return { ofFile };
})

// SPDX-License-Identifier: MIT
// URL.createObjectURL and URL.revokeObjectURL: addresses of this program's Blobs (File API, section 8).
((host) => {
  "use strict";
  const { blob: blobs, randomUUID } = host;
  const { slice, indexIn } = host.texts;
  const { TypeError } = globalThis;
  const known = { __proto__: null };

  const keyOf = (url) => {
    const text = `${url}`, at = indexIn(text, "#");
    return at < 0 ? text : slice(text, 0, at);
  };

  const blobURLs = {
    create(blob) {
      if (blobs.bytesOf(blob) === undefined) throw new TypeError("URL.createObjectURL needs a Blob");
      const url = `blob:null/${randomUUID()}`;
      known[url] = blob;
      return url;
    },
    revoke(url) { delete known[keyOf(url)]; },
    /** The Blob of a URL; undefined where there is none any more. */
    find: (url) => known[keyOf(url)],
  };
  return { blobURLs };
})

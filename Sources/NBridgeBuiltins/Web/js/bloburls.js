// SPDX-License-Identifier: MIT
// URL.createObjectURL and URL.revokeObjectURL: addresses of Blobs, for this engine and the program's others (File API, section 8).
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
      host.publish(url, blobs.keptBytesOf(blob, host.keep), blobs.typeOf(blob));
      return url;
    },
    revoke(url) {
      const key = keyOf(url);
      delete known[key];
      host.withdraw(key);
    },
    /** The Blob of a URL; undefined where there is none any more. */
    find(url) {
      const key = keyOf(url), found = host.published(key);
      // Whichever engine has revoked it.
      if (found === undefined) return undefined;
      return known[key] ?? blobs.over(found[0], found[1]);
    },
    /** A script's address as native code can read it: that of a Blob with the Blob's bytes in it. */
    carried(url) {
      const blob = indexIn(url, "blob:") === 0 ? blobURLs.find(url) : undefined;
      return blob === undefined ? url : `data:text/javascript;base64,${host.base64.encode(blobs.bytesOf(blob))}`;
    },
  };
  return { blobURLs };
})

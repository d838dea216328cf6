// SPDX-License-Identifier: MIT
// URL.createObjectURL and URL.revokeObjectURL: addresses of Blobs, for this engine and the program's others (File API, section 8).
((host) => {
  "use strict";
  const { blob: blobs, randomUUID } = host;
  const { slice, indexIn } = host.texts;
  const { TypeError } = globalThis;

  const keyOf = (url) => {
    const text = `${url}`, at = indexIn(text, "#");
    return at < 0 ? text : slice(text, 0, at);
  };

  const blobURLs = {
    create(blob) {
      if (blobs.bytesOf(blob) === undefined) throw new TypeError("URL.createObjectURL needs a Blob");
      const url = `blob:null/${randomUUID()}`;
      host.publish(url, blobs.keptBytesOf(blob, host.keep), blobs.typeOf(blob));
      return url;
    },
    /** One with a fragment is another URL than what was made. */
    revoke(url) {
      if (indexIn(url, "#") < 0) host.withdraw(keyOf(url));
    },
    /** The Blob of a URL; undefined where there is none any more. */
    find(url) {
      const found = host.published(keyOf(url));
      // Whichever engine has revoked it.
      return found === undefined ? undefined : blobs.over(found[0], found[1]);
    },
    /** A script's address as native code can read it: that of a Blob with the Blob's bytes in it. */
    carried(url) {
      const blob = indexIn(url, "blob:") === 0 ? blobURLs.find(url) : undefined;
      return blob === undefined ? url : `data:text/javascript;base64,${host.base64.encode(blobs.bytesOf(blob))}`;
    },
  };
  return { blobURLs };
})

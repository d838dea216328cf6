// SPDX-License-Identifier: MIT
// Runs in a global object of its own, which no script gets: what is made here keeps this one, and nothing that scripts have.
(() => {
  "use strict";
  const uncurry = (method) => Function.prototype.call.bind(method);
  const { isView } = ArrayBuffer;
  const typed = Object.getPrototypeOf(Uint8Array.prototype);
  const getter = (name) => uncurry(Object.getOwnPropertyDescriptor(typed, name).get);
  const bufferOf = getter("buffer"), offsetOf = getter("byteOffset"), lengthOf = getter("byteLength");
  const transfer = uncurry(ArrayBuffer.prototype.transfer), setBytes = uncurry(typed.set);
  const made = new WeakSet();
  /** What was copied of a buffer, for other views of it: `{ start, copy }`, in the order in which it was. */
  const copies = new WeakMap();
  const MOST = 16;

  const copied = (bytes) => {
    const buffer = bufferOf(bytes), start = offsetOf(bytes), length = lengthOf(bytes), known = copies.get(buffer) ?? [];
    for (const part of known) {
      if (part.start <= start && start + length <= part.start + part.copy.length) {
        return part.copy.subarray(start - part.start, start - part.start + length);
      }
    }
    const copy = new Uint8Array(length);
    setBytes(copy, bytes);
    copies.set(buffer, [...known.slice(1 - MOST), { start, copy }]);
    return copy;
  };

  const kept = (bytes) => {
    made.add(bufferOf(bytes));
    return bytes;
  };

  /** A `Uint8Array` of this global's: of a buffer, which nobody else has, its memory; of bytes that others have, too, a copy. */
  return (value) => {
    if (!isView(value)) return kept(new Uint8Array(transfer(value)));
    const buffer = bufferOf(value);
    return made.has(buffer) ? new Uint8Array(buffer, offsetOf(value), lengthOf(value)) : kept(copied(value));
  };
})

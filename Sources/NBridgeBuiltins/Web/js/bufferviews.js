// SPDX-License-Identifier: MIT
// Buffers and views as streams of bytes take them (Streams standard, section 8), whatever scripts make of their prototypes.
((host) => {
  "use strict";
  const { TypeError } = globalThis;
  const { isObject, uncurry } = host.core;
  const { getOwnPropertyDescriptor, getPrototypeOf } = Object;
  const { isView } = ArrayBuffer;
  const Bytes = Uint8Array;
  const Buffer = ArrayBuffer;

  const getterOf = (prototype, name) => uncurry(getOwnPropertyDescriptor(prototype, name).get);
  const typed = getPrototypeOf(Bytes.prototype);
  const typeOf = getterOf(typed, Symbol.toStringTag);
  const setBytes = uncurry(typed.set);
  const transfer = uncurry(Buffer.prototype.transferToFixedLength);
  const isDetached = getterOf(Buffer.prototype, "detached");
  const bufferLength = getterOf(Buffer.prototype, "byteLength");
  const isResizable = getterOf(Buffer.prototype, "resizable");
  const fields = (prototype) => ({
    buffer: getterOf(prototype, "buffer"),
    byteOffset: getterOf(prototype, "byteOffset"),
    byteLength: getterOf(prototype, "byteLength"),
  });
  const ofTyped = fields(typed);
  const ofData = fields(DataView.prototype);

  const VIEWS = { __proto__: null };
  for (const name of ["Int8", "Uint8", "Uint8Clamped", "Int16", "Uint16", "Int32", "Uint32", "Float16",
    "Float32", "Float64", "BigInt64", "BigUint64"]) {
    const View = globalThis[`${name}Array`];
    if (View !== undefined) VIEWS[`${name}Array`] = { View, elementSize: View.BYTES_PER_ELEMENT };
  }
  const DATA = { View: DataView, elementSize: 1 };

  /** What there is to know of a view, whatever its prototype says. */
  const partsOf = (view) => {
    const type = typeOf(view);
    const get = type === undefined ? ofData : ofTyped;
    const { View, elementSize } = type === undefined ? DATA : VIEWS[type];
    return {
      View, elementSize, buffer: get.buffer(view), byteOffset: get.byteOffset(view),
      byteLength: get.byteLength(view),
    };
  };

  const isBuffer = (value) => { try { bufferLength(value); return true; } catch { return false; } };

  /** Refuses a buffer that is not an ArrayBuffer of one length. */
  const demandFixed = (buffer, where) => {
    let isFixed = false;
    try {
      isFixed = !isResizable(buffer);
    } catch {} // A SharedArrayBuffer.
    if (!isFixed) throw new TypeError(`${where} needs a buffer that is neither shared nor resizable`);
  };

  const ownerOf = (view) => (typeOf(view) === undefined ? ofData : ofTyped).buffer(view);

  /** An ArrayBufferView without [AllowShared] and [AllowResizable]. */
  const toView = (value, where) => {
    if (!isView(value)) throw new TypeError(`${where} needs a view of an ArrayBuffer`);
    demandFixed(ownerOf(value), where);
    return value;
  };

  /**
   * A copy of the bytes of a BufferSource without [AllowShared] and [AllowResizable], none of one that was detached (Web IDL,
   * 3.2.25, "get a copy of the bytes held by the buffer source"); undefined for what is none.
   */
  const bytesIn = (value, where) => {
    if (!isObject(value)) return undefined;
    const buffer = isView(value) ? ownerOf(value) : value;
    if (buffer === value && !isBuffer(value)) return undefined;
    demandFixed(buffer, where);
    if (isDetached(buffer)) return new Bytes(0);
    if (buffer === value) return new Bytes(cloned(buffer, 0, bufferLength(buffer)));
    const { byteOffset, byteLength } = partsOf(value);
    return new Bytes(cloned(buffer, byteOffset, byteLength));
  };

  const copyBytes = (to, toOffset, from, fromOffset, count) =>
    setBytes(new Bytes(to, toOffset, count), new Bytes(from, fromOffset, count));

  /** A copy of some bytes of a buffer. */
  const cloned = (buffer, byteOffset, byteLength) => {
    const copy = new Buffer(byteLength);
    copyBytes(copy, 0, buffer, byteOffset, byteLength);
    return copy;
  };

  return { bufferViews: { bufferLength, bytesIn, cloned, copyBytes, isDetached, partsOf, toView, transfer } };
})

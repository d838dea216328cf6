// SPDX-License-Identifier: MIT
// Buffers and views as streams of bytes take them (Streams standard, section 8), whatever scripts make of their prototypes.
((host) => {
  "use strict";
  const { TypeError } = globalThis;
  const { uncurry } = host.core;
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

  /** An ArrayBufferView without [AllowShared] and [AllowResizable]. */
  const toView = (value, where) => {
    if (!isView(value)) throw new TypeError(`${where} needs a view of an ArrayBuffer`);
    const buffer = (typeOf(value) === undefined ? ofData : ofTyped).buffer(value);
    let isFixed = false;
    try {
      isFixed = !isResizable(buffer);
    } catch {} // A SharedArrayBuffer.
    if (!isFixed) throw new TypeError(`${where} needs a buffer that is neither shared nor resizable`);
    return value;
  };

  const copyBytes = (to, toOffset, from, fromOffset, count) =>
    setBytes(new Bytes(to, toOffset, count), new Bytes(from, fromOffset, count));

  /** A copy of some bytes of a buffer. */
  const cloned = (buffer, byteOffset, byteLength) => {
    const copy = new Buffer(byteLength);
    copyBytes(copy, 0, buffer, byteOffset, byteLength);
    return copy;
  };

  return { bufferViews: { bufferLength, cloned, copyBytes, isDetached, partsOf, toView, transfer } };
})

// SPDX-License-Identifier: MIT
// In a window, a pipe of its own leads to the program: Sources/nbridge-window, extension.c or js/line.js. Nobody else finds it. Long byte
// values go before their message, in files in memory, where the pipe can.
((window) => {
  "use strict";
  const { Uint8Array, Math } = window, { apply } = window.Reflect;
  const pipe = window.nbridgePipe;
  delete window.nbridgePipe;
  if (pipe === undefined) return undefined;

  /** What goes in files goes through it: a buffer whose memory native code has seen can't be transferred any more. */
  let stage;
  const STAGE = 1 << 20;
  const staged = () => stage ??= new Uint8Array(STAGE);

  /** Copies the bytes of a view as they are now. Answers a number for `send` and `drop`, or -1 where they have to stand in the message. */
  const keep = (part) => {
    const number = pipe.keep?.() ?? -1, { buffer, byteOffset, byteLength } = part;
    if (number < 0) return -1;
    staged();
    for (let at = 0; at < byteLength; at += STAGE) {
      const count = Math.min(STAGE, byteLength - at);
      stage.set(new Uint8Array(buffer, byteOffset + at, count));
      if (pipe.fill(number, stage, count)) continue;
      pipe.drop(number);
      return -1;
    }
    return number;
  };

  /** The bytes of the file that comes just now. */
  const received = (size) => {
    const bytes = new Uint8Array(size);
    for (let at = 0; at < size;) {
      const count = pipe.read(staged(), at);
      if (count === 0) break;
      bytes.set(count === STAGE ? stage : stage.subarray(0, count), at);
      at += count;
    }
    return bytes;
  };

  /** The pipe, as a socket is. `onmessage` gets what came before the message, too. */
  const open = (later) => {
    let files = [], size = 0;
    const send = (data, numbers) => {
      const all = [data];
      for (let index = 0; index < numbers?.length; index++) all[index + 1] = numbers[index];
      apply(pipe.send, pipe, all);
    };
    const link = { __proto__: null, send, close: () => pipe.close() };
    const end = () => link.onclose({ code: 1006 });
    const isOpen = pipe.open((what, data) => {
      if (what === "close") return end();
      if (what === "file") data = received(data);
      size += data.length;
      if (what === "file" || what === "part") return void (files[files.length] = data);
      const message = { __proto__: null, data, files, size };
      if (files.length > 0) files = [];
      size = 0;
      link.onmessage(message);
    });
    later(() => (isOpen ? link.onopen() : end()));
    return link;
  };

  /** The first messages of a list are not sent again. */
  const drop = (messages, count) => {
    for (let index = 0; index < count && index < messages.length; index++) {
      const { files } = messages[index];
      for (let at = 0; at < files.length; at++) pipe.drop(files[at]);
    }
  };

  /** A page that goes has no later turn in which what was sent could go out. */
  const drain = () => pipe.drain?.();

  return { __proto__: null, open, keep, drop, drain };
})

// SPDX-License-Identifier: MIT
// Calls of a page: one by one, a hundred in a turn, and bytes there and back. Without the bridge, messages of the same size to a server
// that sends them back: the floor.
"use strict";

const MEGABYTES = 16;

/** What the floor has in the place of calls: a message, and a promise of the next one. */
const openEcho = async () => {
  const socket = new WebSocket(`ws://${location.host}/socket`), waiting = [];
  socket.binaryType = "arraybuffer";
  socket.onmessage = ({ data }) => waiting.shift()(data);
  await new Promise((resolve) => { socket.onopen = resolve; });
  return (bytes) => new Promise((resolve) => {
    waiting.push(resolve);
    socket.send(bytes);
  });
};

const timed = async (times, body) => {
  await body();
  const start = performance.now();
  for (let index = 0; index < times; index++) await body();
  return (performance.now() - start) / times * 1000;
};

const measure = async () => {
  const big = new Uint8Array(MEGABYTES << 20).fill(7), small = new Uint8Array(100), figures = {};
  let alone, together, bytes;
  if (typeof nbridge === "object") {
    alone = () => nbridge.bench.immediate({ n: 1 });
    together = () => Promise.all(Array.from({ length: 100 }, () => nbridge.bench.immediate({ n: 1 })));
    bytes = () => nbridge.bench.bytes({ bytes: big });
  } else {
    const echo = await openEcho();
    alone = () => echo(small);
    together = () => Promise.all(Array.from({ length: 100 }, () => echo(small)));
    bytes = () => echo(big);
  }
  figures.alone = await timed(1000, alone);
  figures.together = await timed(200, together) / 100;
  figures.bytes = 2 * MEGABYTES / (await timed(5, bytes) / 1e6);
  return figures;
};

measure().then((figures) => { window.figures = figures; }, (error) => { window.figures = { failed: String(error.stack) }; });

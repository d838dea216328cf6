// SPDX-License-Identifier: MIT
// Calls of a page: one by one, a hundred in a turn, and bytes there and back. Without the bridge, messages of the same size to a server
// that sends them back, or in a bare window script messages with replies and fetches from a scheme of the program's: the floors.
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
  const rate = (megabytes, microseconds) => megabytes / (microseconds / 1e6);
  if (typeof nbridge === "object") {
    const call = () => nbridge.bench.immediate();
    figures.alone = await timed(1000, call);
    figures.together = await timed(200, () => Promise.all(Array.from({ length: 100 }, call))) / 100;
    figures.to = rate(MEGABYTES, await timed(10, () => nbridge.bench.take({ bytes: big })));
    figures.from = rate(64, await timed(5, () => nbridge.bench.give()));
  } else if (window.webkit?.messageHandlers?.echo) {
    const send = () => webkit.messageHandlers.echo.postMessage(7);
    figures.alone = await timed(1000, send);
    figures.together = await timed(200, () => Promise.all(Array.from({ length: 100 }, send))) / 100;
    const ask = (body) => fetch("ipc://localhost/call", { method: "POST", body }).then((answer) => answer.text());
    figures.askedAlone = await timed(1000, () => ask(small));
    figures.askedTogether = await timed(50, () => Promise.all(Array.from({ length: 100 }, () => ask(small)))) / 100;
    figures.askedTo = rate(MEGABYTES, await timed(5, () => ask(big)));
    figures.askedFrom = rate(64, await timed(5, () => fetch("ipc://localhost/call").then((answer) => answer.arrayBuffer())));
  } else {
    const echo = await openEcho(), send = () => echo(small);
    figures.alone = await timed(1000, send);
    figures.together = await timed(200, () => Promise.all(Array.from({ length: 100 }, send))) / 100;
    figures.to = figures.from = rate(2 * MEGABYTES, await timed(5, () => echo(big)));
  }
  return figures;
};

/** Where there is no terminal, as the title. */
const say = (text) => { console.log(document.title = text); };

const tell = (figures) => {
  window.figures = figures;
  say(`figures ${JSON.stringify(figures)}`);
};
say("begun");
measure().then(tell, (error) => tell({ failed: String(error.stack) }));

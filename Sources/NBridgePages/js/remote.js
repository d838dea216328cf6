// SPDX-License-Identifier: MIT
// Plays the host of www/nbridge.js for a page whose plugins are at the other end of a WebSocket: each call waits, and all calls of a
// turn go out in one message. The frames are those of Frames/PageFrame.swift. Gets what Bootstrap/BridgeText.swift gives it.
((given) => {
  "use strict";
  const { intrinsics, parts, facades, catalog, bridge, ticket, window, relay, tests, attached } = given, pipe = given.pipe(window);
  const { WebSocket, document } = window;
  const { TextEncoder, TextDecoder, DataView, Uint8Array, Int32Array, Math, setTimeout } = window, { apply, parse, slice, stringify } = intrinsics;
  const VALUE = 0, PENDING = 3, FAILURE = 4, EVENTS = 6;
  // What a page says.
  const CALL = 1, CANCEL = 2, GRANT = 3, FEED = 4, LET_GO = 5, SAY = 6, UNKNOWN = 7, LEAVE = 8, TOLD = 9, SEEN = 10;
  // What it hears.
  const REPLY = 1, OVER = 2, ENDED = 3, CHANGED = 4, ENDING = 5, ASKED = 6;
  const HEAD = 20, START = 8, STREAM = 0xFFFFFFFF, PROGRESS = 0xFFFFFFFE, FILE = 0xFFFFFFFD, RECORD = 5, NONE = [];
  /** How much may come before the other side is told that it has. */
  const MESSAGES = 16, BYTES = 1 << 20, SHORT = 64;
  const LARGEST_KEPT = 4 << 20, LARGEST_PLAIN = 64 << 10, LARGEST_MESSAGE = 8 << 20, LARGEST_CALL = 200 << 20, MOST_PARTS = 4096;
  const encoder = new TextEncoder(), decoder = new TextDecoder(), latin = new TextDecoder("latin1");

  // --- What goes out -------------------------------------------------------------------------------------------

  let memory = new Uint8Array(1 << 16), view = new DataView(memory.buffer), end = START, isScheduled = false;
  /** What goes before the message: numbers of the pipe's. */
  let files = [], fileBytes = 0;
  /** Messages that the other side has not yet said it has, from `first` on, with their files. */
  let sent = [], first = 1, number = 0, received = 0, untold = 0, untoldBytes = 0;

  const reserve = (count) => {
    if (end + count <= memory.length) return;
    const larger = new Uint8Array(Math.max(memory.length * 2, end + count));
    larger.set(memory.subarray(0, end));
    memory = larger;
    view = new DataView(memory.buffer);
  };

  /** Writes a text at the end. What is short and plain is written by hand, which takes less than to ask for it. */
  const putText = (text) => {
    if (text.length > SHORT) return encoder.encodeInto(text, memory.subarray(end)).written;
    for (let index = 0; index < text.length; index++) {
      const unit = text.charCodeAt(index);
      if (unit > 0x7F) return encoder.encodeInto(text, memory.subarray(end)).written;
      memory[end + index] = unit;
    }
    return text.length;
  };

  /** Adds a frame: its numbers, a text, and bytes, or what stands in their place. */
  const put = (kind, what, slot, x, y, text, bytes) => {
    // Nobody will have it; and what is only told is not kept where nobody listens.
    if (state === OVER_FOR_GOOD || (kind === SAY && what !== RECORD && state !== OPEN && end > BYTES)) return;
    if (end + fileBytes > LARGEST_MESSAGE) flush();
    const start = end, count = bytes.length;
    reserve(HEAD + 4 * count + 3 * text.length);
    end = start + HEAD + 4 * count;
    const written = putText(text);
    end += written;
    view.setUint8(start, kind);
    view.setUint8(start + 1, what);
    view.setUint16(start + 2, count, true);
    view.setUint32(start + 4, slot, true);
    view.setUint32(start + 8, x, true);
    view.setUint32(start + 12, y, true);
    view.setUint32(start + 16, written, true);
    for (let index = 0; index < count; index++) {
      const part = bytes[index];
      if (typeof part === "number") {
        view.setUint32(start + HEAD + 4 * index, part < 0 ? PROGRESS : STREAM, true);
        continue;
      }
      const file = part.byteLength > LARGEST_PLAIN && pipe !== undefined ? pipe.keep(part) : -1;
      view.setUint32(start + HEAD + 4 * index, file < 0 ? part.byteLength : FILE, true);
      if (file >= 0) {
        files[files.length] = file;
        fileBytes += part.byteLength;
        continue;
      }
      reserve(part.byteLength);
      memory.set(part, end);
      end += part.byteLength;
    }
    if (!isScheduled) {
      isScheduled = true;
      later(flush);
    }
  };
  /** Behind the jobs of this turn. */
  const later = (body) => window.Promise.resolve().then(() => window.Promise.resolve()).then(body);

  const flush = () => {
    isScheduled = false;
    if (end === START || state === OVER_FOR_GOOD) return;
    // What is large is not written to again, and goes as it is.
    const isLarge = memory.length > LARGEST_KEPT;
    const bytes = isLarge ? memory.subarray(0, end) : memory.slice(0, end);
    end = START;
    if (isLarge) memory = new Uint8Array(1 << 16);
    view = new DataView(memory.buffer);
    number++;
    new DataView(bytes.buffer).setUint32(0, number, true);
    const message = { __proto__: null, bytes, files };
    if (files.length > 0) (files = [], fileBytes = 0);
    sent[sent.length] = message;
    transmit(message);
  };

  const transmit = ({ bytes, files }) => {
    if (state !== OPEN) return;
    new DataView(bytes.buffer).setUint32(4, received, true);
    untold = untoldBytes = 0;
    socket.send(bytes, files);
  };

  /** Says what has come, where nothing else is said. */
  const acknowledge = () => { if (untold > 0) transmit({ __proto__: null, bytes: new Uint8Array(START), files: NONE }); };

  // --- The link ------------------------------------------------------------------------------------------------

  const CLOSED = 0, OPENING = 1, OPEN = 2, OVER_FOR_GOOD = 3;
  let state = CLOSED, socket, tries = 0, isLeaving = false;
  const place = `${window.location.protocol === "https:" ? "wss" : "ws"}://${window.location.host}/.nbridge/socket`;

  const open = () => {
    state = OPENING;
    const mine = socket = pipe === undefined ? new WebSocket(place) : pipe.open(later);
    mine.binaryType = "arraybuffer";
    mine.onopen = () => mine.send(stringify({ ticket, received }));
    mine.onmessage = ({ data, files, size }) => {
      if (mine !== socket) return;
      if (typeof data === "string") return welcome(parse(data));
      // An event of a browser's has what a page's scripts put on its prototypes.
      if (pipe === undefined) take(new Uint8Array(data), NONE, data.byteLength);
      else take(data, files, size);
    };
    mine.onclose = ({ code }) => { if (mine === socket) lost(code); };
  };

  /** The other side has taken us in, for the first time or again, and has got messages up to a number. */
  const welcome = (said) => {
    window.Object.setPrototypeOf(said, null);
    const { received: theirs, refused } = said;
    if (refused !== undefined) return giveUp(refused);
    state = OPEN;
    tries = 0;
    forget(theirs);
    for (let index = 0; index < sent.length; index++) transmit(sent[index]);
  };

  const forget = (upTo) => {
    if (upTo < first) return;
    pipe?.drop(sent, upTo - first + 1);
    sent = addTo([], sent, upTo - first + 1);
    first = upTo + 1;
  };

  /** The link is cut: what is open goes on when it is there again. */
  const lost = (code) => {
    if (state === OVER_FOR_GOOD) return;
    if (isLeaving) return giveUp("the program has ended");
    if (code === 1008 || code === 1002) return giveUp("the program has closed the page's session");
    state = CLOSED;
    if (++tries > 40) return giveUp("the program can't be reached any more; was it ended?");
    setTimeout(open, Math.min(50 * 2 ** tries, 1000));
  };

  const giveUp = (reason) => {
    state = OVER_FOR_GOOD;
    socket.close();
    const text = stringify({ code: "closed", message: `${reason}; reload the page` });
    for (let slot = 0; slot < used.length; slot++) if (used[slot]) answer(slot, FAILURE, text);
    settleAll();
  };

  // --- What comes in -------------------------------------------------------------------------------------------

  /** Of those that came before the message. */
  let nextFile = 0;
  const take = (bytes, files, size) => {
    const head = new DataView(bytes.buffer, bytes.byteOffset);
    const mark = head.getUint32(0, true);
    forget(head.getUint32(4, true));
    if (mark !== 0) {
      // What was under way when the link was cut comes again.
      if (mark !== received + 1) return;
      received = mark;
    }
    untold++;
    untoldBytes += size;
    // One character a byte, decoded once: most texts are a piece of it.
    const plain = bytes.length <= LARGEST_PLAIN ? latin.decode(bytes) : undefined;
    nextFile = 0;
    for (let at = START; at < bytes.length;) at = frame(head, bytes, at, plain, files);
    settleAll();
    flush();
    if (untold >= MESSAGES || untoldBytes >= BYTES) acknowledge();
    else setTimeout(acknowledge, 500);
  };

  const frame = (head, bytes, at, plain, files) => {
    const kind = head.getUint8(at), what = head.getUint8(at + 1), count = head.getUint16(at + 2, true);
    const slot = head.getUint32(at + 4, true), form = head.getUint32(at + 8, true), size = head.getUint32(at + 16, true);
    const textAt = at + HEAD + 4 * count;
    let end = textAt + size;
    const lists = count === 0 ? NONE : [];
    for (let index = 0; index < count; index++) {
      const length = head.getUint32(at + HEAD + 4 * index, true);
      lists[index] = length === FILE ? files[nextFile++] : bytes.slice(end, end + length);
      if (length !== FILE) end += length;
    }
    if (kind === OVER) free(slot);
    else if (kind === CHANGED) onChange(what);
    else if (kind === ENDING) leave();
    else if (kind === ENDED) ended(textOf(bytes, textAt, size, plain));
    else if (kind === ASKED) asked(slot, textOf(bytes, textAt, size, plain));
    else if (kind === REPLY) {
      const value = what === VALUE && form !== 4 ? plainValue(form, lists, head, textAt) : textOf(bytes, textAt, size, plain);
      answer(slot, what, lists.length > 0 && what !== VALUE ? addTo([value], lists, 0) : value);
    }
    return end;
  };

  /** Copies what stands behind an index to the end of a list. */
  const addTo = (list, from, start) => {
    for (let index = start; index < from.length; index++) list[list.length] = from[index];
    return list;
  };

  const BEYOND_ASCII = /[^\0-\x7F]/;
  const textOf = (bytes, at, size, plain) => {
    if (plain !== undefined) {
      const text = slice(plain, at, at + size);
      if (!BEYOND_ASCII.test(text)) return text;
    }
    return decoder.decode(bytes.subarray(at, at + size));
  };

  /** A value that is no text: `Form` in Frames/PageWriter.swift. */
  const plainValue = (form, lists, head, at) => {
    switch (form) {
      case 1: return false;
      case 2: return true;
      case 3: return head.getFloat64(at, true);
      case 5: return lists[0];
      default: return undefined;
    }
  };

  /** Replies of a message are settled in one call, as the engine's are. */
  const registers = new Int32Array(8 + 2 * 96);
  let settle, answers = [];
  const answer = (slot, kind, value) => {
    registers[8 + 2 * answers.length] = slot;
    registers[9 + 2 * answers.length] = kind;
    if (kind < EVENTS) free(slot);
    answers[answers.length] = value;
    if (answers.length === 96) settleAll();
  };
  const settleAll = () => {
    if (answers.length === 0) return;
    const all = answers;
    answers = [];
    apply(settle, undefined, all);
  };

  // --- Slots ---------------------------------------------------------------------------------------------------
  const used = [], unused = [];
  let slots = 0;
  const takeSlot = () => {
    let slot = slots;
    if (unused.length === 0) slots++;
    else slot = unused[unused.length - 1], unused.length--;
    used[slot] = true;
    return slot;
  };
  const free = (slot) => {
    if (!used[slot]) return;
    used[slot] = false;
    unused[unused.length] = slot;
  };

  // --- What the bridge asks of its host -------------------------------------------------------------------------
  /** Why a call can't go out in one message; undefined for one that can. */
  const problemOf = (pack) => {
    if (pack.length > MOST_PARTS) return `has more than ${MOST_PARTS} byte values, which a page can't send`;
    let size = pack.length === 0 ? 0 : pack[0].length;
    for (let index = 1; index < pack.length; index++) if (typeof pack[index] !== "number") size += pack[index].byteLength;
    return size > LARGEST_CALL ? `has ${size} bytes; a page can send ${LARGEST_CALL} with a call` : undefined;
  };

  const pending = (kind, index, pack) => {
    const problem = problemOf(pack);
    if (problem !== undefined) {
      registers[0] = FAILURE;
      return stringify({ code: "too_large", message: `option ${problem}` });
    }
    const text = pack.length === 0 ? "" : pack[0], slot = takeSlot();
    put(kind, registers[6], slot, index, registers[2], text, pack.length < 2 ? NONE : addTo([], pack, 1));
    registers[0] = PENDING;
    registers[1] = slot;
    if (state === OVER_FOR_GOOD) setTimeout(() => giveUp("the program can't be reached any more"), 0);
  };

  const bind = (service, name, forPlugin) => {
    const found = catalog.actions[service]?.[name];
    registers[0] = VALUE;
    if (found === undefined || (found.hidden && !forPlugin)) {
      registers[3] = registers[4] = registers[5] = 0;
      const asked = `${service}\n${name}`;
      return () => pending(UNKNOWN, 0, [asked]);
    }
    registers[3] = found.watch ? 1 : 0;
    registers[4] = found.limit;
    registers[5] = found.policy;
    return (...pack) => pending(CALL, found.index, pack);
  };

  const lives = { __proto__: null }, endings = [];
  const ended = (service) => {
    lives[service] = (lives[service] ?? 0) + 1;
    registers[7]++;
  };

  const host = {
    __proto__: null, intrinsics, registers, services: catalog.services, version: catalog.version, arguments: [],
    // Stacks as this browser's engine writes them: some begin with a line of the error's own.
    ownFrames: "/.nbridge/bridge.js", errorLine: "Error",
    stackHead: new window.Error("").stack?.startsWith("Error") ? (message) => `BridgeError: ${message}\n` : undefined,
    part: (name) => {
      if (parts[name] === undefined) throw new window.nbridge.BridgeError("unavailable", "this is for programs; a page has a browser's own");
      return parts[name]();
    },
    bind,
    within: (body) => body(),
    facade: (service) => {
      registers[0] = VALUE;
      if (facades[service] !== undefined) return facades[service];
      registers[0] = FAILURE;
      return catalog.failures[service];
    },
    cancel: (slot) => put(CANCEL, 0, slot, 0, 0, "", NONE),
    grant: (slot, count) => put(GRANT, 0, slot, count, 0, "", NONE),
    feed: (slot, inlet, what, value, text, ...bytes) => {
      if (text !== undefined && !text.isWellFormed()) return false;
      put(FEED, what, slot, inlet, value, text ?? "", bytes);
      return true;
    },
    letGo: (object, service, type) => {
      const low = object % 0x100000000;
      put(LET_GO, 0, 0, low, (object - low) / 0x100000000, `${service}\n${type}`, NONE);
    },
    inlets: (service, name) => catalog.actions[service]?.[name]?.inlets ?? "{}",
    connect: (take) => { settle = take; },
    life: (service) => lives[service] ?? 0,
    isLife: (service, life) => (lives[service] ?? 0) === life,
    atEnd: (ending) => { endings[endings.length] = ending; },
    begun: () => 0,
    unknownOption: (name, ...names) => `has no '${name}'; it may have ${names.join(", ")}`,
    missed() {}, guard() {}, noteMock() {},
    settings: (service) => catalog.settings[service],
    place: () => "\n",
    now: () => window.performance.now(),
    after: (milliseconds, body) => { setTimeout(body, milliseconds > 0 ? milliseconds : 0); },
    install: (nbridge) => window.Object.defineProperty(window, "nbridge",
      { __proto__: null, value: nbridge, writable: true, configurable: true }),
  };

  // --- What the page tells the terminal, and hears of it ---------------------------------------------------------
  relay(window, (level, text) => put(SAY, level, 0, 0, 0, text, NONE), (isSeen) => put(SEEN, isSeen ? 1 : 0, 0, 0, 0, "", NONE), tests === undefined);

  const onChange = (what) => {
    if (what === 0) return window.location.reload();
    for (const link of document.querySelectorAll("link[rel~=stylesheet][href]")) {
      const url = new window.URL(link.href);
      url.searchParams.set("nbridge-changed", `${window.Date.now()}`);
      link.href = url.href;
    }
  };

  /** Begins to save what is unsaved, and says that nothing more comes. */
  const leave = (isLast = true) => {
    for (let index = 0; index < endings.length; index++) endings[index]();
    if (isLast) put(LEAVE, 0, 0, 0, 0, "", NONE);
    isLeaving ||= isLast;
    flush();
    pipe?.drain();
  };

  // Nobody waits for what is open; what is unsaved goes out with the last message. A page that may come back goes on.
  window.addEventListener("pagehide", ({ persisted }) => {
    if (!persisted) {
      for (let slot = 0; slot < used.length; slot++) if (used[slot]) host.cancel(slot);
    }
    leave(!persisted);
  });

  if (tests === undefined) bridge.call(host);
  else tests({ host, used, begin: () => bridge.call(host), say: (text) => put(SAY, RECORD, 0, 0, 0, text, NONE) });
  /** Runs what the person at the program's prompt enters; in a page of a program that asks for nothing, nothing does. */
  const asked = attached === undefined ? () => {} : attached({ later, tell: (what, number, text) => put(TOLD, what, number, 0, 0, text, NONE) });
  open();
})

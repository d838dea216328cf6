// SPDX-License-Identifier: MIT
// The ends of channels to other engines: native code knows each by a number, and tells when something has come to one.
((host) => {
  "use strict";
  const { append, native, wire, task, Table } = host;
  const { closePorts, open, pending, take, receive, end } = host.messaging;
  const { RangeError } = globalThis;

  /** From numbers to pipes. */
  const known = new Table();

  // The ports of the message that is read just now.
  let arrived = [];
  const source = {
    __proto__: null, block: native.block, thing: native.thing,
    port() {
      const link = native.port();
      if (link !== 0) append(arrived, link);
      return link;
    },
  };

  const closeLink = (link) => {
    known.delete(link);
    native.close(link);
  };

  /** What a text becomes that `send` wrote. What it throws, arriving tells. */
  const unpack = (text) => {
    arrived = [];
    try {
      return wire.unpack(text, source);
    } catch (error) {
      // No script has them.
      for (let i = 0; i < arrived.length; i++) closeLink(arrived[i]);
      throw error;
    } finally {
      native.done();
    }
  };

  const pack = (message) => {
    try {
      return wire.pack(message, native.close);
    } catch (error) {
      // What had not left yet.
      closePorts(message);
      throw error;
    }
  };

  const hand = (link, { text, blocks, ports, things }, isBack = false) => {
    for (let i = 0; i < blocks.length; i++) native.hand(blocks[i]);
    for (let i = 0; i < things.length; i++) native.handThing(things[i]);
    for (let i = 0; i < ports.length; i++) native.handPort(ports[i]);
    if (isBack) native.putBack(link, text);
    else native.send(link, text);
  };

  // Ends that leave with a message, and what waits at them, which may have other ends with it, and these more: one behind
  // the other, for they may be a long chain.
  let leaving = [];

  /** A message that can't be written arrives as an error. */
  const tryPack = (message) => { try { return pack(message); } catch { return { __proto__: null, text: "", blocks: [], ports: [], things: [] }; } };

  const packLeaving = () => {
    for (let i = 0; i < leaving.length; i++) {
      const { messages } = leaving[i];
      for (let k = 0; k < messages.length; k++) messages[k] = tryPack(messages[k]);
    }
  };

  /** The last first: an end may leave with a message behind which its other one does. */
  const handLeaving = (ends) => {
    for (let i = ends.length - 1; i >= 0; i--) {
      const { link, messages, isBack, isLast } = ends[i];
      if (isBack) for (let k = messages.length - 1; k >= 0; k--) hand(link, messages[k], true);
      else for (let k = 0; k < messages.length; k++) hand(link, messages[k]);
      if (isLast) native.close(link);
    }
  };

  const dropLeaving = () => {
    for (let i = 0; i < leaving.length; i++) {
      const { link, messages, isLast } = leaving[i];
      for (let k = 0; k < messages.length; k++) closePorts(messages[k]);
      if (isLast) native.close(link);
    }
    leaving = [];
  };

  const write = (link, message, pack) => {
    let packed;
    try { packed = pack(message); } catch (error) {
      dropLeaving();
      throw error;
    }
    packLeaving();
    const ends = leaving;
    leaving = [];
    handLeaving(ends);
    hand(link, packed);
  };

  const takeEnd = (pipe) => {
    close(pipe);
    end(pipe);
  };

  /** Has a port that does not listen learn that nothing will come; nobody on the way to one does. */
  const notice = (pipe) => {
    if (pipe.link !== 0 && pipe.owner !== null && !pipe.isEnabled && pending(pipe) === 0 && native.isOver(pipe.link)) takeEnd(pipe);
  };

  const takeOne = (pipe) => {
    if (pipe.link === 0 || !pipe.isEnabled || pipe.owner === null) return;
    // What waits in this engine comes first, also where another owner has to hear of it since.
    if (pending(pipe) > 0) return task(() => takeOne(pipe));
    const text = native.take(pipe.link);
    if (text === undefined) return;
    if (text === null) return takeEnd(pipe);
    let message = null;
    try { message = unpack(text); } catch {}
    receive(pipe.owner, message);
  };

  /** The next message without an event, as `{ message }`; undefined where none waits. */
  const takeNow = (pipe) => {
    const text = native.take(pipe.link);
    if (typeof text === "string") return { message: open(unpack(text)).value };
    if (text === null) takeEnd(pipe);
    return undefined;
  };

  /** Something has come. What is on its way from this engine comes first. */
  const arrive = (link) => {
    const pipe = known.get(link);
    if (pipe === undefined) return;
    // One that is not enabled asks for what waits later.
    if (!pipe.isEnabled) return notice(pipe);
    if (pipe.due > 0) task(() => takeOne(pipe));
    else takeOne(pipe);
  };
  native.open(arrive);

  const adopt = (pipe, link) => {
    if (link === 0) throw new RangeError("the message has no such port");
    pipe.link = link;
    known.set(link, pipe);
    return pipe;
  };

  const close = (pipe) => {
    const { link } = pipe;
    pipe.link = 0;
    closeLink(link);
  };

  /** Takes a pipe that nobody owns out of this engine: what waits in it goes along. */
  const release = (pipe) => {
    const { link, other } = pipe;
    const messages = [];
    while (pending(pipe) > 0) append(messages, take(pipe));
    if (link !== 0) {
      pipe.link = 0;
      known.delete(link);
      // Of the time when the other end was here, too.
      if (messages.length > 0) append(leaving, { __proto__: null, link, messages, isBack: true, isLast: false });
      return link;
    }
    const pair = native.pair();
    const stays = pair[0], goes = pair[1];
    append(leaving, { __proto__: null, link: stays, messages, isBack: false, isLast: other === null });
    pipe.other = null;
    if (other !== null) {
      other.other = null;
      adopt(other, stays);
    }
    return goes;
  };

  return {
    links: {
      __proto__: null, adopt, close, release, takeNow,
      notice,
      send: (pipe, message) => write(pipe.link, message, pack),
      /** The same of a message that was made for this engine. */
      sendAfter: (pipe, message) => write(pipe.link, message, tryPack),
      tellAgain: (pipe) => native.tellAgain(pipe.link),
      /** A number for a member of a broadcast channel. */
      join: native.join,
    },
  };
})

// SPDX-License-Identifier: MIT
// MessageChannel and MessagePort (HTML standard, section 9.4). A channel is two pipes, and a port is the present owner
// of one. When a port is transferred, its pipe gets another owner. A pipe whose other end is in another engine has a
// link instead of it: a number by which native code knows that (links.js).
((host) => {
  "use strict";
  const { append, DOMException, EventTarget, Event, task, hold } = host;
  // Each is loaded when it is first asked for, and then known here: to ask the host takes as long as to send.
  let linked = null, reports = null;
  const links = () => linked ??= host.links;
  const { addHandlers, create, finish, fire, need, watch } = host.events;
  const { addType, serialize, deserialize, toTransferList } = host.clone;
  const { TypeError } = globalThis;
  const { apply } = Reflect;

  const MAKE = Symbol("make");

  const makePipe = () => ({
    owner: null, other: null, link: 0, queue: [], first: 0, due: 0, isEnabled: false, listens: false, isHeld: false,
    hasEnded: false, isEndTold: false, whenEnded: null,
  });

  /** A port that is started, has a listener and another end waits for messages: the program goes on. */
  const updateHold = (pipe) => {
    const isOpen = pipe.owner !== null && (pipe.other !== null || pipe.link !== 0);
    const isHeld = pipe.isEnabled && pipe.listens && isOpen;
    if (isHeld === pipe.isHeld) return;
    pipe.isHeld = isHeld;
    hold(isHeld ? 1 : -1);
  };

  const deliver = (target, type, data, ports) => (reports ??= host.reports).deliver(target, type, data, ports);

  const pending = (pipe) => pipe.queue.length - pipe.first;

  /** Of a queue, so many places that were left. */
  const LONGEST_HEAD = 1024;

  const take = (pipe) => {
    const message = pipe.queue[pipe.first];
    pipe.queue[pipe.first++] = undefined;
    if (pending(pipe) === 0) {
      pipe.queue = [];
      pipe.first = 0;
    } else if (pipe.first >= LONGEST_HEAD && pipe.first * 2 >= pipe.queue.length) {
      // A queue that is never empty would grow for ever.
      const rest = [];
      for (let i = pipe.first; i < pipe.queue.length; i++) append(rest, pipe.queue[i]);
      pipe.queue = rest;
      pipe.first = 0;
    }
    return message;
  };

  /** One task for each message that waits, so that microtasks and other tasks run between. */
  const pump = (pipe) => {
    while (pipe.isEnabled && pipe.due < pending(pipe)) {
      pipe.due++;
      task(() => {
        pipe.due--;
        if (pipe.isEnabled && pipe.owner !== null && pending(pipe) > 0) receive(pipe.owner, take(pipe));
        tellEnd(pipe);
      });
    }
  };

  const addPorts = ({ holders }, pipes) => {
    for (let i = 0; i < holders.length; i++) {
      const { kind, data } = holders[i];
      if (kind.make === makePort && data !== undefined) append(pipes, data);
    }
  };

  /** Closes the ports of a message that no script gets. */
  const closePorts = (message) => {
    const pipes = [];
    addPorts(message, pipes);
    closePipes(pipes);
  };

  /** What a message says, and what was transferred with it. */
  const open = (message) => {
    try {
      return deserialize(message);
    } catch (error) {
      closePorts(message);
      throw error;
    }
  };

  /** A message that can't be read is null. */
  const receive = (target, message) => {
    let arrived = null;
    try {
      if (message !== null) arrived = open(message);
    } catch {}
    if (arrived === null) return void deliver(target, "messageerror", null, []);
    deliver(target, "message", arrived.value, onlyPorts(arrived.transferred));
  };

  /** The other end has closed. */
  const end = (pipe) => {
    pipe.other = null;
    pipe.hasEnded = true;
    updateHold(pipe);
    if (pipe.whenEnded !== null) pipe.whenEnded();
    tellEnd(pipe);
  };

  const isEndDue = ({ hasEnded, isEndTold, owner }) => hasEnded && !isEndTold && owner !== null && isPort(owner);

  /** Tells a port that the other end has closed, after the messages that wait; who gets it later is told then. */
  const tellEnd = (pipe) => {
    if (!isEndDue(pipe) || pending(pipe) > 0) return;
    task(() => {
      if (!isEndDue(pipe) || pending(pipe) > 0) return;
      pipe.isEndTold = true;
      fire(pipe.owner, create(Event, "close", null));
    });
  };

  const enable = (pipe) => {
    if (pipe.isEnabled) return;
    pipe.isEnabled = true;
    updateHold(pipe);
    pump(pipe);
    if (pipe.link !== 0) links().tellAgain(pipe);
  };

  const listen = (pipe, count) => {
    pipe.listens = count > 0;
    updateHold(pipe);
  };

  const disconnect = (pipe) => {
    pipe.owner = null;
    pipe.isEnabled = pipe.listens = false;
    updateHold(pipe);
  };

  /** Ends a channel at the end of this pipe. */
  const closePipe = (pipe) => closePipes([pipe]);

  /** The same for several, and for the ports in what waits there, one behind the other: they may be a long chain. */
  const closePipes = (pipes) => {
    for (let i = 0; i < pipes.length; i++) {
      const pipe = pipes[i], { other, queue } = pipe;
      disconnect(pipe);
      for (let k = pipe.first; k < queue.length; k++) addPorts(queue[k], pipes);
      pipe.queue = [];
      pipe.first = 0;
      pipe.other = null;
      if (pipe.link !== 0) links().close(pipe);
      if (other !== null) end(other);
    }
  };

  /** What postMessage does for a pipe, which is null behind a port's end. */
  const post = (port, pipe, message, options) => {
    const transfer = toTransferList(options);
    let isDoomed = false;
    for (let i = 0; i < transfer.length; i++) {
      if (transfer[i] === port) throw new DOMException("a port can't be sent to itself", "DataCloneError");
      // The receiver would be inside its own message: that is sent, but can't arrive.
      if (pipe?.other && transfer[i] === pipe.other.owner) isDoomed = true;
    }
    const isForeign = pipe !== null && pipe.link !== 0;
    const data = serialize(message, transfer, isForeign);
    // The message's getters may have sent the other end elsewhere, or closed either.
    if (pipe !== null && pipe.link !== 0) return isForeign ? links().send(pipe, data) : links().sendAfter(pipe, data);
    const target = pipe?.other;
    if (!target || isDoomed) return closePorts(data);
    append(target.queue, data);
    pump(target);
  };

  const onlyPorts = (values) => {
    const found = [];
    for (let i = 0; i < values.length; i++) if (isPort(values[i])) append(found, values[i]);
    return found;
  };

  let isPort, makePort, isDetached, detach, pipeOf;

  class MessagePort extends EventTarget {
    // Null when the port was transferred or closed.
    #pipe;

    constructor() {
      if (arguments[0] !== MAKE) throw new TypeError("Illegal constructor");
      super();
      const pipe = this.#pipe = arguments[1];
      pipe.owner = this;
      watch(this, (type, count) => { if (type === "message" && this.#pipe !== null) listen(this.#pipe, count); });
      if (pipe.link !== 0) links().notice(pipe);
      tellEnd(pipe);
    }

    static {
      isPort = (value) => typeof value === "object" && value !== null && #pipe in value;
      makePort = (pipe) => new MessagePort(MAKE, pipe);
      pipeOf = (port) => port.#pipe;
      isDetached = (port) => port.#pipe === null;
      detach = (port) => {
        const pipe = port.#pipe;
        port.#pipe = null;
        disconnect(pipe);
        return pipe;
      };
    }

    postMessage(message, options = undefined) {
      const pipe = this.#pipe;
      need(arguments.length, 1, "postMessage");
      post(this, pipe, message, options);
    }

    start() {
      const pipe = this.#pipe;
      if (pipe !== null) enable(pipe);
    }

    close() {
      if (this.#pipe !== null) closePipe(detach(this));
    }
  }
  finish(MessagePort, "MessagePort", ["postMessage", "start", "close"]);
  const { start } = MessagePort.prototype;

  addHandlers(MessagePort.prototype, ["message", "messageerror", "close"], (value) => {
    if (isPort(value)) return value;
    throw new TypeError("this is not a MessagePort");
  }, (port, type) => { if (type === "message") apply(start, port, []); });

  class MessageChannel {
    #port1;
    #port2;
    constructor() {
      const first = makePipe();
      const second = makePipe();
      first.other = second;
      second.other = first;
      this.#port1 = makePort(first);
      this.#port2 = makePort(second);
    }
    get port1() { return this.#port1; }
    get port2() { return this.#port2; }
    static isChannel(value) { return typeof value === "object" && value !== null && #port1 in value; }
  }
  const { isChannel } = MessageChannel;
  delete MessageChannel.isChannel;
  finish(MessageChannel, "MessageChannel", ["port1", "port2"]);

  /** The message that waits longest at a port, as `{ message }`, without an event; undefined for none. */
  const receiveNow = (port) => {
    const pipe = pipeOf(port);
    if (pipe === null) return undefined;
    if (pending(pipe) > 0) {
      const message = take(pipe);
      tellEnd(pipe);
      return { message: open(message).value };
    }
    return pipe.link === 0 ? undefined : links().takeNow(pipe);
  };

  addType({
    __proto__: null, is: isPort, isDetached, transfer: detach, receive: makePort, drop: closePipe,
    wire: {
      name: "messaging",
      pack(pipe, { port }) { port(links().release(pipe)); },
      unpack: ({ port }) => links().adopt(makePipe(), port()),
    },
  });
  addType({ __proto__: null, is: isChannel });

  return {
    MessageChannel, MessagePort,
    /** For links.js, and what sends messages without a port. */
    internals: {
      makePipe, pending, take, receive, open, closePorts, end, enable, listen, post, closePipe, isPort, receiveNow, task,
    },
  };
})

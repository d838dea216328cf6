(facade, hidden, BridgeError, program) => {
  "use strict";
  const { isView } = ArrayBuffer;
  const { isArray } = Array;
  const { freeze } = Object;
  const { option: checked } = program;

  const failure = (code, message, more) => new BridgeError(code, message, { service: "peers", ...more });
  const invalid = (message) => failure("invalid_parameter", message);
  const isBytes = (value) => isView(value) || value instanceof ArrayBuffer;

  /** Peers are shown by their ids and names; whoever gives one back may give the id alone. */
  const idOf = (peer) => {
    const id = typeof peer === "string" ? peer : peer?.id;
    if (typeof id !== "string") throw invalid("a peer must be one that was found, a member, or an id");
    return id;
  };
  const known = new Map();
  /** One object for each peer, as long as its name stays. */
  const peerOf = (id, name) => {
    const old = known.get(id);
    if (old !== undefined && old.name === name) return old;
    if (known.size > 4096) known.clear();
    const peer = freeze({ id, name });
    known.set(id, peer);
    return peer;
  };
  const idsOf = (to) => to === undefined ? undefined : isArray(to) ? to.map(idOf) : [idOf(to)];

  /** A watch whose events are something else for the script. */
  class Events {
    #watch; #map;
    constructor(watch, map) {
      this.#watch = watch;
      this.#map = map;
    }
    #step = ({ done, value }) => {
      if (done) return { done, value: undefined };
      const mapped = this.#map(value);
      return mapped === undefined ? this.next() : { done, value: mapped };
    };
    next() { return this.#watch.next().then(this.#step); }
    async return(value) {
      await this.#watch.return();
      return { done: true, value };
    }
    [Symbol.asyncIterator]() { return this; }
  }

  /** Events for a loop, or for a callback: then a promise that settles when they end. */
  const events = (watch, option, callback, control, map = (event) => event) => {
    if (typeof callback !== "function") return new Events(watch(option, control ?? callback), map);
    const source = new Events(watch(option, control), map);
    return (async () => { for await (const event of source) callback(event); })();
  };

  class Invitation {
    #session; #number;
    constructor(session, { number, peer, name, context, milliseconds }) {
      this.#session = session;
      this.#number = number;
      this.from = freeze({ id: peer, name });
      this.context = context;
      this.timeout = milliseconds;
      this.isOver = false;
    }
    #answer(accepts) {
      this.isOver = true;
      return hidden.answer({ session: this.#session, number: this.#number, accepts });
    }
    /** Joins; false when the invitation is not open any more. */
    accept() { return this.#answer(true); }
    /** Refuses; false when the invitation is not open any more. */
    decline() { return this.#answer(false); }
  }

  /** Invitations as they come; one that is over says so, whether or not anybody asks for the next. */
  class Invitations {
    #open = new Map(); #waiting = []; #takers = []; #stop = new AbortController(); #end;
    constructor(session, control) {
      const { signal, ...rest } = control ?? {};
      if (signal !== undefined) signal.aborted ? this.#stop.abort(signal.reason) : signal.addEventListener("abort", () => this.#stop.abort(signal.reason));
      const ended = hidden.invitations({ session }, (event) => this.#take(session, event), { ...rest, signal: this.#stop.signal });
      this.#end = ended.then(() => this.#finish(), (error) => this.#finish(error));
    }
    #take(session, event) {
      if (event.kind === "over") {
        const over = this.#open.get(event.number);
        this.#open.delete(event.number);
        if (over !== undefined) over.isOver = true;
        return;
      }
      const invitation = new Invitation(session, event);
      this.#open.set(event.number, invitation);
      if (this.#takers.length > 0) this.#takers.shift().resolve({ done: false, value: invitation }); else this.#waiting.push(invitation);
    }
    #finish(error) {
      for (const { resolve, reject } of this.#takers) if (error === undefined || this.#stop.signal.aborted) resolve({ done: true, value: undefined }); else reject(error);
      this.#takers = [];
      this.next = () => Promise.resolve({ done: true, value: undefined });
    }
    next() {
      // Those that are over before anybody saw them are nobody's.
      while (this.#waiting.length > 0) {
        const invitation = this.#waiting.shift();
        if (!invitation.isOver) return Promise.resolve({ done: false, value: invitation });
      }
      const taker = Promise.withResolvers();
      this.#takers.push(taker);
      return taker.promise;
    }
    async return(value) {
      this.#stop.abort();
      await this.#end;
      return { done: true, value };
    }
    [Symbol.asyncIterator]() { return this; }
  }

  /** Takes a transfer's events to its end; answers the last. */
  const follow = async (watch, progress) => {
    let last;
    for await (const event of watch) {
      last = event;
      if (typeof progress === "function") progress({ done: event.done, total: event.total });
    }
    if (!last?.isOver) throw failure("cancelled", "the transfer was cancelled");
    return last;
  };

  class Resource {
    #offer;
    constructor(session, { peer, peerName, channel, name, size }) {
      this.#offer = { session, peer, channel };
      this.from = freeze({ id: peer, name: peerName });
      this.name = name;
      this.size = size;
    }
    /** Receives it into a file below the app's temporary folder, and answers where that is. */
    async receive(option) {
      const { progress, signal } = checked(option, ["progress", "signal"]);
      const { path, hash } = await follow(hidden.receiveResource(this.#offer, { signal }), progress);
      const inside = path.slice(path.lastIndexOf("/peers/") + 1);
      return { from: this.from, name: this.name, size: this.size, directory: "temporary", path: inside, fullPath: path, hash };
    }
    /** Refuses it; its sender hears that. */
    decline() { return hidden.declineResource(this.#offer); }
  }

  const bytesOf = (chunk) => {
    if (typeof chunk === "string") return new TextEncoder().encode(chunk);
    if (isBytes(chunk)) return chunk;
    throw new TypeError("a stream takes bytes and strings");
  };

  const writable = (session, peer, channel) => {
    const at = { session, peer, channel };
    return new WritableStream({
      write: (chunk) => hidden.writeStream({ ...at, bytes: bytesOf(chunk) }),
      close: () => hidden.closeStream({ ...at, isWhole: true }),
      abort: () => hidden.closeStream({ ...at, isWhole: false }),
    });
  };

  const readable = (offer) => {
    let watch;
    return new ReadableStream({
      start() { watch = hidden.readStream(offer); },
      async pull(controller) {
        const { done, value } = await watch.next();
        if (done) controller.close(); else controller.enqueue(value.bytes);
      },
      cancel: () => watch.return(),
    }, { highWaterMark: 0 });
  };

  const SEND = ["to", "mode"];

  /** Small messages of one turn to the same members cross together, in their order. */
  class Batch {
    #session; #to; #room; #used = 0; #lengths; #texts; #promise; #begun = () => this.flush();
    constructor(session) { this.#session = session; }

    static takes(data) {
      return typeof data === "string" ? data.length <= 4096 && data.isWellFormed() : data instanceof Uint8Array && data.length <= 4096;
    }
    /** Takes what `takes` it; answers the promise of the whole batch. */
    add(data, to) {
      const isText = typeof data === "string";
      const mine = isText ? this.#texts : this.#lengths;
      if (mine === undefined || this.#to !== to || mine.length === 512 || !isText && this.#used + data.length > this.#room.length) this.#begin(isText, to);
      if (isText) {
        this.#texts.push(data);
      } else {
        this.#room.set(data, this.#used);
        this.#used += data.length;
        this.#lengths.push(data.length);
      }
      return this.#promise.promise;
    }
    #begin(isText, to) {
      this.flush();
      this.#to = to;
      if (isText) this.#texts = []; else { this.#lengths = []; this.#room ??= new Uint8Array(64 << 10); this.#used = 0; }
      this.#promise = Promise.withResolvers();
      Promise.resolve().then(this.#begun);
    }
    /** Sends what was taken, before anything else may go. */
    flush() {
      const texts = this.#texts, lengths = this.#lengths;
      if (texts === undefined && lengths === undefined) return;
      const { resolve, reject } = this.#promise;
      this.#texts = this.#lengths = undefined;
      // Bytes over 4 KiB are read in place, and this room is used again.
      const bytes = lengths === undefined ? undefined : this.#used <= 4096 ? this.#room.subarray(0, this.#used) : this.#room.slice(0, this.#used);
      const to = this.#to === undefined ? undefined : [this.#to];
      hidden.sendMany({ session: this.#session, to, texts, bytes, lengths }).then(resolve, reject);
    }
  }

  /** The messages of batches, one by one. What a loop did not take is there for the next one. */
  class Messages {
    #rest; #watch; #queued = 0; #last; #isOver = false;
    constructor(rest, watch) {
      this.#rest = rest;
      this.#watch = watch;
    }
    #take() { return { done: false, value: this.#rest.waiting[this.#rest.at++] }; }
    get #has() { return this.#rest.at < this.#rest.waiting.length; }
    async #fetch() {
      try {
        while (!this.#has) {
          const { done, value } = this.#isOver ? { done: true } : await this.#watch.next();
          if (done) return { done, value: undefined };
          this.#rest.last = value.number;
          this.#rest.waiting = messagesOf(value);
          this.#rest.at = 0;
        }
        return this.#isOver ? { done: true, value: undefined } : this.#take();
      } finally { this.#queued--; }
    }
    next() {
      if (this.#queued === 0 && this.#has && !this.#isOver) return Promise.resolve(this.#take());
      const turn = this.#queued++ === 0 ? this.#fetch() : this.#last.then(() => this.#fetch());
      this.#last = turn.catch(() => {});
      return turn;
    }
    async return(value) {
      this.#isOver = true;
      await this.#watch.return();
      return { done: true, value };
    }
    [Symbol.asyncIterator]() { return this; }
  }
  const messagesOf = ({ from: id, name, texts, bytes, lengths, value, unreliable }) => {
    const from = peerOf(id, name), mode = unreliable === true ? "unreliable" : "reliable";
    if (texts !== undefined) return texts.map((data) => ({ from, data, mode }));
    if (lengths === undefined) return [{ from, data: bytes ?? value, mode }];
    let at = 0;
    return lengths.map((length) => ({ from, data: bytes.slice(at, at += length), mode }));
  };

  class PeerSession {
    #session; #info; #batch; #isOpen = true; #rest = { waiting: [], at: 0, last: 0 };
    constructor({ session, id, displayName }, info) {
      this.#session = session;
      this.#info = info;
      this.#batch = new Batch(session);
      this.id = id;
      this.displayName = displayName;
    }

    /** Lets others find this peer. */
    async advertise(option) {
      const { discoveryInfo = this.#info } = checked(option, ["discoveryInfo"]);
      await hidden.advertise({ session: this.#session, discoveryInfo });
    }
    stopAdvertising() { return hidden.stopAdvertising({ session: this.#session }); }

    /** Who can be found: events of the kinds found, updated and lost. */
    browse(callback, control) {
      return events(hidden.browse, { session: this.#session }, callback, control,
        ({ kind, peer, name, info }) => ({ kind, peer: freeze({ id: peer, name, info: freeze(info) }) }));
    }

    /** Asks a peer into this session; settles when it has joined. */
    async invite(peer, option, control) {
      const { context, timeout } = checked(option, ["context", "timeout"]);
      await hidden.invite({ session: this.#session, peer: idOf(peer), context, timeout }, control);
    }

    /** Who asks this peer into its session. */
    invitations(callback, control) {
      if (typeof callback !== "function") return new Invitations(this.#session, control ?? callback);
      const source = new Invitations(this.#session, control);
      return (async () => { for await (const invitation of source) callback(invitation); })();
    }

    /** The peers that are known, with their states. */
    peers() { return hidden.peers({ session: this.#session }); }
    /** How peers stand to this one: at first who is connected, then each change. */
    states(callback, control) {
      return events(hidden.states, { session: this.#session }, callback, control,
        ({ peer, name, state, route }) => ({ peer: freeze({ id: peer, name }), state, route }));
    }

    /** Sends bytes, a string or any other value; to all members when nobody is named. */
    send(data, option, control) {
      let to, mode;
      if (option !== undefined) {
        ({ to, mode } = checked(option, SEND));
        if (mode !== undefined && mode !== "reliable" && mode !== "unreliable") throw invalid("option.mode must be 'reliable' or 'unreliable'");
      }
      const unreliable = mode === "unreliable" ? true : undefined;
      if (control === undefined && unreliable === undefined && Batch.takes(data)) {
        if (to === undefined) return this.#batch.add(data, undefined);
        if (!isArray(to)) return this.#batch.add(data, idOf(to));
      }
      this.#batch.flush();
      return hidden.send(
        data instanceof Uint8Array ? { session: this.#session, to: idsOf(to), bytes: data, unreliable }
          : { session: this.#session, to: idsOf(to), value: data, unreliable }, control);
    }

    /** What members send, in order. One loop at a time: a later one takes over where the script stopped. */
    messages(callback, control) {
      const option = { session: this.#session, after: this.#rest.last };
      if (typeof callback !== "function") return new Messages(this.#rest, hidden.messages(option, control ?? callback));
      const source = new Messages(this.#rest, hidden.messages(option, control));
      return (async () => { for await (const message of source) callback(message); })();
    }

    /** What went wrong and has nobody else to hear of it. */
    problems(callback, control) { return events(hidden.problems, { session: this.#session }, callback, control); }

    /** Sends a file of the app's or bytes to one member; settles when the other side has taken all. */
    async sendResource(what, option) {
      const { to, name, directory, progress, signal } = checked(option, ["to", "name", "directory", "progress", "signal"]);
      if (to === undefined) throw invalid("option.to must name the member that gets the resource");
      const isPath = typeof what === "string";
      if (!isPath && !isBytes(what)) throw invalid("a resource must be a path in the app's folders, or bytes");
      const source = isPath ? { path: what, directory } : { bytes: what instanceof Uint8Array ? what : new Uint8Array(what.buffer ?? what, what.byteOffset ?? 0, what.byteLength) };
      const named = name ?? (isPath ? what.slice(what.lastIndexOf("/") + 1) : "data");
      const watch = hidden.sendResource({ session: this.#session, peer: idOf(to), name: named, ...source }, { signal });
      const { total, hash } = await follow(watch, progress);
      return { size: total, hash };
    }

    /** The resources that members send; each is received when it is asked for. */
    resources(callback, control) {
      return events(hidden.resources, { session: this.#session }, callback, control,
        (offer) => new Resource(this.#session, offer));
    }
    /** Waits for the next resource and receives it. */
    async receiveResource(option) {
      const { progress, signal } = checked(option, ["progress", "signal"]);
      for await (const resource of this.resources(undefined, { signal })) return resource.receive({ progress, signal });
      throw failure("cancelled", "no resource came");
    }

    /** Opens a stream of bytes to a member: a WritableStream. */
    async openStream(peer, name, control) {
      const id = idOf(peer);
      return writable(this.#session, id, await hidden.openStream({ session: this.#session, peer: id, name }, control));
    }
    /** The streams that members open: each with a ReadableStream. */
    streams(callback, control) {
      return events(hidden.streams, { session: this.#session }, callback, control, ({ peer, peerName, channel, name }) =>
        ({ from: freeze({ id: peer, name: peerName }), name, readable: readable({ session: this.#session, peer, channel }) }));
    }

    statistics() { return hidden.statistics({ session: this.#session }); }

    /** Waits until all that was sent has been acknowledged, at most so many milliseconds; tells whether it was. */
    async drain(milliseconds = 5000) {
      this.#batch.flush();
      const end = program.now() + milliseconds;
      while (!await hidden.isDrained({ session: this.#session })) {
        if (program.now() >= end) return false;
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      return true;
    }

    /** Leaves the session; the peer stays and can be invited again. */
    async disconnect() {
      await this.drain();
      await hidden.disconnect({ session: this.#session });
    }

    /** Ends this peer, after what was sent has been acknowledged or some seconds. */
    async close() {
      if (!this.#isOpen) return;
      this.#isOpen = false;
      await this.drain().catch(() => {});
      await hidden.close({ session: this.#session });
    }
    [Symbol.asyncDispose]() { return this.close(); }
  }

  const CREATE = ["displayName", "serviceType", "discoveryInfo", "transport", "security", "network", "silence", "resume"];

  /** Makes a peer. */
  facade.create = async function (option, control) {
    const { discoveryInfo, ...rest } = checked(option, CREATE);
    return new PeerSession(await hidden.open({ ...rest, discoveryInfo }, control), discoveryInfo);
  };

  /** Says what a simulated network of this program is like; made with its first peer, or here with a seed. */
  facade.simulate = async function (option) {
    const { network, seed, latency, loss, duplicates, reorders, groups, blocked } = checked(option,
      ["network", "seed", "latency", "loss", "duplicates", "reorders", "groups", "blocked"]);
    const conditions = latency === undefined && loss === undefined && duplicates === undefined && reorders === undefined ? undefined
      : { latency: typeof latency === "number" ? [latency] : latency ?? [1], loss: loss ?? 0, duplicates: duplicates ?? 0, reorders: reorders ?? false };
    await hidden.simulate({ network, seed, conditions, groups: groups?.map((group) => group.map(idOf)), blocked: blocked?.map((pair) => pair.map(idOf)) });
  };
}

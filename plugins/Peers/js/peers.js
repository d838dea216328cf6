(facade, hidden, BridgeError, program, inner) => {
  "use strict";
  const {
    failure, invalid, isBytes, idOf, idsOf, events, Invitations, follow, Resource, writable, readable, Batch, Messages,
  } = inner;
  const { isArray } = Array;
  const { freeze } = Object;
  const { option: checked } = program;

  const SEND = ["to", "mode"];

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
      await this.#session.advertise({ discoveryInfo });
    }
    stopAdvertising() { return this.#session.stopAdvertising(); }

    /** The peers that can be found: events of the kinds found, updated and lost. */
    browse(callback, control) {
      return events((control) => this.#session.browse(undefined, control), callback, control,
        ({ kind, peer, name, info }) => ({ kind, peer: freeze({ id: peer, name, info: freeze(info) }) }));
    }

    /** Asks a peer into this session; settles when it has joined. */
    async invite(peer, option, control) {
      const { context, timeout } = checked(option, ["context", "timeout"]);
      await this.#session.invite({ peer: idOf(peer), context, timeout }, control);
    }

    /** Invitations from peers that ask this one into their session. */
    invitations(callback, control) {
      if (typeof callback !== "function") return new Invitations(this.#session, control ?? callback);
      const source = new Invitations(this.#session, control);
      return (async () => { for await (const invitation of source) callback(invitation); })();
    }

    /** The peers that are known, with their states. */
    peers() { return this.#session.peers(); }
    /** How peers stand to this one: at first the connected peers, then each change. */
    states(callback, control) {
      return events((control) => this.#session.states(undefined, control), callback, control,
        ({ peer, name, state, route }) => ({ peer: freeze({ id: peer, name }), state, route }));
    }

    /** Sends bytes, a string or any other value; to all members when no member is named. */
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
      return this.#session.send(
        data instanceof Uint8Array ? { to: idsOf(to), bytes: data, unreliable } : { to: idsOf(to), value: data, unreliable }, control);
    }

    /** What members send, in order. One loop at a time: a later one takes over where the script stopped. */
    messages(callback, control) {
      const from = (control) => new Messages(this.#rest, this.#session.messages({ after: this.#rest.last }, undefined, control));
      if (typeof callback !== "function") return from(control ?? callback);
      const source = from(control);
      return (async () => { for await (const message of source) callback(message); })();
    }

    /** Problems that no call is left to hear of. */
    problems(callback, control) { return events((control) => this.#session.problems(undefined, control), callback, control); }

    /** Sends a file of the app's or bytes to one member; settles when the other side has taken all. */
    async sendResource(what, option) {
      const { to, name, directory, progress, signal } = checked(option, ["to", "name", "directory", "progress", "signal"]);
      if (to === undefined) throw invalid("option.to must name the member that gets the resource");
      const isPath = typeof what === "string";
      if (!isPath && !isBytes(what)) throw invalid("a resource must be a path in the app's folders, or bytes");
      const source = isPath ? { path: what, directory } : { bytes: what instanceof Uint8Array ? what : new Uint8Array(what.buffer ?? what, what.byteOffset ?? 0, what.byteLength) };
      const named = name ?? (isPath ? what.slice(what.lastIndexOf("/") + 1) : "data");
      const watch = this.#session.sendResource({ peer: idOf(to), name: named, ...source }, undefined, { signal });
      const { total, hash } = await follow(watch, progress);
      return { size: total, hash };
    }

    /** The resources that members send; each is received when it is asked for. */
    resources(callback, control) {
      return events((control) => this.#session.resources(undefined, control), callback, control,
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
      return writable(this.#session, id, await this.#session.openStream({ peer: id, name }, control));
    }
    /** The streams that members open: each with a ReadableStream. */
    streams(callback, control) {
      return events((control) => this.#session.streams(undefined, control), callback, control, ({ peer, peerName, channel, name }) =>
        ({ from: freeze({ id: peer, name: peerName }), name, readable: readable(this.#session, { peer, channel }) }));
    }

    statistics() { return this.#session.statistics(); }

    /** Waits until all that was sent has been acknowledged, at most so many milliseconds; tells whether it was. */
    async drain(milliseconds = 5000) {
      this.#batch.flush();
      const end = program.now() + milliseconds;
      while (!await this.#session.isDrained()) {
        if (program.now() >= end) return false;
        await new Promise((resolve) => setTimeout(resolve, 2));
      }
      return true;
    }

    /** Leaves the session; the peer stays and can be invited again. */
    async disconnect() {
      await this.drain();
      await this.#session.disconnect();
    }

    /** Ends this peer, after what was sent has been acknowledged or some seconds. */
    async close() {
      if (!this.#isOpen) return;
      this.#isOpen = false;
      await this.drain().catch(() => {});
      // What waits is told, so that closing waits for nothing.
      await this.#session.end();
      await this.#session.close();
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

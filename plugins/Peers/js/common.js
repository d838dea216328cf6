(facade, hidden, BridgeError, program, inner) => {
  "use strict";
  const { isView } = ArrayBuffer;
  const { isArray } = Array;
  const { freeze } = Object;

  const failure = (code, message, more) => new BridgeError(code, message, { service: "peers", ...more });
  const invalid = (message) => failure("invalid_parameter", message);
  const isBytes = (value) => isView(value) || value instanceof ArrayBuffer;

  /** Peers are shown by their ids and names; a script that gives one back may give the id alone. */
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

  /** Events for a loop, or for a callback: then a promise that settles when they end. `watch` gets the control. */
  const events = (watch, callback, control, map = (event) => event) => {
    if (typeof callback !== "function") return new Events(watch(control ?? callback), map);
    const source = new Events(watch(control), map);
    return (async () => { for await (const event of source) callback(event); })();
  };

  Object.assign(inner, { failure, invalid, isBytes, idOf, peerOf, idsOf, events });
}

// SPDX-License-Identifier: MIT
// Values on their way to another engine: the records of clone.js become a text, with bytes and ports beside it, and the
// other engine makes the same records of it. The text is a list as JSON: texts, truths and null stand for themselves, a
// number says what stands behind it.
((host) => {
  "use strict";
  const { append, loadType } = host;
  const { kinds, record, findType, wiredTypes } = host.wiring;
  const { parse, stringify } = JSON;
  const { getOwnPropertyDescriptor, getPrototypeOf, is, setPrototypeOf } = Object;
  const { bind, call } = Function.prototype;
  const uncurry = (method) => bind.call(call, method);
  const bufferPrototype = ArrayBuffer.prototype;
  const getter = (name) => uncurry(getOwnPropertyDescriptor(bufferPrototype, name).get);
  const isResizable = getter("resizable"), maxLength = getter("maxByteLength"), lengthOf = getter("byteLength");
  const typed = getPrototypeOf(Uint8Array.prototype);
  const bufferOf = uncurry(getOwnPropertyDescriptor(typed, "buffer").get);
  const setBytes = uncurry(typed.set);
  const bigintText = uncurry(BigInt.prototype.toString);
  const Bytes = Uint8Array, Buffer = ArrayBuffer, BigIntOf = BigInt, ErrorOf = Error;

  const [NUMBER, UNDEFINED, NAN, INFINITE, NEGATIVE, MINUS_ZERO, BIGINT, KNOWN, TYPE, FIRST_KIND] =
    [0, 1, 2, 3, 4, 5, 6, 7, 8, 9];

  // --- Writing --------------------------------------------------------------------------------------------

  let tape = null, blocks = null, ports = null, things = null, count = 0;

  const put = (item) => append(tape, item);

  const putNumber = (value) => {
    if (value !== value) put(NAN);
    else if (value === Infinity) put(INFINITE);
    else if (value === -Infinity) put(NEGATIVE);
    else if (is(value, -0)) put(MINUS_ZERO);
    else { put(NUMBER); put(value); }
  };

  const write = (value) => {
    switch (typeof value) {
      case "string": case "boolean": return put(value);
      case "number": return putNumber(value);
      case "undefined": return put(UNDEFINED);
      case "bigint": put(BIGINT); return put(bigintText(value));
      default: return value === null ? put(null) : writeRecord(value);
    }
  };

  const writeList = (list) => {
    put(list.length);
    for (let i = 0; i < list.length; i++) write(list[i]);
  };

  // A record that was written has its number in the place of the object that it would become here.
  const writeRecord = (value) => {
    if (value.made !== undefined) {
      put(KNOWN);
      return put(value.made);
    }
    value.made = count++;
    const { kind } = value;
    put(kind.wire.code);
    kind.wire.write(value);
  };

  const writer = {
    __proto__: null, write,
    /** Bytes that nobody changes any more; answers what stands for them from now on. */
    bytes(bytes) {
      const kept = host.keep(bytes);
      append(blocks, kept);
      return kept;
    },
    port(number) { append(ports, number); },
    /** A native object, of those that engines may have together. */
    thing(box) { append(things, box); },
  };

  const writeAll = ({ root, holders }) => {
    put(holders.length);
    for (let i = 0; i < holders.length; i++) write(holders[i]);
    write(root);
    return { __proto__: null, text: stringify(tape), blocks, ports, things };
  };

  /**
   * The text of what clone.js serialized for another engine; what goes beside it. Where it can't be written, the ports
   * that left for it are closed, for nobody has them any more.
   */
  const pack = (message, closePort) => {
    // A port that is in it may have messages waiting, which are packed meanwhile.
    const outer = { __proto__: null, tape, blocks, ports, things, count };
    tape = setPrototypeOf([], null);
    blocks = [];
    ports = [];
    things = [];
    count = 0;
    try {
      return writeAll(message);
    } catch (error) {
      for (let i = 0; i < ports.length; i++) closePort(ports[i]);
      throw error;
    } finally {
      ({ tape, blocks, ports, things, count } = outer);
    }
  };

  // --- Reading --------------------------------------------------------------------------------------------

  let at, records, source;

  /** What another program has written may end too early, and say that much is still to come. */
  const next = () => {
    if (!(at < tape.length)) throw new ErrorOf("the message is cut");
    return tape[at++];
  };

  const readKnown = () => {
    const index = next();
    if (typeof index === "number" && index >= 0 && index < records.length && index % 1 === 0) return records[index];
    throw new ErrorOf("the message tells of something that it has not");
  };

  const read = () => {
    const item = next();
    if (typeof item !== "number") return item;
    switch (item) {
      case NUMBER: return next();
      case UNDEFINED: return undefined;
      case NAN: return NaN;
      case INFINITE: return Infinity;
      case NEGATIVE: return -Infinity;
      case MINUS_ZERO: return -0;
      case BIGINT: return BigIntOf(next());
      case KNOWN: return readKnown();
      default: return item === TYPE ? readType() : readRecord(CODED[item - FIRST_KIND]);
    }
  };

  const readList = () => {
    const list = [];
    for (let left = next(); left > 0; left--) append(list, read());
    return list;
  };

  const readRecord = (kind) => {
    const value = record(kind, undefined);
    append(records, value);
    kind.wire.read(value);
    return value;
  };

  const reader = {
    __proto__: null, read,
    /** A Uint8Array; `isFrozen` says that nobody here will write to it. */
    bytes: (isFrozen) => source.block(isFrozen),
    port: () => source.port(),
    /** Undefined where the message has none. */
    thing: () => source.thing(),
  };

  /** The records that `pack` wrote. */
  const unpack = (text, from) => {
    tape = parse(text);
    at = 0;
    records = [];
    source = from;
    const holders = [];
    for (let left = next(); left > 0; left--) append(holders, read());
    return { __proto__: null, root: read(), holders };
  };

  // --- Kinds ----------------------------------------------------------------------------------------------

  const CODED = [];
  const code = (kind, write, read) => {
    kind.wire = { __proto__: null, code: FIRST_KIND + CODED.length, write, read };
    append(CODED, kind);
  };

  const plain = (kind) => code(kind, ({ data }) => write(data), (made) => { made.data = read(); });
  for (const kind of kinds.wrappers) plain(kind);
  plain(kinds.DATE);
  code(kinds.REGEXP, ({ data }) => { put(data.source); put(data.flags); },
    (made) => { made.data = { source: next(), flags: next() }; });

  const writeBuffer = ({ data }) => {
    put(isResizable(data) ? maxLength(data) : null);
    append(blocks, data);
  };
  const readBuffer = (made) => {
    const maxByteLength = next();
    const buffer = bufferOf(source.block(false));
    if (maxByteLength === null) return void (made.data = buffer);
    made.data = new Buffer(lengthOf(buffer), { __proto__: null, maxByteLength });
    setBytes(new Bytes(made.data), new Bytes(buffer));
  };
  code(kinds.BUFFER, writeBuffer, readBuffer);
  code(kinds.GIVEN_BUFFER, writeBuffer, readBuffer);

  code(kinds.VIEW, ({ data }) => {
    put(data.name);
    write(data.offset);
    write(data.length);
    write(data.buffer);
  }, (made) => { made.data = { name: next(), offset: read(), length: read(), buffer: read() }; });

  const collection = (kind) => code(kind, ({ values }) => writeList(values), (made) => { made.values = readList(); });
  collection(kinds.MAP);
  collection(kinds.SET);

  const members = (kind) => code(kind, ({ data, keys, values }) => {
    write(data);
    put(keys.length);
    for (let i = 0; i < keys.length; i++) {
      put(keys[i]);
      write(values[i]);
    }
  }, (made) => {
    made.data = read();
    made.keys = [];
    made.values = [];
    for (let left = next(); left > 0; left--) {
      append(made.keys, next());
      append(made.values, read());
    }
  });
  members(kinds.ARRAY);
  members(kinds.PLAIN);

  const PLACE = ["line", "column", "sourceURL", "stack"];
  /** An error's stack with the author's places: what gets it has no other sources. One that a script wrote stays. */
  const authored = ({ name, message = "", place: { stack } }) => {
    const frames = typeof stack === "string" ? host.framesOf(stack, "", message) : "";
    return frames === "" ? stack : `${message === "" ? name : `${name}: ${message}`}\n${frames}`;
  };
  code(kinds.ERROR, ({ data, values }) => {
    put(data.name);
    write(data.message);
    for (let i = 0; i < PLACE.length; i++) write(PLACE[i] === "stack" ? authored(data) : data.place[PLACE[i]]);
    writeList(values ?? []);
  }, (made) => {
    const place = { __proto__: null };
    made.data = { name: next(), message: read(), place };
    for (let i = 0; i < PLACE.length; i++) {
      const found = read();
      if (found !== undefined) place[PLACE[i]] = found;
    }
    const causes = readList();
    if (causes.length > 0) made.values = causes;
  });

  code(kinds.EXCEPTION, ({ data }) => {
    write(data.name);
    write(data.message);
    write(data.stack);
  }, (made) => { made.data = { name: read(), message: read(), stack: read() }; });

  // --- Platform objects -----------------------------------------------------------------------------------

  /** What a class of platform objects says of itself: `name`, `pack(data, writer)`, `unpack(reader)`. */
  const connect = (kind, wire, isTransferred) => {
    kind.wire = {
      __proto__: null, code: TYPE,
      write({ data }) {
        put(wire.name);
        put(isTransferred);
        wire.pack(data, writer);
      },
    };
  };
  wiredTypes(connect);

  const readType = () => {
    const name = next(), isTransferred = next();
    const entry = findType(name) ?? (loadType(name), findType(name));
    if (entry === undefined) throw new ErrorOf(`there is no type '${name}'`);
    const made = record(isTransferred ? entry.transferred : entry.copied, undefined);
    append(records, made);
    made.data = entry.type.wire.unpack(reader);
    return made;
  };

  return { pack, unpack };
})

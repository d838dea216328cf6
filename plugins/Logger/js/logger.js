(facade, hidden, BridgeError, program) => {
  "use strict";
  const { stringify } = JSON;
  const { keys, getPrototypeOf, prototype: objectPrototype } = Object;
  const { isArray } = Array;
  const E = Error, D = Date, now = Date.now;
  const LEVELS = ["trace", "debug", "info", "notice", "warning", "error", "critical"];
  const RANKS = { __proto__: null, warn: LEVELS.indexOf("warning") };
  for (let i = 0; i < LEVELS.length; i++) RANKS[LEVELS[i]] = i;
  const rank = (level) => {
    const found = typeof level === "string" ? RANKS[level] : undefined;
    if (found === undefined) throw new BridgeError("invalid_parameter", `the level must be one of ${LEVELS.join(", ")}, not '${String(level)}'`, { service: "logger" });
    return found;
  };

  const settings = JSON.parse(program.settings("logger") ?? "{}");
  /** Records below `least` are dropped; from `direct` on they are handed over one by one. */
  let least = settings.level === undefined ? 0 : rank(settings.level), direct = 0;
  const adopt = (state) => { least = rank(state.level); direct = rank(state.direct); };

  // MARK: Records on their way

  const encoder = new TextEncoder();
  const turn = Promise.resolve();
  let waiting = "", since = 0, isTurn = false, isClosed = false, isDenialTold = false;
  const ignore = () => {};
  /** No call of a record is awaited: a script that may not log hears it once. */
  const tellDenial = (error) => {
    if (error.code !== "permission_denied" || isDenialTold) return;
    isDenialTold = true;
    throw error;
  };
  const send = () => {
    const lines = waiting;
    waiting = "";
    if (lines === "" || isClosed) return;
    // Many records cross as bytes, which need no quoting.
    hidden.write(lines.length > 2048 ? { bytes: encoder.encode(lines) } : { lines }).then(undefined, tellDenial);
  };
  const endTurn = () => { isTurn = false; send(); };
  /** The first record of a turn goes at once, so that a script that never comes back leaves it behind; what follows goes together. */
  const put = (line, level, time) => {
    if (!isTurn) {
      isTurn = true;
      waiting = line;
      send();
      turn.then(endTurn);
    } else {
      if (waiting === "") since = time;
      waiting += line;
      if (level >= direct || waiting.length > 32768 || time - since > 20) send();
    }
  };

  // MARK: Time and place

  let lastTime = -1, timeText = "", lastSecond = -1, secondText = "";
  const timeOf = (time) => {
    if (time === lastTime) return timeText;
    lastTime = time;
    const second = Math.floor(time / 1000);
    if (second !== lastSecond) {
      lastSecond = second;
      secondText = new D(second * 1000).toISOString().slice(0, 20);
    }
    const rest = time - second * 1000;
    return timeText = `"time":"${secondText}${rest < 10 ? "00" : rest < 100 ? "0" : ""}${rest}Z`;
  };

  const places = new Map();
  const capture = E.captureStackTrace;
  /**
   * The frame of the caller of `method`. The engine needs half a microsecond for each frame that it puts into
   * words, so it is asked for one.
   */
  const callerOf = (method) => {
    if (capture === undefined) return "";
    const limit = E.stackTraceLimit;
    try { E.stackTraceLimit = 1; } catch { /* the script froze it */ }
    const at = {};
    capture(at, method);
    try { E.stackTraceLimit = limit; } catch { /* as above */ }
    return at.stack ?? "";
  };
  /** Its place in the author's files, as members of a record. */
  const placeOf = (frame) => {
    const known = places.get(frame);
    if (known !== undefined) return known;
    if (places.size > 4096) places.clear();
    const [name, at] = program.place(frame.split("\n")[0]).split("\n");
    const text = (at === "" || at === undefined ? "" : `,"at":${stringify(at)}`) + (name === "" || name.endsWith(" code") ? "" : `,"function":${stringify(name)}`);
    places.set(frame, text);
    return text;
  };

  // MARK: Fields

  const DEEPEST = 8, MOST = 1000, MOST_LOOKED = 20000;
  /// How many objects of one record were looked at.
  let looked = 0;
  /** Any value as one that JSON has; nothing of it throws, nothing goes round in circles. */
  const plain = (value, seen, depth) => {
    switch (typeof value) {
      case "string": case "boolean": return value;
      case "number": return value === value && value !== Infinity && value !== -Infinity ? value : String(value);
      case "bigint": return `${value}n`;
      case "undefined": return "undefined";
      case "symbol": case "function": return `[${typeof value}${value.name || value.description ? ` ${value.name ?? value.description}` : ""}]`;
    }
    if (value === null) return null;
    if (seen.has(value)) return "[circular]";
    if (++looked > MOST_LOOKED) return "[more]";
    if (depth >= DEEPEST) return isArray(value) ? "[array]" : "[object]";
    seen.add(value);
    try {
      if (value instanceof E) return errorOf(value, seen, depth);
      if (value instanceof D) return isNaN(value) ? "invalid date" : value.toISOString();
      if (ArrayBuffer.isView(value) || value instanceof ArrayBuffer) return `[${value.byteLength} bytes]`;
      if (isArray(value)) return value.slice(0, MOST).map((item) => plain(item, seen, depth + 1));
      if (value instanceof Map && [...value.keys()].every((key) => typeof key === "string")) return members(Object.fromEntries(value), seen, depth);
      if (value instanceof Map) return { entries: [...value].slice(0, MOST).map((entry) => plain(entry, seen, depth + 1)) };
      if (value instanceof Set) return [...value].slice(0, MOST).map((item) => plain(item, seen, depth + 1));
      return members(value, seen, depth);
    } catch (error) {
      return `[${thrown(error)}]`;
    } finally { seen.delete(value); }
  };
  const thrown = (error) => { try { return `threw: ${error?.message ?? error}`; } catch { return "threw"; } };
  const members = (value, seen, depth) => {
    const result = {};
    for (const key of keys(value).slice(0, MOST)) {
      let member;
      try { member = value[key]; } catch (error) { result[key] = `[${thrown(error)}]`; continue; }
      if (member !== undefined) result[key] = plain(member, seen, depth + 1);
    }
    return result;
  };
  const errorOf = (error, seen, depth) => {
    const { name, message, stack, code, cause } = error;
    const result = { name: String(name), message: String(message) };
    if (code !== undefined) result.code = plain(code, seen, depth + 1);
    if (typeof stack === "string") result.stack = stack.split("\n").filter((line) => !line.includes("@nbridge:")).slice(0, 20);
    if (cause !== undefined) result.cause = plain(cause, seen, depth + 1);
    return result;
  };

  const isFlat = (fields) => {
    for (const key in fields) {
      const value = fields[key];
      switch (typeof value) {
        case "string": case "boolean": continue;
        case "number": if (value - value === 0) continue;
      }
      if (value !== null) return false;
    }
    return true;
  };
  const isPlainObject = (value) => {
    const prototype = getPrototypeOf(value);
    return prototype === objectPrototype || prototype === null;
  };
  /** The fields of a call as the text of an object. */
  const textOf = (fields) => {
    if (typeof fields !== "object" || fields === null || isArray(fields)) return stringify({ value: plain(fields, new Set(), 0) });
    try {
      if (isPlainObject(fields) && typeof fields.toJSON !== "function" && isFlat(fields)) return stringify(fields);
    } catch { /* a getter threw: it is told in its place */ }
    try {
      return stringify(fields instanceof E ? { error: plain(fields, new Set(), 0) } : plain(fields, new Set(), 0));
    } catch (error) { return stringify({ fields: `[${thrown(error)}]` }); }
  };

  // MARK: Limits

  let limits = settings.limits ?? [];
  const held = new Map();
  const setLimits = (list) => { tellAllHeld(); limits = list ?? []; };
  const keyOf = ({ key }, message, fields, place) => {
    if (key === "message") return message;
    if (key === "place") return place;
    try { return fields?.[key]; } catch { return undefined; }
  };
  /** Whether a record is one too many; the records that were held back are told when their period is over. */
  const isTooMany = (level, message, fields, place, time) => {
    for (let index = 0; index < limits.length; index++) {
      const limit = limits[index], value = keyOf(limit, message, fields, place);
      if (value === undefined) continue;
      const key = `${index} ${messageOf(value)}`;
      let entry = held.get(key);
      if (entry === undefined || time - entry.start >= limit.period || time < entry.start) {
        if (entry !== undefined) tellHeld(key, entry);
        if (held.size > 10000) tellAllHeld();
        held.set(key, entry = { start: time, count: 0, held: 0, level, value: messageOf(value) });
      }
      if (++entry.count <= limit.most) continue;
      if (entry.held++ === 0) program.after(limit.period - (time - entry.start), () => { if (held.get(key) === entry) { held.delete(key); tellHeld(key, entry); } });
      return true;
    }
    return false;
  };
  const tellHeld = (key, entry) => {
    if (entry.held === 0) return;
    const count = entry.held;
    entry.held = 0;
    line(headOf(entry.level, "script"), `${count} more like '${entry.value.slice(0, 200)}' were held back`, `{"held":${count}}`, "");
  };
  const tellAllHeld = () => {
    for (const [key, entry] of held) tellHeld(key, entry);
    held.clear();
  };

  // MARK: Loggers

  /**
   * The parts that all records of a level and service have in common: the digit in front, and the text
   * between time and message.
   */
  const headOf = (level, service) => ({ level, digit: String(level), rest: `","level":"${LEVELS[level]}","service":${stringify(service)},"message":` });
  /// In a loop it is the same message again and again.
  let lastMessage = "", lastQuoted = '""';
  const quoted = (message) => {
    if (message === lastMessage) return lastQuoted;
    lastMessage = message;
    return lastQuoted = stringify(message);
  };
  const line = (head, message, fields, place) => {
    const time = now(), start = head.digit + timeOf(time) + head.rest + quoted(message) + place;
    put(fields === "" || fields === "{}" ? start + "}\n" : start + ',"fields":' + fields + "}\n", head.level, time);
  };
  const messageOf = (message) => {
    if (typeof message === "string") return message;
    try {
      if (message instanceof E) return `${message.name}: ${message.message}`;
      const value = plain(message, new Set(), 0);
      return typeof value === "string" ? value : stringify(value);
    } catch (error) { return `[${thrown(error)}]`; }
  };
  const merged = (child, fields) => {
    if (fields === undefined) return child;
    if (fields instanceof E) return { ...child, error: fields };
    return typeof fields === "object" && fields !== null && !isArray(fields) ? { ...child, ...members(fields, new Set(), 0) } : { ...child, value: fields };
  };

  /// Whether an error can be added to some fields.
  const isOpen = (fields) => typeof fields === "object" && fields !== null && !isArray(fields) && !(fields instanceof E) && !("error" in fields);
  const record = (head, message, fields, place, child) => {
    looked = 0;
    const text = messageOf(message);
    if (message instanceof E && (fields === undefined || isOpen(fields))) fields = { ...(fields === undefined ? {} : members(fields, new Set(), 0)), error: message };
    if (limits.length > 0 && isTooMany(head.level, text, child === undefined ? fields : merged(child.fields, fields), place, now())) return;
    let own = "";
    if (child !== undefined) own = child.text !== undefined && fields === undefined ? child.text : textOf(merged(child.fields, fields));
    else if (fields !== undefined) own = textOf(fields);
    line(head, text, own, place);
  };
  const method = (level, child, service) => {
    // In a loop it is the same place again and again.
    let lastFrame, lastPlace;
    const head = headOf(level, service);
    const log = {
      [LEVELS[level]](message, fields) {
        if (level < least) return;
        const frame = callerOf(log);
        if (frame !== lastFrame) {
          lastPlace = placeOf(frame);
          lastFrame = frame;
        }
        record(head, message, fields, lastPlace, child);
      },
    }[LEVELS[level]];
    return log;
  };

  const equip = (target, child, service) => {
    for (let level = 0; level < LEVELS.length; level++) target[LEVELS[level]] = method(level, child, service);
    target.warn = target.warning;
    /**
     * A logger whose records all have some fields; the field `service` names the part of the app that they
     * are of.
     */
    target.child = (fields) => {
      if (typeof fields !== "object" || fields === null || isArray(fields)) {
        throw new BridgeError("invalid_parameter", "child() takes an object with fields", { service: "logger" });
      }
      const { service: named = service, ...rest } = { ...child?.fields, ...fields };
      const own = Object.keys(rest).length === 0 ? undefined : { fields: rest, text: textOf(rest) };
      return equip({}, own, String(named));
    };
    target.isEnabled = (level) => rank(level) >= least;
    return target;
  };
  equip(facade, undefined, "script");

  /** Records nothing that matters less, from the next record on. */
  facade.setLevel = async (level) => {
    const wanted = rank(level);
    send();
    least = Math.max(wanted, 0);
    adopt(await hidden.setLevel({ level: LEVELS[wanted] }));
  };
  /** Changes where records go, what is taken out of them and what is held back. */
  facade.configure = async (option) => {
    send();
    adopt(await hidden.configure(option));
    if (option?.limits !== undefined) setLimits(option.limits);
  };
  /** Waits until all records are where they belong. */
  facade.flush = async (option) => {
    send();
    await hidden.flush(option);
  };

  program.atEnd(() => {
    tellAllHeld();
    send();
    isClosed = true;
    return [];
  });
  hidden.open().then(adopt, ignore);
}

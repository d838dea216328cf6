// SPDX-License-Identifier: MIT
//
// The conformance suite's half in JavaScript: calls a plugin in every way that scripts can, with values made from its
// declared types (conformancevalues.js). `plan` is { check, descriptor, seed, skipped }; problems are printed, a line of JSON each.
// So is each call before it is made (`at: `), for one may never come back, when one is over (`over`), and what took its process along
// (`crashed: `).
(async (plan, makeValues) => {
  "use strict";
  const { descriptor, skipped, check } = plan;
  const service = descriptor.service;
  // What is hidden is for the plugin's own script: no other can call it.
  const declared = descriptor.members.filter(({ hidden }) => !hidden);
  // Methods of objects are called on the objects that actions answer.
  const members = declared.filter(({ name, handle }) => !handle && !skipped.includes(name));
  const methodsOf = (type) => declared.filter(({ name, handle }) =>
    handle?.type === type && !handle.closes && !skipped.includes(`${type}.${name}`) && !skipped.includes(name));
  const OBJECTS = "#/handles/";
  const actions = members.filter(({ kind }) => kind !== "watch");
  const watches = members.filter(({ kind }) => kind === "watch");
  const COMMON = ["invalid_service", "invalid_action_name", "invalid_parameter", "permission_denied", "timeout",
    "cancelled", "unavailable", "script_failed", "plugin_crashed", "unknown_error"];

  let problems = 0;
  const problem = (text) => { if (++problems <= 20) console.log(JSON.stringify(text)); };

  // xorshift32 (Marsaglia 2003): the same calls for the same seed.
  let state = plan.seed | 0 || 1;
  const random = () => {
    state ^= state << 13; state ^= state >>> 17; state ^= state << 5;
    return (state >>> 0) / 0x100000000;
  };
  const below = (count) => Math.floor(random() * count);
  const pick = (list) => list[below(list.length)];

  const { valueOf, spoilt, breaking, isRuled } = makeValues({ random, below, pick });

  /** What of a value does not fit its shape; undefined when all does. */
  const misfit = (value, schema, path) => {
    if (schema === undefined || schema.format === "undefined") {
      return value === undefined ? undefined : `${path} is ${typeof value}, where nothing is declared`;
    }
    if (schema.$ref) return typeof value?.close === "function" ? undefined : `${path} is ${typeof value}, declared as an object of the plugin`;
    if (schema.enum) return schema.enum.includes(value) ? undefined : `${path} is none of ${schema.enum.join(", ")}`;
    if (schema.anyOf) {
      return schema.anyOf.some((one) => misfit(value, one, path) === undefined) ? undefined : `${path} fits no declared shape`;
    }
    const wrong = `${path} is ${value === null ? "null" : typeof value}, declared as ${schema.format ?? schema.type}`;
    switch (schema.type) {
      case "boolean": return typeof value === "boolean" ? undefined : wrong;
      case "number": return typeof value === "number" ? undefined : wrong;
      case "integer":
        return (schema.format === "bigint" ? typeof value === "bigint" : Number.isInteger(value)) ? undefined : wrong;
      case "string":
        if (schema.format === "date") return value instanceof Date ? undefined : wrong;
        if (schema.format === "bytes") return ArrayBuffer.isView(value) || value instanceof ArrayBuffer ? undefined : wrong;
        return typeof value === "string" ? undefined : wrong;
      case "null": return value === null || value === undefined ? undefined : wrong;
      case "array":
        if (!Array.isArray(value)) return wrong;
        return value.map((item, i) => misfit(item, schema.items ?? {}, `${path}[${i}]`)).find((text) => text !== undefined);
      case "object": {
        if (typeof value !== "object" || value === null) return wrong;
        for (const [name, member] of Object.entries(schema.properties ?? {})) {
          const isThere = value[name] !== undefined && value[name] !== null;
          if (!isThere) {
            if (schema.required?.includes(name) && misfit(value[name], member, name)) return `${path}.${name} is missing`;
            continue;
          }
          const text = misfit(value[name], member, `${path}.${name}`);
          if (text !== undefined) return text;
        }
        return undefined;
      }
      default: return undefined;
    }
  };

  const shown = (value) => {
    try {
      return JSON.stringify(value, (_, v) => typeof v === "bigint" ? `${v}n` : v)?.slice(0, 120) ?? String(value);
    } catch { return typeof value; }
  };

  /** Judges how a call ended. */
  const judgeError = (member, error, option) => {
    const what = `${member.name}(${shown(option)})`;
    if (!(error instanceof nbridge.BridgeError)) return problem(`${what} rejected with ${error}, no BridgeError`);
    const codes = [...COMMON, ...(member.errors ?? [])];
    if (!codes.includes(error.code)) {
      problem(`${what} rejected with the code '${error.code}', which is not declared: add .errors("${error.code}")`);
    }
    if (error.code === "unknown_error" && /fault of the plugin/.test(error.message)) problem(`${what}: ${error.message}`);
  };

  const tellCall = (name, option) => console.log(JSON.stringify(`at: ${name}(${shown(option)})`));
  const tellEnd = () => console.log('"over"');

  /** Milliseconds that a call may take. Of two thousand that begin at once, the last has waited for all others: on a disk that takes
   * its time to keep what each of them writes, or beside other programs. */
  const patience = () => (check === "storm" ? 75_000 : 2_000);

  const call = (member, option, control = { timeout: patience() }) => {
    tellCall(member.name, option);
    return nbridge.callToNative(service, member.name, option, control);
  };

  /** What took its process along: it is not called again, for a process that crashes often is started later each time. */
  const crashed = new Set();
  const tookProcess = (name, error, option) => {
    // One that was ended because an older call hung is no fault of this one, which that call's own check names.
    if (error?.code !== "plugin_crashed" || /^hung/.test(error.details?.reason)) return false;
    if (crashed.has(name)) return true;
    crashed.add(name);
    // However many others there are.
    console.log(JSON.stringify(`${name}(${shown(option)}): ${error.message}; it is not called again`));
    // Of many at once, nobody can tell which it was.
    if (check !== "storm") console.log(JSON.stringify(`crashed: ${name}`));
    return true;
  };

  /** How the calls of each member ended: how many were answered, how many of the last were not in time, and the codes. */
  const endings = new Map(members.map(({ name }) => [name, { answered: 0, late: 0, codes: new Set() }]));
  const LATE = 3;
  const isSilent = ({ name }) => endings.get(name).late >= LATE || crashed.has(name);

  const noteEnding = ({ name }, code, isLate) => {
    const ending = endings.get(name);
    if (code === undefined) ending.answered++;
    else ending.codes.add(code);
    ending.late = isLate ? ending.late + 1 : 0;
    if (ending.late === LATE) {
      problem(`${name} did not answer within ${patience() / 1000} s, ${LATE} times in a row; if it may take so long, leave it out: --skip ${name}`);
    }
  };

  /** Whether an option says all of itself by its type: texts and bytes have a form that no type tells. */
  const isToldByType = ({ type, enum: some, anyOf, properties = {} }) => some !== undefined || type === "boolean" || type === "number"
    || type === "integer" || type === "null" || anyOf?.every(isToldByType) === true
    || (type === "object" && Object.values(properties).every(isToldByType));

  /** Whether a code is the plugin's own fault: it did not take what it says that it takes. */
  const isBlamed = ({ options }) => (code) => ["unknown_error", "script_failed", "plugin_crashed"].includes(code)
    || (code === "invalid_parameter" && (options === undefined || isToldByType(options)));

  /** What answers nothing is right about nothing: it can't be seen here whether what it would answer is as declared. */
  const noteSilence = (member) => {
    const { answered, codes, late } = endings.get(member.name), list = [...codes];
    if (answered > 0 || late >= LATE || list.length === 0 || crashed.has(member.name)) return;
    if (list.every(isBlamed(member))) problem(`${member.name} answered none of 60 calls as declared: ${list.join(", ")} each time`);
    else console.log(JSON.stringify(`note: ${member.name} answered none of 60 calls (${list.join(", ")}): its answers were not looked at`));
  };

  const tried = async (member, option, control) => {
    if (isSilent(member)) return;
    const isPatient = control === undefined;
    try {
      const answer = await call(member, option, control), text = misfit(answer, member.result, "the answer");
      noteEnding(member, undefined, false);
      if (text !== undefined) problem(`${member.name}(${shown(option)}): ${text}`);
      for (const [object, type] of objectsIn(answer, member.result)) await triedObject(object, type, 0);
    } catch (error) {
      noteEnding(member, `${error?.code}`, isPatient && error?.code === "timeout");
      if (!tookProcess(member.name, error, option)) judgeError(member, error, option);
    } finally { tellEnd(); }
  };

  /** The objects of the plugin in an answer, each with its type. */
  const objectsIn = (value, schema) => {
    if (value === undefined || value === null || schema === undefined) return [];
    if (schema.$ref) return typeof value.close === "function" ? [[value, schema.$ref.slice(OBJECTS.length)]] : [];
    if (schema.anyOf) return schema.anyOf.filter((one) => misfit(value, one, "") === undefined).flatMap((one) => objectsIn(value, one));
    if (schema.type === "array") return value.flatMap((item) => objectsIn(item, schema.items));
    return Object.entries(schema.properties ?? {}).flatMap(([name, member]) => objectsIn(value[name], member));
  };

  /** What a method of the facade is called with: options by their places, then the others. */
  const argumentsOf = (member, option) => {
    const names = member.positional ?? [], rest = { ...option };
    for (const name of names) delete rest[name];
    const takesOption = member.options !== undefined
      && (names.length === 0 || Object.keys(member.options.properties ?? {}).some((name) => !names.includes(name)));
    return [...names.map((name) => option?.[name]), ...(takesOption ? [names.length === 0 ? option : rest] : [])];
  };

  /** Calls each method of an object as declared and not as declared, then closes it. */
  const triedObject = async (object, type, depth) => {
    for (const method of methodsOf(type)) {
      const full = `${type}.${method.name}`;
      for (const option of [valueOf(method.options), spoilt(method.options)]) {
        const control = { timeout: patience() };
        if (crashed.has(full)) break;
        tellCall(full, option);
        try {
          if (method.kind === "watch") {
            object[method.name](...argumentsOf(method, option), undefined, control).stop();
            continue;
          }
          const answer = await object[method.name](...argumentsOf(method, option), control);
          const text = misfit(answer, method.result, "the answer");
          if (text !== undefined) problem(`${type}.${method.name}(${shown(option)}): ${text}`);
          if (depth < 2) for (const [inner, kind] of objectsIn(answer, method.result)) await triedObject(inner, kind, depth + 1);
        } catch (error) {
          // The object is gone with the process.
          if (tookProcess(full, error, option)) return;
          judgeError(method, error, option);
        } finally { tellEnd(); }
      }
    }
    tellCall(`${type}.close`);
    try { await object.close(); } catch (error) {
      if (tookProcess(`${type}.close`, error)) return;
      throw error;
    } finally { tellEnd(); }
    const [method] = methodsOf(type).filter(({ kind }) => kind !== "watch");
    if (method === undefined) return;
    try {
      await object[method.name](...argumentsOf(method, valueOf(method.options)), { timeout: patience() });
      problem(`${type}.${method.name} answered on an object that is closed`);
    } catch (error) { if (error.code !== "closed") problem(`${type}.${method.name} of a closed object: ${error.code}, not closed`); }
  };

  const turns = async (count) => { for (let i = 0; i < count; i++) await new Promise((done) => setTimeout(done, 0)); };

  const checks = {
    async face() {
      const face = nbridge[service];
      for (const { name } of members) if (typeof face[name] !== "function") problem(`nbridge.${service}.${name} is no function`);
      const hidden = descriptor.members.filter(({ hidden, handle }) => hidden && !handle).map(({ name }) => name).join(", ");
      if (hidden !== "") console.log(JSON.stringify(`note: what is hidden is not called: ${hidden}`));
    },
    async declared() {
      for (const member of actions) {
        for (let i = 0; i < 60; i++) await tried(member, valueOf(member.options));
        noteSilence(member);
      }
    },
    async undeclared() {
      for (const member of actions) for (let i = 0; i < 120; i++) await tried(member, spoilt(member.options));
      for (const member of actions) {
        for (const name of member.options?.required ?? []) {
          if (isSilent(member)) break;
          const option = valueOf(member.options);
          delete option[name];
          try {
            await call(member, option);
            problem(`${member.name} took an option without '${name}', which is declared as required`);
          } catch (error) {
            if (tookProcess(member.name, error, option)) break;
            if (error.code !== "invalid_parameter") problem(`${member.name} without '${name}': ${error.code}, not invalid_parameter`);
          }
        }
      }
    },
    async ruled() {
      for (const member of actions) {
        for (const [name, shape] of Object.entries(member.options?.properties ?? {}).filter(([, one]) => isRuled(one))) {
          const wrong = breaking(shape);
          if (wrong === undefined || isSilent(member)) continue;
          const option = { ...valueOf(member.options), [name]: wrong };
          try {
            await call(member, option);
            problem(`${member.name} took ${shown(wrong)} for '${name}', which its rule forbids`);
          } catch (error) {
            if (tookProcess(member.name, error, option)) continue;
            if (error.code !== "invalid_parameter") problem(`${member.name} with ${shown(wrong)} for '${name}': ${error.code}, not invalid_parameter`);
          }
        }
      }
    },
    async storm() {
      const calls = [];
      if (actions.length === 0) return;
      for (let i = 0; i < 2000; i++) {
        const member = actions[i % actions.length];
        calls.push(tried(member, valueOf(member.options)));
      }
      await Promise.all(calls);
    },
    async cancel() {
      for (const member of actions) {
        for (let step = 0; step < 12; step++) {
          const controller = new AbortController();
          const option = valueOf(member.options);
          const ended = tried(member, option, { signal: controller.signal, timeout: 5000 });
          await (step % 2 === 0 ? turns(step / 2) : Promise.resolve());
          controller.abort();
          await ended;
        }
      }
    },
    async deadline() {
      for (const member of actions) {
        for (let i = 0; i < 10; i++) {
          const start = performance.now();
          await tried(member, valueOf(member.options), { timeout: 1 });
          const took = performance.now() - start;
          if (took > 2000) problem(`${member.name} kept its caller ${Math.round(took)} ms beyond a deadline of 1 ms: it blocks`);
        }
      }
    },
    async watches() {
      for (const member of watches) {
        for (let i = 0; i < 20 && !isSilent(member); i++) {
          const option = valueOf(member.options);
          const controller = new AbortController();
          const stop = setTimeout(() => controller.abort(), 20);
          let count = 0;
          try {
            for await (const event of call(member, option, { signal: controller.signal })) {
              const text = misfit(event, member.result, "an event");
              if (text !== undefined) problem(`${member.name}(${shown(option)}): ${text}`);
              if (++count === 1 + i % 3) break;
            }
          } catch (error) { if (!tookProcess(member.name, error, option)) judgeError(member, error, option); }
          clearTimeout(stop);
        }
        if (isSilent(member)) continue;
        for (let i = 0; i < 20; i++) call(member, valueOf(member.options)).stop?.();
        try { for await (const _ of call(member, spoilt(member.options), { timeout: 50 })) break; } catch (error) {
          if (!tookProcess(member.name, error, "something wrong")) judgeError(member, error, "something wrong");
        }
      }
    },
    async drop() {
      // The suite does not wait for these: the program ends with them open.
      for (const member of actions) for (let i = 0; i < 20; i++) call(member, valueOf(member.options)).catch(() => {});
      for (const member of watches) call(member, valueOf(member.options));
      exit(0);
    },
  };
  await checks[check]();
  // What was cancelled has a moment to come back; what is open then is a leak.
  await turns(20);
})

// Calls of all kinds under random schedules: nbridge.args is [seed, schedules, calls a schedule, what is left open at the end]. Every call knows what it must
// come to; whatever else happens is a problem, which is printed. The same seed gives the same calls.
const [seed, schedules, calls, left] = [0, 1, 2, 3].map((index) => Number(nbridge.args[index]));
const a = nbridge.attacked, p = nbridge.probe;
const { log } = console;
// The host of the long test has it.
const canRestart = nbridge.services.indexOf("plugins") >= 0;

// xorshift32 (Marsaglia 2003).
let state = seed * 2654435761 | 1;
const below = (count) => {
  state ^= state << 13; state ^= state >>> 17; state ^= state << 5;
  return (state >>> 0) % count;
};

let problems = 0, settled = 0, restarts = false;
const problem = (text) => { if (problems++ < 10) log(text); };

/** Notes what a call comes to: `expected` answers whether that is right. */
let open = 0;
const track = (name, promise, expected) => {
  open++;
  let count = 0;
  const end = (kind, value) => {
    if (count++ > 0) return problem(`${name} settled ${count} times`);
    open--;
    settled++;
    let isRight = false;
    try { isRight = expected(kind, value); } catch (error) { problem(`${name}: ${error}`); }
    // A loaded plugin that is stopped answers what is open with it; one that is linked goes on.
    if (restarts && kind === "error" && value.code === "cancelled") isRight = true;
    if (!isRight) problem(`${name} came to ${kind}: ${value?.code ?? value} ${value?.message ?? ""}`);
  };
  (async () => { try { end("value", await promise); } catch (error) { end("error", error); } })();
};
/** Takes a call's outcome and looks at nothing: the call may have been cancelled by a restart. */
const dropped = async (promise) => { try { await promise; } catch { /* as said */ } };
const is = (wanted) => (kind, value) => kind === "value" && value === wanted;
const fails = (...codes) => (kind, error) => kind === "error" && codes.indexOf(error.code) >= 0;
const either = (one, other) => (kind, value) => one(kind, value) || other(kind, value);

let pulls = 0;
const pull = (control) => {
  const n = below(1000);
  pulls++;
  return [a.pull({ n }, control), is(n)];
};
const push = () => {
  const n = below(1000);
  track("push", below(4) === 0 ? a.pushThenFail({ n }) : a.push({ n }), either(is(n), fails("pushed")));
  pulls = 0;
};
const anyCall = () => {
  const n = below(1000);
  switch (below(6)) {
    case 0: return ["answer", p.answer(), is(42)];
    case 1: return ["compute", p.compute({ count: n }), is(2 * n)];
    case 2: return ["yieldThen", a.yieldThen({ n }), is(n)];
    case 3: return ["soon", p.soon(), is("soon")];
    case 4: return ["hello", p.hello({ name: `${n}` }), is(`Hello, ${n}!`)];
    default: return ["later", p.later({ ms: n % 3 }), is(n % 3)];
  }
};

const kinds = [
  () => track(...anyCall()),
  () => track("pull", ...pull()),
  push,
  () => { // A signal that fires at some time.
    const abort = new AbortController(), when = below(5);
    if (when === 0) abort.abort();
    const [promise, expected] = below(2) ? pull({ signal: abort.signal }) : [a.never({ signal: abort.signal }), () => false];
    track("aborted", promise, either(expected, fails("cancelled")));
    if (when === 1) abort.abort();
    else if (when === 2) (async () => { await null; abort.abort(); })();
    else setTimeout(() => abort.abort(), when);
  },
  () => { // A signal that throws whatever is done with it.
    const { signal } = new AbortController();
    const no = () => { throw new Error("no"); };
    const n = below(3);
    Object.defineProperty(signal, below(2) ? "removeEventListener" : "addEventListener", { value: no });
    track("throwing signal", nbridge.callToNative("probe", "later", { ms: n }, { signal }), either(is(n), fails("invalid_parameter")));
  },
  () => track("deadline", a.never({ timeout: 1 + below(5) }), fails("timeout")),
  () => { // A getter that calls, throws or aborts.
    const abort = new AbortController(), what = below(4), n = below(1000);
    const option = { get count() {
      if (what === 0) track(...anyCall());
      else if (what === 1) throw new Error("no");
      else if (what === 2) abort.abort();
      return n;
    } };
    track("getter", p.compute(option, { signal: abort.signal }), either(is(2 * n), fails("invalid_parameter", "cancelled")));
  },
  () => { // A control that can't be one.
    const bad = [{ get signal() { throw 1; } }, { timeout: -1 }, { signal: 5 }, 7];
    track("bad control", p.compute({ count: 1 }, bad[below(bad.length)]), fails("invalid_parameter"));
  },
  () => track("through", a.through({ action: below(2) ? "beginnings" : "gone" }),
    (kind, value) => kind === "value" ? value >= 0 : value.code === "invalid_action_name"),
  () => track("through, late", a.through({ action: "never", milliseconds: 1 + below(3) }), fails("timeout", "cancelled")),
  () => { // A watch that is read in part.
    const count = below(20), wanted = below(20);
    track("watch", (async () => {
      let seen = 0;
      for await (const n of p.numbers({ count })) {
        if (n !== seen) throw new Error(`${n} instead of ${seen}`);
        if (++seen === wanted) break;
      }
      return seen;
    })(), is(wanted === 0 ? count : Math.min(count, wanted)));
  },
  () => { // Bytes that are copied, and bytes that are read in place.
    const bytes = new Uint8Array(below(2) ? 10 : 5000).fill(below(200));
    track("bytes", a.sum({ bytes }), is(bytes.length * bytes[0]));
  },
  () => { // Calls that the script does not wait for.
    dropped(p.later({ ms: below(3) }));
    dropped(a.pull({ n: 1 }));
    dropped(p.numbers({ count: 3 }).return());
  },
  () => track("code", p.throwsCode(), fails("out_of_paper")),
  () => track("no action", nbridge.callToNative("probe", "gone"), fails("invalid_action_name")),
  () => track("details", a.badDetails(), fails("bad")),
  () => { // A getter that a promise reads when it is settled with an object makes calls.
    const then = { configurable: true, get() { delete Object.prototype.then; track(...anyCall()); } };
    track("then", p.point({ x: 1, y: 2, label: "l", on: true }), (kind, value) => value.x === 1);
    Object.defineProperty(Object.prototype, "then", then);
    track("then", p.point({ x: 3, y: 2, label: "l", on: true }), (kind, value) => value.x === 3);
    delete Object.prototype.then;
  },
];

/** Stops a plugin and starts it anew, while calls wait for a worker. */
const restart = () => {
  for (let waiting = below(30); waiting > 0; waiting--) track("compute", p.compute({ count: waiting }), is(2 * waiting));
  nbridge.plugins.restart({ service: below(2) ? "attacked" : "probe" });
};

/** The changes that a schedule may make to the prototypes; each answers the function that undoes it. */
const no = () => { throw new Error("polluted"); };
const replace = (object, name) => {
  const old = Object.getOwnPropertyDescriptor(object, name), { defineProperty } = Object;
  defineProperty(object, name, { value: no, configurable: true, writable: true });
  return () => { if (old === undefined) delete object[name]; else defineProperty(object, name, old); };
};
const pollutions = [
  () => ignore, () => ignore, () => ignore,
  () => replace(Array.prototype, "push"), () => replace(Array.prototype, "filter"), () => replace(Array.prototype, "shift"),
  () => replace(String.prototype, "split"), () => replace(JSON, "stringify"), () => replace(JSON, "parse"),
  () => replace(Promise, "resolve"), () => replace(Object, "keys"), () => replace(Reflect, "apply"),
  () => replace(Map.prototype, "get"), () => replace(Set.prototype, "add"), () => replace(Error.prototype, "toString"),
];
const ignore = () => {};

for (let schedule = 0; schedule < schedules; schedule++) {
  const undo = pollutions[below(pollutions.length)]();
  restarts = canRestart && below(8) === 0;
  for (let made = 0; made < calls; made++) {
    kinds[below(kinds.length)]();
    if (restarts && below(25) === 0) restart();
    if (below(50) === 0) await dropped(p.answer());
    if (below(200) === 0) await dropped(p.later({ ms: 0 }));
  }
  for (let round = 0; open > 0; round++) {
    await dropped(a.push({ n: 0 }));
    await dropped(p.later({ ms: 0 }));
    if (round > 20_000) { problem(`schedule ${schedule}: ${open} calls never settled`); break; }
  }
  undo();
  if (problems > 0) {
    log(`in schedule ${schedule} of seed ${seed}`);
    break;
  }
}
// The program ends in the middle of all that.
for (let number = 0; number < left; number++) {
  for (const promise of [a.never(), a.pull({ n: 1 }), a.through({ action: "never" }), p.later({ ms: 1e6 })])
    promise.then(problem, ignore);
  p.numbers({ count: 1e9 }).next();
}
if (left > 0) await p.soon();
log(problems === 0 ? "all settled" : `${problems} problems`, settled >= schedules * calls * 0.9);
if (left > 0) exit(0);

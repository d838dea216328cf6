// Watches, signals, deadlines, streams and objects, in a program and in a page.
const settled = async (promise) => promise.then((value) => `value ${value}`, (error) => `${error.code}: ${error.message}`);

const seen = [];
const watch = nbridge.preference.watch("w");
const reading = (async () => { for await (const { value } of watch) if (seen.push(value) && value === 2) break; })();
for (let value = 0; value < 3; value++) await nbridge.preference.set("w", value);
await reading;
console.log(`watched ${seen.at(-1)}`);

let heard = 0;
const stopped = new AbortController();
const ended = nbridge.preference.watch("c", () => { if (++heard === 1) stopped.abort(new Error("enough")); }, { signal: stopped.signal });
await nbridge.preference.set("c", 1);
console.log(await settled(ended));

const early = new AbortController();
early.abort();
console.log(await settled(nbridge.documents.read("x", {}, { signal: early.signal })));
const late = new AbortController();
const busy = nbridge.documents.watch(".", { signal: late.signal });
const next = settled(busy.next());
late.abort();
console.log(await next);

// An iterable of the script's goes to the plugin as it is read.
async function* pieces() { for (let index = 0; index < 100; index++) yield `line ${index}\n`; }
await nbridge.documents.write("streamed.txt", "");
const writer = await nbridge.documents.writer("streamed.txt");
for await (const piece of pieces()) await writer.write(piece);
await writer.close();
let lines = 0;
for await (const line of nbridge.documents.lines("streamed.txt")) if (line === `line ${lines}`) lines++;
console.log(`lines ${lines}`);
let bytes = 0;
for await (const chunk of nbridge.documents.chunks("streamed.txt")) bytes += chunk.length;
console.log(`bytes ${bytes}`);
await nbridge.documents.remove("streamed.txt");
console.log(await settled(nbridge.documents.read("streamed.txt")));

// What a script puts on the prototypes is no part of a message.
Object.prototype.files = [1];
Object.prototype.size = -1;
console.log(`polluted ${typeof (await nbridge.app.appInfo()).version}`);
delete Object.prototype.files;
delete Object.prototype.size;

const order = [];
await Promise.all([1, 2, 3].map(async (n) => { await nbridge.app.appInfo(); order.push(n); }));
console.log(order.join());
console.log("end");

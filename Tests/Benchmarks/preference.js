// Preferences: `preference.js get COUNT`, `preference.js set COUNT`, `preference.js nothing COUNT` (an immediate call of another
// plugin, for comparison) print the median of the microseconds that one takes.
const { preference, app } = nbridge;
const [what, count] = nbridge.args;
const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];
const calls = {
  get: () => preference.get("colour"),
  set: (n) => preference.set("number", n),
  nothing: () => app.appInfo(),
};
await preference.set("colour", "teal");
const batches = [];
for (let batch = 0; batch < 9; batch++) {
  const start = performance.now();
  for (let n = 0; n < count; n++) await calls[what](n);
  batches.push((performance.now() - start) * 1000 / count);
}
console.log(median(batches).toFixed(3));

// Tells the meaning of every word that is copied, for as long as it runs:
//
//   nbridge run www/biscuit.js &
//   nbridge eval 'await nbridge.pasteboard.set("biscuit")'
const meanings = new Map(Object.entries({
  biscuit: "a small baked cake, flat and crisp",
  bridge: "what carries a way across something",
  native: "made for the place where it runs",
  promise: "a value that is still to come",
}));

console.log("copy a word");
for await (const { change, types } of nbridge.pasteboard.watch()) {
  if (change !== "set" || !types.includes("text/plain")) continue;
  const word = (await nbridge.pasteboard.string())?.trim().toLowerCase() ?? "";
  if (!/^[\p{L}-]{1,40}$/u.test(word)) continue;
  console.log(`${word}: ${meanings.get(word) ?? "not in this dictionary"}`);
}

const facts = JSON.parse(nbridge.args[1]);
const { preference } = nbridge;
const problems = [];
const fresh = facts.damaged ? ["c"] : ["a", "b"];
for (const id of fresh) {
  const value = await preference.get(id);
  if (!(value?.n >= facts[id])) problems.push(`${id} acknowledged ${facts[id]}, there is ${value?.n}`);
  else if (value.filler.length !== value.n % 3000) problems.push(`${id} is no whole value`);
}
const { id, n } = await preference.get("all") ?? {};
if (facts.damaged ? !(n >= facts.c) : !(n >= facts[id])) problems.push(`all is ${id} ${n}`);
if (await preference.get("own") !== 1) problems.push("the default is gone");
console.log(problems.join("; ") || "ok");

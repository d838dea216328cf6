const facts = JSON.parse(nbridge.args[1]);
const { pasteboard } = nbridge;
const problems = [];
for (const id of facts.damaged ? ["c"] : ["a", "b"]) {
  const [item] = await pasteboard.items({ name: `kills.${id}` });
  const n = Number(item?.["text/plain"]);
  if (!(n >= facts[id])) problems.push(`${id} acknowledged ${facts[id]}, there is ${n}`);
  const filler = item?.["application/x-filler"];
  if (filler?.length !== (n % 5) * 40000 || filler.some((byte) => byte !== n % 256)) problems.push(`${id} is no whole item`);
}
const { id, n } = await pasteboard.get({ type: "json" }) ?? {};
if (facts.damaged ? !(n >= facts.c) : !(n >= facts[id])) problems.push(`the general board is of ${id}, ${n}`);
let last = Infinity;
for (const { changeCount } of await pasteboard.history()) {
  if (!(changeCount < last)) problems.push("the history is out of order");
  last = changeCount;
}
console.log(problems.join("; ") || "ok");

const facts = JSON.parse(nbridge.args[1]);
const failures = Math.max(0, facts.a - facts.first + 1) + Math.max(0, facts.b - facts.first + 1) + (facts.c === undefined ? 0 : 1);
// Five failures lock; whatever is damaged locks too, and nothing unlocks.
const { available, reason } = await nbridge.auth.canEvaluatePolicy("biometrics");
console.log(available && failures >= 5 || available && facts.damaged ? `it is not locked after ${failures} failures (${reason})` : "ok");

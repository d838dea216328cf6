// The costs of authentication by a stub: microseconds for `evaluatePolicy` with its audit line written,
// evaluations a second with 50 asked for at once, microseconds for `canEvaluatePolicy`.
const { auth } = nbridge;
const median = (list) => list.sort((a, b) => a - b)[list.length >> 1];
const option = { policy: "biometrics", reason: "measure it" };
const rounds = async (many, body) => {
  const times = [];
  for (let round = 0; round < 9; round++) {
    const start = performance.now();
    await body(many);
    times.push((performance.now() - start) / many * 1000);
  }
  return median(times.slice(2));
};
const evaluate = await rounds(2000, async (many) => { for (let i = 0; i < many; i++) await auth.evaluatePolicy(option); });
const together = await rounds(2000, async (many) => {
  for (let i = 0; i < many; i += 50) await Promise.all(Array.from({ length: 50 }, () => auth.evaluatePolicy(option)));
});
const can = await rounds(20000, async (many) => { for (let i = 0; i < many; i++) await auth.canEvaluatePolicy("biometrics"); });
console.log(`evaluate\t${evaluate.toFixed(1)}\nrate\t${Math.round(1e6 / together)}\ncan\t${can.toFixed(2)}`);

// Resident memory over ten million calls, as /proc sees it: printed by the host's shell through checkpoints.
const { bench } = nbridge;
let made = 0;
for (const count of [100000, 500000, 1000000, 5000000, 10000000]) {
  for (; made < count; made++) await bench.immediate();
  console.log("checkpoint");
  await new Promise((resolve) => setTimeout(resolve, 300));
}

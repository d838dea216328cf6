// Resident memory over ten million calls, as /proc sees it: printed by the host's shell through checkpoints.
const { bench } = nbridge;
for (let i = 0; i < 100000; i++) await bench.immediate();
console.log("checkpoint");
await new Promise((resolve) => setTimeout(resolve, 300));
for (let i = 0; i < 9900000; i++) await bench.immediate();
console.log("checkpoint");
await new Promise((resolve) => setTimeout(resolve, 300));

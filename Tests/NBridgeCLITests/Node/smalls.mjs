// What readline tells of its pauses, and what process tells of the processor's time.
import process from "node:process";
import readline from "node:readline";
import { PassThrough } from "node:stream";
const L = (...a) => console.log(...a);
const wait = () => new Promise((r) => setTimeout(r, 5));
const made = (name) => {
  const input = new PassThrough();
  const lines = readline.createInterface({ input });
  for (const event of ["pause", "resume", "close"]) lines.on(event, () => L(name, event));
  return { input, lines };
};
{
  const { input, lines } = made("closes");
  lines.question("?", (answer) => { L(answer); lines.close(); lines.close(); });
  input.write("1\n2\n");
  await wait();
  L(lines.closed);
}
{
  const { lines } = made("paused");
  lines.pause();
  lines.close();
}
{
  const { lines } = made("again");
  lines.once("pause", () => lines.pause());
  lines.close();
}
{
  const { input, lines } = made("ends");
  lines.on("line", (line) => L(line));
  input.end("a\nb");
  await wait();
}
const before = process.cpuUsage();
let used;
do { used = process.cpuUsage(before); } while (used.user + used.system <= 5000);
L(Object.keys(used), before.user > 0, used.user + used.system > 5000, used.user < 10e6, process.cpuUsage(null).user >= before.user);
for (const since of [{}, { user: "x" }, { user: -1, system: 0 }, { user: 1, system: NaN }, 5, [], { user: 1e300, system: 1 }]) {
  try { L(process.cpuUsage(since)); } catch ({ name, code, message }) { L(name, code, message); }
}

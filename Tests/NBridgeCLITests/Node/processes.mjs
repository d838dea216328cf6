// node:process, node:child_process and node:readline; run with stdin "l1\nl2\nl3\nl4\nl5" and FOO=bar.
import process from "node:process";
import { exec, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import readline from "node:readline";
import { createInterface } from "node:readline/promises";
import { Readable } from "node:stream";
import { isatty } from "node:tty";
import { promisify } from "node:util";

const show = (...values) => process.stdout.write(values.join(" ") + "\n");
const caught = async (action) => { try { await action(); } catch (error) { return error; } };

show(typeof process.pid, process.pid > 1, process.platform, process.argv.slice(2).join());
show(process.env.FOO, process.env.NOPE, "FOO" in process.env, "NOPE" in process.env);
process.env.MINE = 5;
show(process.env.MINE, typeof process.env.MINE, delete process.env.FOO, process.env.FOO);
show(process.stdout.isTTY, process.stdout.columns, process.stdin.isTTY, process.stdout.fd, isatty(1));
await new Promise((done) => process.stdout.write("with a callback\n", done));
show(process.stdout.write(""), process.stdout.writable, process.stderr.fd);

// Children
{
  const child = spawn("cat");
  let text = "";
  child.stdout.setEncoding("utf8").on("data", (piece) => { text += piece; });
  child.stdin.write("one\n");
  child.stdin.end("two\n");
  const [code, signal] = await once(child, "close");
  show(JSON.stringify(text), code, signal, typeof child.pid, child.exitCode, child.spawnargs.join());
}
show(JSON.stringify(await promisify(exec)("echo out; echo err >&2; echo $MINE")));
{
  const error = await caught(() => promisify(exec)("echo out; exit 3"));
  show(error.code, error.killed, error.signal, error.cmd, JSON.stringify(error.stdout), error.message.trim());
}
{
  const error = await caught(() => promisify(execFile)("/none/such", ["x"]));
  const { code, syscall, path, spawnargs, errno, cmd } = error;
  show(code, syscall, path, spawnargs.join(), errno, cmd);
}
await new Promise((done) => execFile("echo", ["a", "b"], { encoding: "buffer" }, (error, out) => {
  show(error, out.constructor.name, out.length);
  done();
}));
{
  const child = spawn("sleep", ["20"]);
  child.on("spawn", () => child.kill());
  show(...await once(child, "exit"), child.killed, child.signalCode, child.kill());
}
show(...await once(spawn("sleep", ["20"], { timeout: 10, killSignal: "SIGKILL" }), "exit"));
{
  const child = spawn("sleep", ["20"]);
  show(child.pid > 1, child.exitCode, spawn("/none/such").on("error", () => {}).pid);
  show(process.kill(child.pid, 0), process.kill(process.pid, 0), process.kill(child.pid));
  show(...await once(child, "exit"));
  const gone = await caught(() => process.kill(child.pid, "SIGTERM"));
  show(gone.code, gone.syscall, gone.errno, gone.message.slice(0, 10));
  for (const [pid, signal] of [["x"], [1.5], [process.pid, "SIGNO"]]) {
    const { code, message } = await caught(() => process.kill(pid, signal));
    show(code, message);
  }
}
{
  const stop = new AbortController();
  const child = spawn("sleep", ["20"], { signal: stop.signal });
  child.on("error", (error) => show(error.name, error.code));
  await once(child, "spawn");
  stop.abort();
  show(...await once(child, "exit"));
}
{
  const env = { X: "x1", PATH: "/usr/bin:/bin" };
  const child = spawn("echo $X; pwd", { shell: true, cwd: "/", env });
  let text = "";
  for await (const piece of child.stdout) text += piece;
  show(JSON.stringify(text));
}
{
  const large = () => promisify(execFile)("head", ["-c", "3000000", "/dev/zero"], { maxBuffer: 1000 });
  const { code, name, message, stdout } = await caught(large);
  show(code, name, message, stdout.length);
}
{
  const stdio = ["ignore", "inherit", "pipe"];
  const child = spawn("sh", ["-c", "echo inherited; echo piped >&2"], { stdio });
  let text = "";
  child.stderr.on("data", (piece) => { text += piece; });
  await once(child, "close");
  show(child.stdin, child.stdout, text);
}

// Lines
{
  const lines = [];
  const reader = readline.createInterface({ input: Readable.from(["a\nb", "c\r", "\nd\re\n\nlast"]) });
  for await (const line of reader) lines.push(line);
  show(JSON.stringify(lines), reader.closed);
}
await new Promise((done) => {
  const reader = readline.createInterface({ input: process.stdin, output: process.stdout, prompt: "? " });
  const rest = [];
  reader.prompt();
  reader.once("line", (line) => {
    show("got", line);
    reader.question("q1: ", (first) => {
      show("got", first);
      reader.question("q2: ", (second) => {
        show("got", second);
        reader.on("line", (line) => rest.push(line));
      });
    });
  });
  reader.on("close", () => {
    show(JSON.stringify(rest));
    done();
  });
});
{
  const reader = createInterface({ input: Readable.from(["yes\n"]), output: process.stdout });
  show("got", await reader.question("sure? "));
  reader.close();
  show((await caught(() => reader.question("again? "))).code);
}
readline.cursorTo(process.stdout, 3);
readline.moveCursor(process.stdout, -1, 2);
readline.clearLine(process.stdout, 0);
show("");

// Signals, and the end
{
  const heard = new Promise((done) => process.once("SIGUSR2", (...told) => done(told)));
  const waiting = setTimeout(() => {}, 20000);
  await promisify(execFile)("true");
  spawn("kill", ["-USR2", `${process.pid}`]);
  show(...await heard);
  clearTimeout(waiting);
}
process.on("exit", (code) => show("exit", code));
process.stdout.write("x".repeat(200000) + "\n");
process.exit(4);

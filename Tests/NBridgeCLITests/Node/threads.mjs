// node:worker_threads: a program that is its own worker.
import { once } from "node:events";
import process from "node:process";
import {
  BroadcastChannel, MessageChannel, Worker, getEnvironmentData, isMainThread, parentPort, receiveMessageOnPort,
  setEnvironmentData, threadId, workerData,
} from "node:worker_threads";

const roles = {
  echo() {
    console.log("in", isMainThread, threadId, workerData.role, workerData.list, getEnvironmentData("key"));
    parentPort.on("message", (value) => {
      if (value === "end") return parentPort.close();
      parentPort.postMessage({ value, isMap: value instanceof Map });
    });
  },
  fails() { throw new RangeError("bad"); },
  fault() { throw Object.assign(new RangeError("coded"), { code: "EBAD", more: { a: 1 } }); },
  rejects() { Promise.reject(Object.assign(new TypeError("lost"), { code: "EREJECT" })); },
  value() { throw { a: 1 }; },
  own() {
    class Own extends Error {
      constructor(text) {
        super(text, { cause: new Error("why") });
        this.name = "Own";
      }
    }
    setTimeout(() => { throw new Own("mine"); }, 1);
  },
  exits() { process.exit(7); },
  loops() { parentPort.postMessage("begun"); for (;;); },
  port() {
    const { port } = workerData;
    port.once("message", (value) => port.postMessage(value * 2));
    port.once("message", () => port.close());
  },
};

const start = (role, more = {}, transferList = []) =>
  new Worker(new URL(import.meta.url), { workerData: { role, ...more }, transferList, name: role });

const main = async () => {
  console.log(isMainThread, threadId, parentPort, workerData);
  setEnvironmentData("key", { a: 1 });
  const echo = start("echo", { list: [1, new Set([2])] });
  console.log(typeof echo.threadId, echo.threadId > 0);
  echo.postMessage(new Map([["k", 1]]));
  console.log((await once(echo, "message"))[0]);
  const buffer = new ArrayBuffer(8);
  echo.postMessage(buffer, [buffer]);
  const [{ value }] = await once(echo, "message");
  console.log(buffer.byteLength, value.byteLength);
  echo.postMessage("end");
  console.log("exit", await once(echo, "exit"));

  const fails = start("fails");
  fails.on("error", (error) => console.log("error", error.name, error.message, error instanceof Error));
  console.log("exit", await new Promise((done) => fails.on("exit", done)));
  for (const role of ["fault", "rejects", "own"]) {
    const worker = start(role);
    worker.on("error", ({ constructor, name, message, code, more, cause }) =>
      console.log(role, constructor.name, name, message, code, more, cause?.message));
    console.log("exit", await new Promise((done) => worker.on("exit", done)));
  }
  const thrown = start("value");
  thrown.on("error", (error) => console.log("value", error));
  console.log("exit", await new Promise((done) => thrown.on("exit", done)));
  console.log("exit", await once(start("exits"), "exit"));

  const loops = start("loops");
  await once(loops, "message");
  console.log("terminated", await loops.terminate(), loops.threadId);

  const { port1, port2 } = new MessageChannel();
  const port = start("port", { port: port2 }, [port2]);
  port1.postMessage(21);
  console.log(await new Promise((done) => port1.once("message", done)));
  console.log("exit", await once(port, "exit"));

  const channel = new MessageChannel();
  console.log(receiveMessageOnPort(channel.port2));
  channel.port1.postMessage({ n: 1 });
  channel.port1.postMessage(2);
  console.log(receiveMessageOnPort(channel.port2), receiveMessageOnPort(channel.port2));
  const got = [];
  channel.port2.on("message", (value) => got.push(value));
  channel.port2.on("close", () => console.log("closed", got));
  channel.port1.postMessage("a");
  setTimeout(() => channel.port1.close(), 20);
  console.log(typeof BroadcastChannel);
  for (const file of ["x.js", 7]) {
    try { new Worker(file); } catch (error) { console.log(error.name, error.code); }
  }
};

await (isMainThread ? main() : roles[workerData.role]());

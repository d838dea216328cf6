// Says that it is there, and sends back what comes.
const port = globalThis.postMessage ? globalThis : (await import("node:worker_threads")).parentPort;
const reply = (message) => port.postMessage(message?.data ?? message);
if (globalThis.postMessage) globalThis.onmessage = reply;
else port.on("message", reply);
port.postMessage("there");

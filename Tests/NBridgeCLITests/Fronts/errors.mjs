// What goes wrong is said the same way, in a program and in a page.
const fail = async (call) => {
  try { console.log(`no error: ${await call()}`); } catch (error) {
    const { code, service, action } = error;
    console.log(`${error instanceof nbridge.BridgeError} ${error.name} ${code} ${service}.${action}: ${error.message}`);
  }
};
await fail(() => nbridge.documents.read("missing.txt"));
await fail(() => nbridge.documents.read(5));
await fail(() => nbridge.documents.read("a", { encodng: "utf-8" }));
await fail(() => nbridge.callToNative("documents", "raed", {}));
await fail(() => nbridge.callToNative("docments", "read", {}));
await fail(() => nbridge.callToNative("documents", "takeBytes", {}));
await fail(() => nbridge.documents.write("a.txt", "x", { get format() { throw new Error("mine"); } }));
await fail(() => nbridge.documents.stat("../../etc/passwd"));
await fail(() => nbridge.preference.get("k", undefined, { timeout: -1 }));
await fail(() => nbridge.preference.get("k", undefined, { timeut: 1 }));
await fail(() => nbridge.process.run("true"));
console.log("end");

// SPDX-License-Identifier: MIT
//
// The sample: one function for each button of sample.html. Each tells its answer in its card. Without a window,
// `nbridge run sample.html` presses the buttons, and `nbridge run sample.js` calls all in order; alert() tells.
"use strict";

// --- nbridge.app ----------------------------------------------------------------------------------------------

const appInfo = () => ask("app", () => nbridge.app.appInfo(),
  (info) => `app version : ${info.version}/${info.build}\napp name: ${info.name}`);

const deviceInfo = () => ask("app", () => nbridge.app.deviceInfo(),
  (device) => `device: ${device.model}, ${device.system}\n`
    + `language: ${device.language}, region: ${device.region || "none"}`);

const runStatistics = () => ask("app", () => nbridge.app.runStatistics(),
  (statistics) => `run ${statistics.runs}, first on ${statistics.firstRun.toISOString().slice(0, 10)}`);

const clearCache = () => ask("app", () => nbridge.app.clearCache(),
  (removed) => `cache cleared: ${removed.files} files, ${removed.bytes} bytes`);

const saveState = () => ask("app", async () => {
  await nbridge.app.saveState({ page: 3, since: new Date() });
  return await nbridge.app.restoredState();
}, (state) => `state restored: page ${state.page}`);

const openBrowser = () => ask("app", () => nbridge.app.openBrowser("https://www.debian.org/"), () => "browser opened");

const goSettings = () => ask("app", () => nbridge.app.goSettings(), () => "settings opened");

const share = () => ask("app", () => nbridge.app.share("nBridge"), () => "shared");

// --- nbridge.preference ---------------------------------------------------------------------------------------

const setPreference = () => ask("preference", () => nbridge.preference.set("name", "Ada"), () => "preference set");

const getPreference = () => ask("preference", () => nbridge.preference.get("name", "nobody"), named("name"));

const getDefault = () => ask("preference", () => nbridge.preference.get("greeting"), named("greeting, from app.json"));

const removePreference = () => ask("preference", async () => {
  await nbridge.preference.remove("name");
  return await nbridge.preference.get("name", "nobody");
}, named("name, after its removal"));

const watchPreference = () => ask("preference", async () => {
  const changes = nbridge.preference.watch("watched");
  await nbridge.preference.set("watched", 1);
  const { value: change } = await changes.next();
  changes.stop();
  return change;
}, (change) => `changed: ${change.key} = ${change.value}`);

// --- nbridge.pasteboard: one of its own, so that nobody's copy is replaced ----------------------------------------

const copyText = () => ask("pasteboard", () => nbridge.pasteboard.set("a cup of tea", { name: "sample" }),
  (count) => `copied, change ${count}`);

const pasteText = () => ask("pasteboard", () => nbridge.pasteboard.get({ name: "sample" }),
  (text) => text === null ? "nothing to paste: copy first" : `pasted: ${text}`);

const lookAtPasteboard = () => ask("pasteboard", () => nbridge.pasteboard.info("sample"),
  (info) => info ? `${info.types.join(", ")}, ${info.bytes} bytes, by ${info.source.name}` : "it is not there yet");

const copyOnce = () => ask("pasteboard", async () => {
  await nbridge.pasteboard.set("only once", { name: "once", readOnce: true });
  const first = await nbridge.pasteboard.get({ name: "once" });
  const second = await nbridge.pasteboard.get({ name: "once" });
  return [first, second];
}, ([first, second]) => `read: ${first}; read again: ${second}`);

// --- nbridge.documents ----------------------------------------------------------------------------------------

const writeDocument = () => ask("documents", async () => {
  await nbridge.documents.write("note.txt", "Buy tea.\n");
  return await nbridge.documents.read("note.txt");
}, (text) => `written and read: ${text.trim()}`);

const listDocuments = () => ask("documents", () => nbridge.documents.list().toArray(),
  (entries) => `in the app's folder: ${entries.map((entry) => entry.name).join(", ") || "nothing yet"}`);

const editDocument = () => ask("documents", async () => {
  const letter = await nbridge.documents.open("letter.txt");
  letter.set("Dear Ada,\n", { action: "Typing" });
  letter.undo();
  letter.redo();
  await letter.close();
  return letter.content;
}, (text) => `edited, undone, redone, saved: ${text.trim()}`);

const trashDocument = () => ask("documents", async () => {
  await nbridge.documents.write("old.txt", "");
  const id = await nbridge.documents.remove("old.txt");
  return await nbridge.documents.restore(id);
}, (item) => `back from the trash: ${item.path}`);

// --- nbridge.peers: two of them, both here ------------------------------------------------------------------------

const meetPeer = () => ask("peers", async () => {
  const ada = await nbridge.peers.create({ displayName: "Ada", serviceType: "sample" });
  const bob = await nbridge.peers.create({ displayName: "Bob", serviceType: "sample" });
  try {
    ada.invitations((invitation) => invitation.accept());
    await ada.advertise();
    for await (const { kind, peer } of bob.browse()) {
      if (kind === "found" && peer.id === ada.id) { await bob.invite(peer); break; }
    }
    await bob.send({ move: "e2 e4" });
    return (await ada.messages().next()).value;
  } finally { await Promise.all([ada.close(), bob.close()]); }
}, (message) => `${message.from.name} sent ${JSON.stringify(message.data)}`);

// --- nbridge.logger, nbridge.auth, nbridge.process ------------------------------------------------------------------

const logInfo = () => ask("logger", async () => {
  nbridge.logger.info("tea is ready", { cups: 2, password: "never shown" });
  return await nbridge.logger.statistics();
}, (sinks) => `logged, to: ${sinks.map((sink) => sink.kind).join(", ")}`);

const authStatus = () => ask("auth", () => nbridge.auth.canEvaluatePolicy("biometricsOrPasscode"),
  (can) => can.available ? `can ask for: ${can.biometryType}` : `can't ask here: ${can.reason}`);

const processInfo = () => ask("process", () => nbridge.process.pid(), named("the plugins' process"));

const runProgram = () => ask("process", () => nbridge.process.run("uname", ["-sm"], { as: "lines" }),
  (result) => `uname says: ${result.stdout.join()}`);

// --- What goes wrong ------------------------------------------------------------------------------------------

const unknownAction = () => ask("wrong", () => nbridge.callToNative("app", "appInof"), named("appInof"));

const wrongParameter = () => ask("wrong", () => nbridge.preference.get(42), named("get"));

const notAllowed = () => ask("wrong", () => nbridge.process.run("id"), named("id"));

const missingDocument = () => ask("wrong", () => nbridge.documents.read("nothing.txt"), named("read"));

const outsideDocument = () => ask("wrong", () => nbridge.documents.read("../../secret"), named("read"));

const tooLate = () => ask("wrong", () => nbridge.preference.watch("never", undefined, { timeout: 20 }).next(),
  named("change"));

const cancelled = () => ask("wrong", async () => {
  const stop = new AbortController();
  const change = nbridge.preference.watch("never", undefined, { signal: stop.signal }).next();
  stop.abort();
  return await change;
}, named("change"));

// --- Telling an answer ------------------------------------------------------------------------------------------

/** Makes a call, and tells in its card what came of it and when. */
async function ask(card, call, inWords) {
  const place = placeOf(card);
  place?.setAttribute("aria-busy", "true");
  const began = performance.now();
  try {
    const value = await call();
    const took = performance.now() - began;
    tell(place, { card, call, took, text: inWords(value) });
  } catch (error) {
    tell(place, { card, call, took: performance.now() - began, error });
  } finally { place?.removeAttribute("aria-busy"); }
}

function named(name) {
  return (value) => `${name}: ${typeof value === "string" ? value : JSON.stringify(value)}`;
}

/** Where a card's answers stand; nothing without a page. */
function placeOf(card) {
  return typeof document === "undefined" ? undefined : document.getElementById(`${card}-answer`);
}

function tell(place, { card, call, took, text, error }) {
  const code = error && (error.code ?? error.name);
  // What is not drawn nobody sees.
  if (typeof getComputedStyle === "undefined") alert(error ? `failed: ${code}: ${error.message}` : text);
  if (!place) return;
  place.classList.toggle("failed", error !== undefined);
  place.replaceChildren(
    ...error ? [line("strong", "code", code)] : [],
    line("p", "text", error ? error.message : text),
    line("p", "took", `${error ? "rejected" : "answered"} after ${inUnits(took)}`));
  const lines = codeOf(call).map((each) => line("span", "line", `${each}\n`));
  document.getElementById(`${card}-call`).replaceChildren(...lines);
}

function line(tag, name, text) {
  const element = document.createElement(tag);
  element.className = name;
  element.textContent = text;
  return element;
}

function inUnits(milliseconds) {
  return milliseconds < 1 ? `${Math.round(milliseconds * 1000)} \u00b5s` : `${milliseconds.toFixed(1)} ms`;
}

/** What was run, as it can be typed at a prompt, line by line: so the page never shows other code than its own. */
function codeOf(call) {
  const text = String(call).replace(/^(?:async )?\(\) => /, "");
  if (!text.startsWith("{")) return [`await ${text}`];
  const lines = text.split("\n").slice(1, -1);
  const margin = lines[0].search(/\S/);
  return lines.map((each) => each.slice(margin).replace(/^( *)return /, "$1"));
}

// --- Without a window: every button, in order -----------------------------------------------------------------------

const buttons = {
  appInfo, deviceInfo, runStatistics, clearCache, saveState, openBrowser, goSettings, share,
  setPreference, getPreference, getDefault, removePreference, watchPreference,
  copyText, pasteText, lookAtPasteboard, copyOnce, writeDocument, listDocuments, editDocument, trashDocument,
  meetPeer, logInfo, authStatus, processInfo, runProgram,
  unknownAction, wrongParameter, notAllowed, missingDocument, outsideDocument, tooLate, cancelled,
};

async function runAll() {
  for (const [name, press] of Object.entries(buttons)) {
    console.log(`[${name}]`);
    await press();
  }
}

if (typeof document === "undefined") runAll();

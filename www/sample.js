// SPDX-License-Identifier: MIT
//
// The sample: one function for each button of sample.html. In a page they are the buttons' handlers; headless,
// `nbridge run sample.js` runs them all in order.
"use strict";

const show = (name) => (result) => alert(`${name}: ${typeof result === "string" ? result : JSON.stringify(result)}`);
const failed = (name) => (error) => alert(`${name} failed: ${error.code}: ${error.message}`);

// --- nbridge.app ----------------------------------------------------------------------------------------------

function appInfo() {
  return nbridge.app.appInfo().then(
    (r) => alert("app version : " + r.version + "/" + r.build + "\napp name: " + r.name),
    (e) => alert(e));
}

function deviceInfo() {
  return nbridge.app.deviceInfo().then(
    (r) => alert(`device: ${r.model}, ${r.system}\nlanguage: ${r.language}, region: ${r.region || "none"}`),
    failed("deviceInfo"));
}

function runStatistics() {
  return nbridge.app.runStatistics().then(
    (r) => alert(`run ${r.runs}, first on ${r.firstRun.toISOString().slice(0, 10)}`), failed("runStatistics"));
}

function clearCache() {
  return nbridge.app.clearCache().then(
    (r) => alert(`cache cleared: ${r.files} files, ${r.bytes} bytes`), failed("clearCache"));
}

function openBrowser() {
  return nbridge.app.openBrowser("https://www.debian.org/").then(
    () => alert("browser opened"), failed("openBrowser"));
}

function goSettings() {
  return nbridge.app.goSettings().then(() => alert("settings opened"), failed("goSettings"));
}

function share() {
  return nbridge.app.share("nBridge").then(() => alert("shared"), failed("share"));
}

function saveState() {
  return nbridge.app.saveState({ page: 3, since: new Date() })
    .then(() => nbridge.app.restoredState())
    .then((r) => alert(`state restored: page ${r.page}`), failed("saveState"));
}

// --- nbridge.preference ---------------------------------------------------------------------------------------

function setPreference() {
  return nbridge.preference.set("name", "Ada").then(() => alert("preference set"), failed("set"));
}

function getPreference() {
  return nbridge.preference.get("name", "nobody").then(show("name"), failed("get"));
}

function getDefault() {
  return nbridge.preference.get("greeting").then(show("greeting, from app.json"), failed("get"));
}

function removePreference() {
  return nbridge.preference.remove("name")
    .then(() => nbridge.preference.get("name", "nobody"))
    .then(show("name, after its removal"), failed("remove"));
}

async function watchPreference() {
  const changes = nbridge.preference.watch();
  await nbridge.preference.set("watched", 1);
  for await (const change of changes) {
    alert(`changed: ${change.key} = ${change.value}`);
    break;
  }
}

// --- What goes wrong ------------------------------------------------------------------------------------------

function unknownAction() {
  return nbridge.callToNative("app", "appInof").then(show("appInof"), failed("appInof"));
}

function wrongParameter() {
  return nbridge.preference.get(42).then(show("get"), failed("get"));
}

// --- Headless: every button, in order -------------------------------------------------------------------------

const buttons = [
  appInfo, deviceInfo, runStatistics, clearCache, openBrowser, goSettings, share, saveState, setPreference,
  getPreference, getDefault, removePreference, watchPreference, unknownAction, wrongParameter,
];

async function runAll() {
  for (const press of buttons) {
    console.log(`[${press.name}]`);
    await press();
  }
}

if (typeof document === "undefined") runAll();

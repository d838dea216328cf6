// SPDX-License-Identifier: MIT
//
// Notes: `nbridge serve www/notes` shows them. Each note is a living document, which saves itself, and which says so
// when another tab or program changed the same file. `nbridge window www/notes` shows them in a window, with a menu.
// Without a page, `nbridge run www/notes/notes.js` lists them.
// @ts-check
/// <reference path="../nbridge.d.ts" />

const { auth, documents, logger, pasteboard, peers, preference, window: frame } = nbridge;
const folder = "notes";
const pathOf = (/** @type {string} */ title) => `${folder}/${title}.txt`;
const titleOf = (/** @type {string} */ fileName) => fileName.slice(0, -".txt".length);

/**
 * An element of the page.
 * @template {HTMLElement} Kind
 * @param {string} id
 * @param {new () => Kind} kind
 */
const element = (id, kind) => {
  const found = document.getElementById(id);
  if (!(found instanceof kind)) throw new Error(`the page has no ${id}`);
  return found;
};
const part = (/** @type {string} */ id) => element(id, HTMLElement);
const input = (/** @type {string} */ id) => element(id, HTMLInputElement);
const textArea = () => element("text", HTMLTextAreaElement);

const when = new Intl.DateTimeFormat(undefined, { dateStyle: "medium", timeStyle: "short" });

/** @typedef {{ title: string, identity: string, modified: Date, text: string }} Note */

/** @type {Note[]} The newest first. */
let notes = [];
/** @type {{ title: string, document: NBridgeDocument<string> } | undefined} The note that is shown. */
let open;
/** @type {string | undefined} What brings back the note that was deleted last. */
let deleted;

// --- Telling ----------------------------------------------------------------------------------------------------

/** @param {string} text @param {boolean} [failed] */
const tell = (text, failed = false) => {
  part("message").textContent = text;
  part("message").classList.toggle("failed", failed);
};

/** @param {unknown} error */
const tellError = (error) => {
  const { code, message } = /** @type {NBridgeError} */ (error);
  logger.warning("something failed", { code, reason: message });
  tell(`${message}${code ? ` (${code})` : ""}`, true);
};

/** @type {Promise<unknown>} */
let work = Promise.resolve();

/**
 * Does one thing after the other, so that a click never meets a half-done one before it, and tells what fails.
 * @param {() => unknown} body
 */
const inTurn = (body) => work = work.then(body).catch(tellError);

/** @param {string} id @param {() => unknown} body */
const onClick = (id, body) => part(id).addEventListener("click", () => inTurn(body));

// --- The list ---------------------------------------------------------------------------------------------------

/** Reads what is new; what has the same identity was read before. */
const readNotes = async () => {
  const known = new Map(notes.map((note) => [note.identity, note]));
  const entries = await documents
    .list(folder, { facts: true, glob: "*.txt", sort: "modified", descending: true }).toArray();
  const found = entries.map(async ({ name, identity, modified }) => {
    const text = known.get(identity)?.text
      // One that goes away meanwhile has no text; the watch tells of it.
      ?? await documents.read(`${folder}/${name}`).catch(() => "");
    return { title: titleOf(name), identity, modified, text };
  });
  notes = await Promise.all(found);
  showList();
};

/** @param {Note} note */
const listItem = ({ title, text, modified }) => {
  const item = document.createElement("li");
  const button = document.createElement("button");
  const about = document.createElement("small");
  button.type = "button";
  button.textContent = title;
  if (title === open?.title) button.setAttribute("aria-current", "true");
  about.textContent = `${when.format(modified)} \u2013 ${text.trim().split("\n")[0].slice(0, 40) || "empty"}`;
  button.append(about);
  button.addEventListener("click", () => inTurn(() => show(title)));
  item.append(button);
  return item;
};

const showList = () => {
  const wanted = input("search").value.trim().toLowerCase();
  const found = notes.filter((note) => `${note.title}\n${note.text}`.toLowerCase().includes(wanted));
  // Drawn anew, the list keeps the focus where it was.
  const focused = Array.from(part("list").children).findIndex((item) => item.contains(document.activeElement));
  part("list").replaceChildren(...found.map(listItem));
  if (focused >= 0) part("list").children[focused]?.querySelector("button")?.focus();
  part("none").hidden = found.length > 0 || wanted === "";
};

/** Other tabs and programs change notes, too. */
const watchFolder = async () => {
  for await (const { path } of documents.watch(folder)) if (path.endsWith(".txt")) await inTurn(readNotes);
};

// --- One note ---------------------------------------------------------------------------------------------------

/** @param {string} title */
const show = async (title) => {
  if (open?.title === title) return;
  await hide();
  const opened = await documents.open(pathOf(title), { create: false });
  open = { title, document: opened };
  input("title").value = title;
  textArea().value = opened.content;
  part("editor").hidden = false;
  opened.states(showState).catch(tellError);
  showList();
};

/** Closes the note, which saves it. One in conflict can't be closed before the person has chosen. */
const hide = async () => {
  if (!open) return;
  if (open.document.state === "inConflict") throw new Error("choose first which version of this note is kept");
  // What is typed while it closes would be nobody's.
  textArea().readOnly = true;
  try { await open.document.close(); } finally { textArea().readOnly = false; }
  open = undefined;
  part("editor").hidden = true;
};

/** @param {NBridgeDocumentChange} change */
const showState = ({ reason, state, hasUnsavedChanges, error }) => {
  const shown = open?.document;
  if (!shown || shown.state === "closed") return;
  const { conflict } = shown;
  part("conflict").hidden = conflict === undefined;
  if (conflict) part("theirs").textContent = conflict.theirs ?? "(the note was deleted or renamed)";
  if (textArea().value !== shown.content) replaceText(shown.content);
  part("state").textContent = state === "inConflict" ? "In conflict"
    : state === "savingError" ? `Can't be saved: ${error?.message}`
    : reason === "removed" ? "Deleted or renamed elsewhere: a change makes it anew"
    : hasUnsavedChanges ? "Unsaved" : "Saved";
  part("state").classList.toggle("failed", state === "inConflict" || state === "savingError" || reason === "removed");
};

/**
 * The text came from elsewhere; the caret stays where it was.
 * @param {string} text
 */
const replaceText = (text) => {
  const { selectionStart, selectionEnd } = textArea();
  textArea().value = text;
  textArea().setSelectionRange(selectionStart, selectionEnd);
};

const edit = () => open?.document.set(textArea().value, { action: "Typing", merge: true });

const add = async () => {
  await hide();
  const taken = new Set(notes.map((note) => note.title));
  let number = 1;
  while (taken.has(`Note ${number}`)) number++;
  const title = `Note ${number}`;
  // Another tab may have made the same one just now: that is told, and nothing is replaced.
  await documents.write(pathOf(title), "", { overwrite: false });
  logger.info("note made", { title });
  await readNotes();
  await show(title);
  input("title").select();
  input("title").focus();
  tell(`${title} is new.`);
};

const rename = async () => {
  if (!open) return;
  const { title: old } = open;
  const title = input("title").value.trim();
  try {
    if (title === old) return;
    if (title === "" || /[/\0]|^\./.test(title)) throw new Error("a title has no '/' and begins with no dot");
    await hide();
    await documents.move(pathOf(old), pathOf(title));
    logger.info("note renamed", { from: old, to: title });
    await readNotes();
    await show(title);
    tell(`${old} is called ${title} now.`);
  } catch (error) {
    if (!open) await show(old);
    input("title").value = old;
    throw error;
  }
};

const copy = async () => {
  if (!open) return;
  await pasteboard.set(open.document.content);
  logger.info("note copied", { title: open.title });
  tell("Copied to the pasteboard.");
};

const remove = async () => {
  if (!open) return;
  const { title } = open;
  await hide();
  deleted = await documents.remove(pathOf(title)) ?? undefined;
  logger.notice("note deleted", { title });
  await readNotes();
  tell(`${title} is in the trash.`);
  part("restore").hidden = false;
  part("restore").focus();
};

const restore = async () => {
  if (deleted === undefined) return;
  const { path } = await documents.restore(deleted);
  deleted = undefined;
  part("restore").hidden = true;
  await readNotes();
  await show(titleOf(path.slice(folder.length + 1)));
  logger.info("note restored", { title: open?.title });
  tell(`${open?.title} is back.`);
};

/** @param {"mine" | "theirs" | "both"} keep */
const resolve = async (keep) => {
  if (!open) return;
  const beside = await open.document.resolve({ keep });
  logger.notice("conflict resolved", { title: open.title, keep });
  replaceText(open.document.content);
  await readNotes();
  tell(beside ? `Yours is kept as ${titleOf(beside.split("/").at(-1) ?? beside)}.` : `Kept ${keep}.`);
};

// --- The lock: what is shown, not what lies on the disk ------------------------------------------------------------

/** @param {boolean} isLocked */
const showLock = async (isLocked) => {
  part("gate").hidden = !isLocked;
  part("notes").hidden = part("lock").hidden = isLocked;
  if (!isLocked) return await readNotes();
  part("restore").hidden = true;
  // A note in conflict stays as it is until somebody can choose.
  if (open?.document.state !== "inConflict") await hide();
};

const lock = async () => {
  const { available, reason } = await auth.canEvaluatePolicy("biometricsOrPasscode");
  if (!available) {
    return tell(`Can't lock: nobody could unlock it here (${reason}). Start nbridge serve at a terminal.`, true);
  }
  await preference.set("locked", true);
  logger.info("locked");
};

const unlock = async () => {
  await auth.evaluatePolicy({ policy: "biometricsOrPasscode", reason: "Show the notes" });
  await preference.set("locked", false);
  logger.info("unlocked");
  tell("");
};

const watchLock = async () => {
  for await (const { value } of preference.watch("locked")) await inTurn(() => showLock(value === true));
};

// --- Talk -------------------------------------------------------------------------------------------------------

/** @type {NBridgePeerSession | undefined} There as long as the panel is open. */
let session;

/** @param {string} text */
const hear = (text) => {
  const line = document.createElement("p");
  line.textContent = text;
  part("said").append(line);
  line.scrollIntoView({ block: "nearest" });
};

const meet = async () => {
  if (session) return;
  const name = `guest-${crypto.randomUUID().slice(0, 4)}`;
  const mine = session = await peers.create({ displayName: name, serviceType: "notes" });
  mine.invitations((invitation) => { invitation.accept().catch(tellError); }).catch(tellError);
  mine.messages(({ from, data }) => hear(`${from.name}: ${data}`)).catch(tellError);
  mine.states(({ peer, state }) => {
    if (state !== "connecting") hear(`${peer.name} ${state === "connected" ? "is here" : "has left"}.`);
  }).catch(tellError);
  // Of two that find each other one asks: the one with the smaller id.
  mine.browse(({ kind, peer }) => {
    if (kind === "found" && mine.id < peer.id) mine.invite(peer).catch((error) => hear(error.message));
  }).catch(tellError);
  await mine.advertise();
  hear(`You are ${name}. Whoever opens this panel, too, hears you.`);
};

const leave = async () => {
  const left = session;
  session = undefined;
  await left?.close();
  part("said").replaceChildren();
};

const say = async () => {
  const text = input("word").value.trim();
  if (!session || text === "") return;
  const listeners = await session.send(text);
  hear(listeners > 0 ? `You: ${text}` : `You: ${text} (nobody is there)`);
  input("word").value = "";
};

// --- The window's menu, which app.json has. In a browser there is none ------------------------------------------------

const save = async () => {
  await open?.document.save();
  tell(open ? `${open.title} is saved.` : "No note is open: notes save themselves.");
};

/** A copy for elsewhere: what the person chooses is the permission for it. */
const exportNote = async () => {
  if (!open) return tell("Open the note first that is to be exported.", true);
  const { title } = open;
  await open.document.save();
  const path = await frame.saveFile({ title: "Export the note", name: `${title}.txt` });
  if (path === null) return;
  await documents.export(pathOf(title), path, { overwrite: true });
  logger.info("note exported", { title });
  tell(`${title} is exported to ${path}.`);
};

const find = () => input("search").focus();

/** @type {Record<string, () => unknown>} */
const choices = { new: add, save, export: exportNote, lock, find, delete: remove };

const watchMenu = () => frame.events(({ type, id }) => {
  if (type !== "menu" || id === undefined || !Object.hasOwn(choices, id)) return;
  // What is locked is not changed by keys either.
  inTurn(() => part("notes").hidden ? tell("Unlock the notes first.", true) : choices[id]());
}).catch(({ code, message }) => { if (code !== "unavailable" && code !== "closed") tellError({ code, message }); });

// --- The beginning ------------------------------------------------------------------------------------------------

const start = async () => {
  await documents.makeDirectory(folder);
  watchFolder().catch(tellError);
  watchLock().catch(tellError);
  watchMenu();
  await showLock(await preference.get("locked", false) === true);
};

const connect = () => {
  onClick("add", add);
  onClick("copy", copy);
  onClick("remove", remove);
  onClick("restore", restore);
  onClick("lock", lock);
  onClick("unlock", unlock);
  for (const keep of /** @type {const} */ (["mine", "theirs", "both"])) {
    document.querySelector(`[data-keep=${keep}]`)?.addEventListener("click", () => inTurn(() => resolve(keep)));
  }
  input("search").addEventListener("input", showList);
  input("title").addEventListener("change", () => inTurn(rename));
  textArea().addEventListener("input", edit);
  const chat = element("chat", HTMLDetailsElement);
  chat.addEventListener("toggle", () => inTurn(chat.open ? meet : leave));
  part("say").addEventListener("submit", (event) => { event.preventDefault(); inTurn(say); });
};

const listTitles = async () => {
  await documents.makeDirectory(folder);
  for (const { name } of await documents.list(folder, { glob: "*.txt" }).toArray()) console.log(titleOf(name));
};

// Without a page there is nothing to draw in.
if (typeof document === "undefined") listTitles();
else {
  connect();
  inTurn(start);
}

export {};

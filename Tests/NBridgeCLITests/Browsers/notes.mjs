// SPDX-License-Identifier: MIT
// A note is made, edited, found again, copied, deleted, restored; two tabs change it at once; the lock.
import { link, until, withBrowser } from "./driver.mjs";
await withBrowser(async (page) => {
  const { origin } = new URL(link);
  const one = (selector) => until(async () => (await page.find(selector))[0]);
  const click = async (selector) => page.click(await one(selector));
  const type = async (selector, text) => page.type(await one(selector), text);
  const says = (id, text) => until(() => page.run(
    "const part = document.getElementById(args[0]); return (part.textContent || part.value || '').includes(args[1]);", id, text));
  const titles = () => page.run("return [...document.querySelectorAll('#list button')].map((one) => one.firstChild.textContent).join()");
  const text = () => page.run("return document.getElementById('text').value");
  await page.open(link);

  await until(() => page.run("return !document.getElementById('notes').hidden"));
  await click("#add");
  await says("message", "Note 1 is new.");
  await type("#title", "Shopping\n");
  await says("message", "is called Shopping");
  await type("#text", "Tea, and cups");
  // "Saved" stood there before the typing, too.
  await until(() => page.run("return await nbridge.documents.read('notes/Shopping.txt') === 'Tea, and cups'"));
  await says("state", "Saved");
  console.log("made:", await titles(), await page.run("return nbridge.documents.read('notes/Shopping.txt')"));

  await page.open(`${origin}/`);
  await until(titles);
  await type("#search", "CUPS");
  await click("#list button");
  await until(text);
  console.log("found:", await titles(), await text());
  await click("#copy");
  await says("message", "Copied");
  console.log("copied:", await nbridge.pasteboard.string());

  // Both tabs change the note before one of them is saved.
  const first = await page.tab();
  await page.switchTo(await page.newTab());
  await page.open(`${origin}/`);
  await until(titles);
  await click("#list button");
  await until(text);
  await type("#text", " of this tab");
  await page.run("await nbridge.documents.append('notes/Shopping.txt', ' of another');");
  await says("state", "In conflict");
  console.log("theirs:", await page.run("return document.getElementById('theirs').textContent"));
  await click("[data-keep=both]");
  await says("message", "Yours is kept as");
  await until(async () => (await titles()).includes(","));
  console.log("both:", await page.run(`
    const entries = await nbridge.documents.list("notes").toArray();
    return (await Promise.all(entries.map(({ name }) => nbridge.documents.read("notes/" + name)))).sort().join(" | ")`));
  await page.closeTab();
  await page.switchTo(first);
  await until(async () => (await text()).endsWith("of another"));
  console.log("the other tab has:", await text());

  await click("#remove");
  await says("message", "Shopping is in the trash");
  await click("#restore");
  await says("message", "Shopping is back");
  console.log("restored:", await text());

  await click("summary");
  await says("said", "You are guest-");
  await type("#word", "anybody?\n");
  await says("said", "nobody is there");
  await click("#lock");
  await until(() => page.run("return !document.getElementById('gate').hidden"));
  await click("#unlock");
  await until(() => page.run("return !document.getElementById('notes').hidden"));
  console.log("unlocked");
  await page.size(360, 740);
  console.log("fits a phone:", await page.run("return document.documentElement.scrollWidth <= innerWidth"));
});

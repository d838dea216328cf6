// What is unsaved when a tab goes is saved; what it had open ends; other tabs go on.
import { link, until, withBrowser } from "./driver.mjs";
await withBrowser(async (page) => {
  await page.open(link);
  const first = await page.tab();
  await page.switchTo(await page.newTab());
  await page.open(new URL("/", link).href);
  console.log(await page.run(`
    const note = await nbridge.documents.open("note.txt", { autosave: false });
    note.content = "written just before";
    nbridge.preference.watch("left").next();
    return note.hasUnsavedChanges;`));
  await page.closeTab();
  await page.switchTo(first);
  await until(() => page.run("return nbridge.documents.read('note.txt').catch(() => undefined)"));
  console.log(await page.run("return nbridge.documents.read('note.txt')"));

  // What a page does to its own prototypes is none of the bridge's.
  console.log(await page.run(`
    const { push, pop } = Array.prototype, { get } = Map.prototype, { parse, stringify } = JSON;
    Array.prototype.push = Array.prototype.pop = Map.prototype.get = JSON.parse = JSON.stringify = () => { throw 1; };
    const all = [];
    for (let index = 0; index < 300; index++) all[index] = await nbridge.preference.get("nothing" + index, index);
    Object.assign(Array.prototype, { push, pop });
    Map.prototype.get = get;
    Object.assign(JSON, { parse, stringify });
    return all.every((value, index) => value === index);`));

  // A page that is loaded again has a session of its own.
  await page.run("nbridge.preference.watch('again').next(); window.old = true;");
  await page.run("location.reload();").catch(() => {});
  await until(() => page.run("return window.old === undefined && typeof nbridge === 'object'"));
  console.log(await page.run("return (await nbridge.app.appInfo()).id.length > 0"));
});

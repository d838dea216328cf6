// The program ends while a page has something unsaved, and a call that never answers.
import { link, until, withBrowser } from "./driver.mjs";
const server = Number((await nbridge.process.run("ss", ["-tlnpH", "sport", "=", new URL(link).port])).stdout.match(/pid=(\d+)/)[1]);
await withBrowser(async (page) => {
  await page.open(link);
  console.log(await page.run(`
    const note = await nbridge.documents.open("last.txt", { autosave: false });
    note.content = "written before the end";
    window.waiting = nbridge.preference.watch("never").next().catch(({ code }) => code);
    const names = ["toString", "constructor", "__proto__", "hasOwnProperty"];
    const codes = await Promise.all(names.map((name) => nbridge.callToNative("app", name, {}).catch(({ code }) => code)));
    const parts = await nbridge.preference.set("m", Array.from({ length: 5000 }, () => new Uint8Array(1))).catch(({ code }) => code);
    const large = await Promise.all(Array.from({ length: 30 }, (_, n) => nbridge.preference.set("big" + n, new Uint8Array(15 << 20)).catch(({ code }) => code)));
    return [...new Set(codes)].join() + " " + parts + " " + large.length + " " + (await nbridge.app.appInfo()).id.length;`));
  await nbridge.process.run("kill", ["-INT", `${server}`]);
  console.log(await until(() => page.run("return Promise.race([waiting, new Promise((r) => setTimeout(r, 50))])")));
  console.log(await page.run("return nbridge.app.appInfo().catch(({ code }) => code)"));
});

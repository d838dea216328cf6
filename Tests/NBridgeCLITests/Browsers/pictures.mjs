// SPDX-License-Identifier: MIT
// Takes the picture of a sample page after some clicks, and prints it as base64: 1,200 by 800 pixels, a PNG.
import { link, until, withBrowser } from "./driver.mjs";

const pages = {
  "nBridge sample": async (page) => {
    const press = async (name) => {
      await page.click((await page.find(`[onclick="${name}()"]`))[0]);
      await until(() => page.run(`
        const card = document.querySelector(args[0]).closest(".card");
        return card.querySelector(".answer:not(:empty):not([aria-busy])") !== null`, `[onclick="${name}()"]`));
    };
    // The first calls of a page are slower than all others.
    for (const name of ["deviceInfo", "watchPreference", "outsideDocument"]) { await press(name); await press(name); }
  },
  Notes: async (page) => {
    await until(() => page.run("return !document.getElementById('notes').hidden"));
    await page.run(`
      const notes = { Reading: "On Computable Numbers", Ideas: "A bridge that answers\\n", Shopping: "Tea\\nCups\\nA kettle\\n" };
      for (const [title, text] of Object.entries(notes)) await nbridge.documents.write("notes/" + title + ".txt", text);`);
    await until(async () => (await page.find("#list button")).length === 3);
    await page.click((await page.find("#list button"))[0]);
    await until(() => page.run("return document.getElementById('state').textContent === 'Saved'"));
    await page.click((await page.find("summary"))[0]);
    await until(() => page.run("return document.getElementById('said').textContent.includes('You are')"));
  },
};

await withBrowser(async (page) => {
  await page.size(1200, 800);
  await page.open(link);
  await pages[await page.run("return document.title")](page);
  await page.run("document.activeElement.blur(); scrollTo(0, 0);");
  console.log((await page.picture()).toBase64());
});

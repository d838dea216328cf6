// A page beyond this machine asks for its passphrase: a wrong one, then the right one.
import { link, until, withBrowser } from "./driver.mjs";
await withBrowser(async (page) => {
  const say = async (word) => {
    const [field] = await until(async () => { const found = await page.find("#passphrase"); return found.length > 0 && found; });
    await page.type(field, word);
    const [button] = await page.find("button");
    await page.run("window.asked = true");
    await page.click(button);
    // Not every browser waits for what a click leads to.
    await until(() => page.run("return window.asked === undefined && document.readyState === 'complete'").catch(() => false));
  };
  await page.open(link);
  await say("correct");
  console.log(await until(() => page.run("const said = document.querySelector('[role=alert]'); return said && `${typeof nbridge} ${said.textContent}`")));
  // What was wrong makes the next one wait, until it is looked at.
  await until(async () => {
    if (await page.run("return typeof nbridge === 'object'") === true) return true;
    // Between two pages there is neither.
    if ((await page.find("#passphrase")).length > 0) await say("correct horse");
    return false;
  });
  console.log(await page.run("await nbridge.preference.set('place', 'box'); return nbridge.preference.get('place')"));
  console.log(await page.run("return `${isSecureContext ? 'secure' : 'open'}, ${document.cookie === '' ? 'not seen' : document.cookie}`"));
});

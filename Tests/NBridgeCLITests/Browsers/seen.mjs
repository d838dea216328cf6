// A tab goes behind another, and comes back: the app in it pauses, and resumes.
import { link, until, withBrowser } from "./driver.mjs";
await withBrowser(async (page) => {
  await page.open(link);
  const own = await page.tab();
  await page.run(`
    window.told = [];
    nbridge.app.onLifecycle((state) => told.push(state));
    nbridge.app.onPause(() => told.push("pause"));
    nbridge.app.onResume(() => told.push("resume"));`);
  const has = (what) => until(async () => (await page.run("return told")).includes(what));
  await has("active");
  const other = await page.newTab();
  await page.switchTo(other);
  await page.front();
  await page.switchTo(own);
  await has("pause");
  await page.front();
  await has("resume");
  console.log((await page.run("return told")).filter((one) => one.length > 0).join(" "));
});

import { link, until, withBrowser } from "./driver.mjs";
await withBrowser(async (page) => {
  await page.open(link);
  await until(() => page.run("return document.getElementById('state').textContent === 'over'"));
});

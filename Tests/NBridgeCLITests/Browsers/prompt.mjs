// The person before the browser, while another types at the prompt that serves the page: opens tabs and closes them as their titles say.
import { link, until, withBrowser } from "./driver.mjs";
await withBrowser(async (page) => {
  const title = (text) => until(() => page.run("return document.title === args[0]", text));
  await page.open(link);
  const first = await page.tab();
  await title("open another");
  await page.switchTo(await page.newTab());
  await page.open(new URL("/", link).href);
  await title("close it");
  await page.closeTab();
  await page.switchTo(first);
  await title("reload");
  await page.run("setTimeout(() => location.reload(), 50)");
  await title("end");
});

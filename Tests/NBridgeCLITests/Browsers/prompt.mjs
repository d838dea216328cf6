// The person before the browser, while another types at the prompt that serves the page: opens tabs and closes them as their titles say.
import { link, withBrowser } from "./driver.mjs";
await withBrowser(async (page) => {
  // As long as the other takes; a page that is just being loaded answers nothing.
  const title = async (text) => {
    while (!await page.run("return document.title === args[0]", text).catch(() => false)) {
      await new Promise((resolve) => setTimeout(resolve, 50));
    }
  };
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
  await page.open("about:blank");
});

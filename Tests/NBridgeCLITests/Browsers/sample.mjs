// Each button of the sample, as a person clicks it.
import { link, until, withBrowser } from "./driver.mjs";
await withBrowser(async (page) => {
  await page.open(link);
  await page.run("window.told = []; window.alert = (text) => told.push(String(text)); window.confirm = () => true;");
  for (const button of await page.find("button")) {
    const before = await page.run("return told.length");
    await page.click(button);
    await until(() => page.run("return told.length > args[0]", before));
  }
  for (const told of await page.run("return told")) console.log(told.split("\n")[0]);
});

// SPDX-License-Identifier: MIT
// Each button of the sample, as a person clicks it; its card tells the answer.
import { link, until, withBrowser } from "./driver.mjs";
await withBrowser(async (page) => {
  await page.open(link);
  for (const button of await page.find(".card button")) {
    // Where there is a desktop, a mail program may open.
    if (link === "window" && await page.run("return args[0].textContent", { "element-6066-11e4-a52e-4f735466cecf": button }) === "Share") continue;
    await page.run("for (const answer of document.querySelectorAll('.answer')) answer.replaceChildren();");
    await page.click(button);
    console.log(await until(() => page.run(`
      const answer = document.querySelector(".answer:not(:empty):not([aria-busy])");
      const told = answer && [...answer.querySelectorAll(".code, .text")].map((part) => part.textContent).join(": ");
      return told?.split("\\n")[0];`)));
  }
  if (link === "window") return;
  await page.size(360, 740);
  console.log("fits a phone:", await page.run("return document.documentElement.scrollWidth <= innerWidth"));
});

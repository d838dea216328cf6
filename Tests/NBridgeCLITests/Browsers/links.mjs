// The link is cut again and again while calls are under way: each is answered once, and the watch goes on.
import { link, until, withBrowser } from "./driver.mjs";
const { port } = new URL(link);
await withBrowser(async (page) => {
  await page.open(link);
  await page.run(`
    window.answers = [];
    window.made = 0;
    window.events = [];
    (async () => { for await (const { value } of nbridge.preference.watch()) events.push(value); })();
    window.timer = setInterval(() => {
      for (let index = 0; index < 10; index++) {
        const number = made++;
        nbridge.preference.set("key" + number % 50, number).then(() => answers.push(number), (error) => answers.push(String(error)));
      }
    }, 5);`);
  for (let cuts = 0; cuts < 5; cuts++) {
    const known = await page.run("return answers.length");
    await until(() => page.run("return answers.length > args[0] + 50", known));
    const { status } = await nbridge.process.run("ss", ["-K", "dst", "127.0.0.1", "dport", "=", port]);
    if (status !== 0) throw new Error("ss can't cut a connection");
  }
  await page.run("clearInterval(timer)");
  await until(() => page.run("return answers.length >= made"));
  await until(() => page.run("return events.at(-1) === made - 1"));
  console.log(await page.run("return `${answers.length === made} ${new Set(answers).size === made} ${answers.filter((one) => typeof one !== 'number')}`"));
});

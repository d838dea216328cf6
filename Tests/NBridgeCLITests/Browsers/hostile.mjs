// Pages of others, in a browser that has the cookie: another port of the same address, which browsers take for the same site.
import { link, withBrowser } from "./driver.mjs";
const { origin } = new URL(link);
const theirs = await nbridge.http.serve({ port: 0 }, () => new Response("<!doctype html><p>theirs</p>", { headers: { "Content-Type": "text/html" } }));
await withBrowser(async (page) => {
  await page.open(link);
  await page.open(`http://127.0.0.1:${theirs.port}/`);
  console.log(await page.run(`
    const script = await new Promise((resolve) => {
      const element = document.createElement("script");
      element.src = args[0] + "/.nbridge/bridge.js";
      element.onload = () => resolve("loaded");
      element.onerror = () => resolve("refused");
      document.head.append(element);
    });
    return script + " " + typeof nbridge`, origin));
  console.log(await page.run("return fetch(args[0] + '/.nbridge/bridge.js', { credentials: 'include' }).then((r) => r.text(), () => 'refused')", origin));
  console.log(await page.run("return fetch(args[0] + '/.nbridge/bridge.js', { credentials: 'include', mode: 'no-cors' }).then((r) => r.text().then((t) => 'got ' + t.length), () => 'refused')", origin));
  console.log(await page.run(`return new Promise((resolve) => {
    const socket = new WebSocket(args[0].replace("http", "ws") + "/.nbridge/socket");
    socket.onopen = () => resolve("open");
    socket.onclose = () => resolve("refused");
  })`, origin));
  console.log(await page.run(`return new Promise((resolve) => {
    const frame = document.createElement("iframe");
    frame.src = args[0] + "/";
    frame.onload = () => { try { resolve(frame.contentDocument === null ? "shut" : "read"); } catch { resolve("shut"); } };
    document.body.append(frame);
  })`, origin));
  // In the page itself, a frame without an origin has no bridge.
  await page.open(new URL("/", link).href);
  console.log(await page.run(`return new Promise((resolve) => {
    addEventListener("message", ({ data }) => resolve(data));
    const frame = document.createElement("iframe");
    frame.sandbox = "allow-scripts";
    frame.srcdoc = "<script>parent.postMessage(typeof nbridge, '*')<" + "/script>";
    document.body.append(frame);
  })`));
});
await theirs.stop?.();
exit(0);

// What leads from a window's page to the program is taken by the bridge; frames, and the page itself, find none of it.
import { link, withBrowser } from "./driver.mjs";
await withBrowser(async (page) => {
  await page.open(link);
  console.log(await page.run("return `${location.protocol} ${typeof nbridge} ${typeof nbridgePipe}`"));
  console.log(await page.run(`return new Promise((resolve) => {
    addEventListener("message", ({ data }) => resolve(data));
    const frame = document.createElement("iframe");
    frame.srcdoc = "<script>parent.postMessage('frame: ' + typeof nbridgePipe + ' ' + typeof nbridge, '*')<" + "/script>";
    document.body.append(frame);
  })`));
  console.log(await page.run("return fetch('http://127.0.0.1:1/').then(() => 'got', () => 'refused')"));
  // What a page keeps by itself is its app's, at one address.
  console.log(await page.run("localStorage.setItem('runs', 1); return localStorage.getItem('runs')"));
});

// A browser, by WebDriver's protocol (W3C); the address of its driver is the first argument, the page's link the second. Or a window: the
// second is "window" then, the others are the command that opens it. Or Firefox: the first is the address of its socket.
import { withBiDi } from "./bidi.mjs";
export const [driver, link, ...command] = nbridge.args;
const isWindow = link === "window";

const ask = async (method, path, body) => {
  const answer = await fetch(`${driver}${path}`, { method, body: body && JSON.stringify(body) });
  const { value } = await answer.json();
  if (value?.error) throw new Error(`${path}: ${value.error}: ${value.message}`);
  return value;
};

/** Opens a browser, hands it to `body`, and closes it. */
export const withBrowser = async (body) => {
  if (driver.startsWith("ws:")) return withBiDi(driver, body);
  // A browser's own sandbox refuses the superuser, and shared memory is small in containers.
  const args = ["--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"];
  const wanted = isWindow ? { "webkitgtk:browserOptions": { binary: command[0], args: command.slice(1) } } : { acceptInsecureCerts: true, "goog:chromeOptions": { args } };
  // A script that moves much takes more than the usual 30 s where the machine is busy.
  const timeouts = { script: 120_000 };
  const { sessionId } = await ask("POST", "/session", { capabilities: { alwaysMatch: { ...wanted, timeouts } } });
  const at = `/session/${sessionId}`;
  const devTools = (cmd, params) => ask("POST", `${at}/goog/cdp/execute`, { cmd, params });
  const browser = {
    // A window shows its page from the start.
    open: (url) => (isWindow && url === link ? undefined : ask("POST", `${at}/url`, { url })),
    /** Runs a text in the page, as an async function's; answers what it returns. */
    run: (script, ...args) => ask("POST", `${at}/execute/async`, {
      script: `const done = arguments[arguments.length - 1], args = [...arguments].slice(0, -1);
        (async () => { ${script} })().then(done, (error) => done("failed: " + error.stack));`, args,
    }),
    newTab: async () => { const { handle } = await ask("POST", `${at}/window/new`, { type: "tab" }); return handle; },
    switchTo: (handle) => ask("POST", `${at}/window`, { handle }),
    tab: () => ask("GET", `${at}/window`),
    /** Shows the tab, in front of all others. */
    front: () => devTools("Page.bringToFront", {}),
    closeTab: () => ask("DELETE", `${at}/window`),
    find: async (selector) => Object.values(await ask("POST", `${at}/elements`, { using: "css selector", value: selector })).map((e) => Object.values(e)[0]),
    click: (element) => ask("POST", `${at}/element/${element}/click`, {}),
    type: (element, text) => ask("POST", `${at}/element/${element}/value`, { text }),
    /** The page's own size; a window can't be as narrow as a phone. */
    size: (width, height, scheme = "light") => Promise.all([
      devTools("Emulation.setDeviceMetricsOverride", { width, height, deviceScaleFactor: 1, mobile: false }),
      devTools("Emulation.setEmulatedMedia", { features: [{ name: "prefers-color-scheme", value: scheme }] }),
    ]),
    /** What is seen of the page: the bytes of a PNG. */
    picture: async () => Uint8Array.fromBase64(await ask("GET", `${at}/screenshot`)),
  };
  try { await body(browser); } finally { await ask("DELETE", at); }
};

/** Asks again until the answer is one. */
export const until = async (question) => {
  for (let tries = 0; tries < 2000; tries++) {
    const answer = await question();
    if (answer) return answer;
    await new Promise((resolve) => setTimeout(resolve, 25));
  }
  throw new Error(`never: ${question}`);
};

// A browser by WebDriver BiDi (W3C), which Firefox speaks at a port of its own; Debian has no driver for it. The same as driver.mjs gives.

/** Commands of the protocol, over a socket; each answers what the browser says of it. */
const connect = async (address) => {
  const socket = new WebSocket(`${address}/session`), waiting = new Map();
  await new Promise((resolve, reject) => {
    socket.onopen = resolve;
    socket.onerror = () => reject(new Error(`no browser answers at ${address}`));
  });
  let last = 0;
  socket.onmessage = ({ data }) => {
    const { id, type, result, error, message } = JSON.parse(data), call = waiting.get(id);
    waiting.delete(id);
    if (type === "error") call?.reject(new Error(`${call.method}: ${error}: ${message}`));
    else call?.resolve(result);
  };
  socket.onclose = () => { for (const { method, reject } of waiting.values()) reject(new Error(`${method}: the browser has gone`)); };
  const ask = (method, params) => new Promise((resolve, reject) => {
    waiting.set(++last, { method, resolve, reject });
    socket.send(JSON.stringify({ id: last, method, params }));
  });
  return { ask, close: () => socket.close() };
};

/** WebDriver's names of keys that a text has. */
const KEYS = { "\n": "\uE007" };

/** Opens a tab, hands the browser to `body`, and closes it. */
export const withBiDi = async (address, body) => {
  const { ask, close } = await connect(address);
  await ask("session.new", { capabilities: { alwaysMatch: { acceptInsecureCerts: true } } });
  const newTab = async () => (await ask("browsingContext.create", { type: "tab" })).context;
  let context = await newTab();
  const perform = (source) => ask("input.performActions", { context, actions: [{ id: source.type, ...source }] });
  /** Calls a function of one element in the page. */
  const of = (element, functionDeclaration) => ask("script.callFunction", {
    functionDeclaration, awaitPromise: false, target: { context }, arguments: [{ sharedId: element }],
  });
  const click = async (element) => {
    await of(element, "(element) => { element.scrollIntoView({ block: 'center' }); }");
    await perform({
      type: "pointer", actions: [
        { type: "pointerMove", x: 0, y: 0, origin: { type: "element", element: { sharedId: element } } },
        { type: "pointerDown", button: 0 }, { type: "pointerUp", button: 0 },
      ],
    });
  };
  const browser = {
    open: (url) => ask("browsingContext.navigate", { context, url, wait: "complete" }),
    run: async (script, ...args) => {
      const { type, result, exceptionDetails } = await ask("script.callFunction", {
        functionDeclaration: `async (given) => { const args = JSON.parse(given); return JSON.stringify(await (async () => { ${script} })()); }`,
        awaitPromise: true, target: { context }, arguments: [{ type: "string", value: JSON.stringify(args) }],
      });
      if (type === "exception") return `failed: ${exceptionDetails.text}`;
      return result.value === undefined ? null : JSON.parse(result.value);
    },
    newTab, click,
    switchTo: async (tab) => { await ask("browsingContext.activate", { context: context = tab }); },
    tab: async () => context,
    front: () => ask("browsingContext.activate", { context }),
    closeTab: () => ask("browsingContext.close", { context }),
    find: async (value) => (await ask("browsingContext.locateNodes", { context, locator: { type: "css", value } })).nodes.map(({ sharedId }) => sharedId),
    type: async (element, text) => {
      // As WebDriver's own command: behind what stands there, or where the person is.
      await of(element, `(field) => {
        if (field === document.activeElement) return;
        field.focus();
        field.setSelectionRange(field.value.length, field.value.length);
      }`);
      await perform({
        type: "key", actions: [...text].flatMap((character) => {
          const value = KEYS[character] ?? character;
          return [{ type: "keyDown", value }, { type: "keyUp", value }];
        }),
      });
    },
    size: (width, height) => ask("browsingContext.setViewport", { context, viewport: { width, height } }),
  };
  try { await body(browser); } finally {
    await ask("browser.close", {}).catch(() => {});
    close();
  }
};

const pending = {};
const nbridge = {
  callToNative: (service, action, option) => new Promise((resolve, reject) => {
    const promiseId = "id" + Object.keys(pending).length;
    pending[promiseId] = { resolve, reject };
    window.webkit.messageHandlers.WKBridge.postMessage(JSON.stringify({ service, action, promiseId, option }));
  }),
  resolvePromise: (id, data, error) => (error ? pending[id].reject(data) : pending[id].resolve(data)),
};

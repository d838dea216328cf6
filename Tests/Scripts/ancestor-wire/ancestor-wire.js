// A script that brings its own bridge of 2022 and speaks its wire: command strings out, resolvePromise back.
var promises = [];
var nbridge = {
  callToNative: function (service, action, option) {
    return new Promise(function (resolve, reject) {
      var promiseId = 'p' + Math.random();
      promises[promiseId] = { resolve: resolve, reject: reject, retain: option && option.retainCallback };
      var command = JSON.stringify({ service: service, action: action, promiseId: promiseId, option: option });
      if (nbridge.android) nBridge.callFromWeb(command);
      else window.webkit.messageHandlers.WKBridge.postMessage(command);
    });
  },
  resolvePromise: function (promiseId, data, error) {
    var p = promises[promiseId];
    if (error) p.reject(data);
    else if (p.retain) p.retain(data);
    else p.resolve(data);
    if (!p.retain) delete promises[promiseId];
  },
  finallyResolvePromise: function (promiseId, data, error) {
    if (error) promises[promiseId].reject(data); else promises[promiseId].resolve(data);
    delete promises[promiseId];
  },
};
nbridge.preference = {
  get: function (key, defaultValue) { return nbridge.callToNative('preference', 'get', { key: key, defaultValue: defaultValue }); },
  set: function (key, value) { return nbridge.callToNative('preference', 'set', { key: key, value: value }); },
};
window.webkit.messageHandlers.WKBridge.postMessage(JSON.stringify({ command: 'onBridgeReady' }));

async function main() {
  const info = await nbridge.callToNative('app', 'appInfo', {});
  alert('app name: ' + info.name);
  nbridge.android = true;
  nBridge.onBridgeReady();
  await nbridge.preference.set('k', { quoted: '"\'\n' });
  console.log(await nbridge.preference.get('k', 0), await nbridge.preference.get('none', 'the default'));
  await nbridge.callToNative('app', 'nothing', {}).catch((e) => console.log('rejected', e));
  await nbridge.callToNative('location', 'current', {}).catch((e) => console.log('rejected', e));
  await nbridge.callToNative('app', 'onLifecycle', { retainCallback: (state) => console.log('event', state) });
  console.log('watch ended');
}
main();
// Garbage on the wire is said, and harms nothing.
nBridge.callFromWeb('{');
nBridge.callFromWeb('5');
nBridge.callFromWeb(JSON.stringify({ service: 'app', action: 'appInfo', promiseId: 'unknown' }));

// Hands a text to another app. The text goes by a pasteboard, the URL only says where it is:
// a URL may be seen by others on its way.
//
//   nbridge app register www/handover/receiver
//   nbridge run www/handover/sender/sender.js "Good morning"
const { app, pasteboard } = nbridge;
const text = nbridge.args[0] ?? "Good morning";
const url = "nbridge-sample://paste?pasteboard=nbridge-sample.letters";

if (!await app.canOpenURL(url)) {
  console.log("nobody opens nbridge-sample: URLs; register the receiver first: nbridge app register www/handover/receiver");
  exit(1);
}
const letters = await pasteboard.open("nbridge-sample.letters", { persistent: true });
await letters.set({ text, json: { sentAt: new Date().toISOString() } }, { expiresIn: 60_000 });
const { handled } = await app.openURL(url, { annotation: { words: text.split(/\s+/).length } });
console.log(handled ? "handed over" : "the receiver did not take it");
console.log("left on the pasteboard:", await letters.types());

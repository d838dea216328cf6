// A chat between terminals, at the prompt:   nbridge repl www/chat/main.js   in each of them, then   say("hello")
// As a program it says its words and listens:   nbridge run www/chat/main.js Ada "hello" "anybody there?"
var [name = `guest-${crypto.randomUUID().slice(0, 4)}`, ...words] = nbridge.args;
var session = await nbridge.peers.create({ displayName: name, serviceType: "chat" });
var say = (text) => session.send(text);

await session.advertise();
session.invitations((invitation) => invitation.accept());
session.states(({ peer, state }) => {
  if (state === "connecting") return;
  console.log(`* ${peer.name} ${state === "connected" ? "is here" : "has left"}`);
  if (state === "connected") for (const word of words.splice(0)) say(word);
});
session.messages(({ from, data }) => console.log(`${from.name}: ${data}`));
// Of two that find each other one asks: the one with the smaller id.
session.browse(({ kind, peer }) => {
  if (kind === "found" && session.id < peer.id) session.invite(peer).catch((error) => console.log(`* ${error.message}`));
});
console.log(`* you are ${name}`);

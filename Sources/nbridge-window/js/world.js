// SPDX-License-Identifier: MIT
// Passes texts between a window's page (line.js) and the program, by WebKit's script messages: in a world of its own, for a handler can be
// called by all frames whose scripts are in its world. The program's texts come as replies: each message keeps one open until there is
// something to say, and one is always open, so that nothing overtakes another.
(() => {
  "use strict";
  const { nbridge } = window.webkit.messageHandlers;
  let line, turn = 0, waiting = 0;

  const ask = (text) => {
    const mine = turn;
    waiting++;
    nbridge.postMessage(text).then((texts) => { if (mine === turn) hear(texts); }, () => { if (mine === turn) hear(null); });
  };

  const tell = (name, detail) => line.dispatchEvent(new CustomEvent(name, { detail }));

  /** Texts; none, where only the reply was asked back; or null: the pipe is closed. */
  const hear = (texts) => {
    waiting--;
    if (texts === null) {
      turn++;
      return tell("over");
    }
    if (texts !== "") tell("heard", texts);
    if (waiting === 0) ask("n");
  };

  const pass = ({ detail }) => {
    if (detail === "o" || detail === "c") {
      turn++;
      waiting = 0;
    }
    ask(detail);
    // Nothing is heard of a closed one.
    if (detail === "c") turn++;
  };

  // The page's half is there before any script of the page's, and nobody else is taken.
  const take = (event) => {
    line = event.relatedTarget;
    line.addEventListener("said", pass);
    event.preventDefault();
  };
  document.addEventListener("nbridge-line", take, { once: true });
  document.dispatchEvent(new Event("nbridge-asked"));
})();

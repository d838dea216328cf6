// SPDX-License-Identifier: MIT
// Tells the terminal what a page's console says, and its uncaught errors, beside what the browser does with them; and the program
// whether anybody can see the page.
((window, say, seen, tellsErrors) => {
  "use strict";
  const LONGEST = 16384;
  const LEVELS = ["log", "info", "warn", "error", "debug"], ERROR = 3;

  const shown = (value) => {
    if (typeof value === "string") return value;
    if (value instanceof window.Error) return value.stack?.includes(value.message) ? value.stack : `${value}\n${value.stack ?? ""}`;
    try { return window.JSON.stringify(value) ?? window.String(value); } catch { return window.String(value); }
  };
  const tell = (level, values) => {
    try { say(level, values.map(shown).join(" ").toWellFormed().slice(0, LONGEST)); } catch { /* It is only told. */ }
  };

  for (let level = 0; level < LEVELS.length; level++) {
    const own = window.console[LEVELS[level]];
    window.console[LEVELS[level]] = (...values) => {
      own.apply(window.console, values);
      tell(level, values);
    };
  }
  const { document } = window;
  const look = () => seen(document.visibilityState !== "hidden");
  document.addEventListener("visibilitychange", look);
  // One that was opened behind another; all others can be seen at first.
  if (document.visibilityState === "hidden") look();
  // A runner of tests tells them by itself.
  if (!tellsErrors) return;
  window.addEventListener("error", ({ error, message, filename, lineno }) => {
    if (message !== undefined) tell(ERROR, [`Uncaught ${error === undefined || error === null ? message : shown(error)} (${filename}:${lineno})`]);
  });
  window.addEventListener("unhandledrejection", ({ reason }) => tell(ERROR, ["Uncaught (in promise)", reason]));
})

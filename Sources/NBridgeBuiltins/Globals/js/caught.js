// SPDX-License-Identifier: MIT
// What a catch clause is given: the engine's message quotes the text that it ran, and a script that reads `error.message` is to
// find its own.
((host) => {
  // Loaded when a program first catches something: by then a script may have changed its globals.
  const { define, descriptorOf, indexOf, isError } = host.intrinsics;
  const { authoredMessage } = host;
  const MARK = "\u01c3";

  /** Gives an error of the engine's the author's words; whatever else was thrown stays as it is. Answers it. */
  const told = (error) => {
    if (!isError(error)) return error;
    const found = descriptorOf(error, "message");
    if (typeof found?.value === "string" && indexOf(found.value, MARK) >= 0) {
      define(error, "message", { __proto__: null, value: authoredMessage(found.value) });
    }
    return error;
  };

  return { make: () => ({ __proto__: null, told }), told };
})

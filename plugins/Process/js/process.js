(facade, hidden, BridgeError, program, inner) => {
  "use strict";
  const { reader, output } = inner;

  /** What the program is given: bytes until their end. */
  facade.stdin = reader({
    __proto__: null, name: "stdin", place: { __proto__: null }, waits: hidden.inputWaits,
    lines: hidden.takeInputLines, bytes: hidden.takeInputBytes, all: hidden.takeInputAll,
  });
  facade.stdout = output(hidden.writeOutput, hidden.writtenOutput, hidden.settleOutput);
  facade.stderr = output(hidden.writeErrors, hidden.writtenErrors, hidden.settleErrors);
}

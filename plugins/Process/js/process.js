(facade, hidden, BridgeError, program, inner) => {
  "use strict";
  const { reader, output } = inner;
  const { failure, shown } = inner.common;
  const { define } = program.intrinsics;

  /** What the program is given: bytes until their end. */
  facade.stdin = reader({
    __proto__: null, name: "stdin", place: { __proto__: null }, waits: hidden.inputWaits,
    lines: hidden.takeInputLines, bytes: hidden.takeInputBytes, all: hidden.takeInputAll,
  });
  /** Whether keys come one by one, as bytes, without echo. At once; the terminal is given back at the program's end. */
  define(facade.stdin, "setRawMode", {
    __proto__: null, writable: true, enumerable: false, configurable: true,
    value: async (isOn) => {
      if (typeof isOn !== "boolean") throw failure("invalid_parameter", `setRawMode takes true or false, not ${shown(isOn)}`);
      await hidden.rawInput({ __proto__: null, isOn });
    },
  });
  facade.stdout = output(hidden.writeOutput, hidden.writtenOutput, hidden.settleOutput);
  facade.stderr = output(hidden.writeErrors, hidden.writtenErrors, hidden.settleErrors);
}

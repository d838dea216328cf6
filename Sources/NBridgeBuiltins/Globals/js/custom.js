// SPDX-License-Identifier: MIT
// What an object says of itself by Node's `util.inspect.custom`: the only code of a value that showing it runs.
((host) => {
  "use strict";
  const { Object, Symbol } = globalThis;
  const { assign, setPrototypeOf } = Object;
  const { dataOf } = host.looking;
  const { apply, descriptorOf } = host.primordials;
  const custom = Symbol.for("nodejs.util.inspect.custom");

  // What a script gets leads to no prototype of these modules.
  const bare = (object) => setPrototypeOf(object, null);

  /** The options of Node's that are ours. */
  const fromNode = (given, options) => {
    if (typeof given !== "object" || given === null) return options;
    const { colors, depth, ...rest } = given;
    const wanted = { ...options, ...rest, depth: depth === undefined ? options.depth : depth };
    if (colors !== undefined) wanted.colours = Boolean(colors);
    return wanted;
  };

  /**
   * What stands for a value, in a list: a text, or another value to show. Undefined where it stands for itself. `inspect` shows
   * a value with options, `style` gives a text a colour.
   */
  const standIn = (value, depth, options, { inspect, style }) => {
    const method = dataOf(value, custom);
    if (typeof method !== "function") return undefined;
    const made = descriptorOf(value, "constructor")?.value;
    if (typeof made === "function" && descriptorOf(made, "prototype")?.value === value) return undefined;
    const left = options.depth === null ? null : options.depth - depth;
    const { colours, showHidden, showProxy = false, breakLength, maxArrayLength, maxStringLength, compact, sorted } = options;
    const given = bare(assign({}, {
      showHidden, depth: left, colors: colours, customInspect: true, showProxy, maxArrayLength, maxStringLength,
      breakLength, compact, sorted, getters: false, numericSeparator: false,
      stylize: bare((text, kind) => style(`${text}`, `${kind}`)),
    }));
    const again = assign(bare((other, its) => inspect(other, fromNode(its, options))), { custom });
    const shown = apply(method, value, [left, given, again]);
    return shown === value ? undefined : [shown];
  };

  return { standIn };
})

// SPDX-License-Identifier: MIT
// What every kind of keys refuses in the same words: usages that are not its own, and formats that it has not.
((host) => {
  "use strict";
  const { refuse } = host.bytes;
  const { includes } = host.keys;

  const checkUsages = (usages, allowed, name, what = "key") => {
    for (let i = 0; i < usages.length; i++) {
      if (!includes(allowed, usages[i])) throw refuse("SyntaxError", `a ${what} of ${name} is not for "${usages[i]}"`);
    }
  };

  const notFormat = (format, name) => refuse("NotSupportedError", `a key of ${name} has no format "${format}"`);

  return { checkUsages, notFormat };
})

// SPDX-License-Identifier: MIT
// CSS selectors (Selectors level 4): of what stands in the tree. Selectors of what only a window knows, as `:hover`, are
// refused by name.
((host) => {
  "use strict";
  const { DOMException } = host;
  const { lower, makeList, withoutComments } = host.lists;
  const { simple, counted, sibling, makePlaces } = host.pseudoclasses;
  const { isElement, kind, parent, first, previous, following, nextElement, ELEMENT } = host.nodes;
  const { Table } = host.idl;
  const { slice, indexOf, startsWith, endsWith } = host.intrinsics;
  const { elements } = host;
  const uncurry = (method) => Function.prototype.call.bind(method);
  const trim = uncurry(String.prototype.trim);
  const exec = uncurry(RegExp.prototype.exec), fromCodePoint = String.fromCodePoint;

  // --- Reading --------------------------------------------------------------------------------------------------

  const ESCAPED = "\\\\[0-9a-fA-F]{1,6}\\s?|\\\\[^\\n0-9a-fA-F]";
  const NAME = new RegExp(`(?:--|-?(?:[_a-zA-Z\u0080-\uffff]|${ESCAPED}))(?:[-_a-zA-Z0-9\u0080-\uffff]|${ESCAPED})*`, "y");
  const SPACE = /[ \t\n\r\f]*/y;
  const STRING = /"((?:[^"\\]|\\[^])*)"|'((?:[^'\\]|\\[^])*)'/y;
  const ESCAPE = /\\(?:([0-9a-fA-F]{1,6})\s?|([^]))/y;
  const NTH = /^\s*(?:(odd|even)|([-+]?\d*)n\s*(?:([-+])\s*(\d+))?|([-+]?\d+))\s*$/i;

  const makeReader = (text) => ({ __proto__: null, text, at: 0 });
  const fail = (reader, what) => {
    throw new DOMException(`'${reader.text}' is no selector that is known here: ${what}`, "SyntaxError");
  };
  const failHere = (reader) => {
    fail(reader, reader.at < reader.text.length ? `'${slice(reader.text, reader.at)}' is not understood` : "it ends too early");
  };
  const match = (reader, pattern) => {
    pattern.lastIndex = reader.at;
    const found = exec(pattern, reader.text);
    if (found !== null) reader.at = pattern.lastIndex;
    return found;
  };
  const peek = (reader) => (reader.at < reader.text.length ? reader.text[reader.at] : "");
  const skip = (reader) => match(reader, SPACE)[0].length > 0;

  const unescaped = (text) => {
    if (indexOf(text, "\\") < 0) return text;
    let result = "", at = 0;
    while (at < text.length) {
      ESCAPE.lastIndex = at;
      const found = text[at] === "\\" ? exec(ESCAPE, text) : null;
      if (found === null) {
        result += text[at++];
        continue;
      }
      at = ESCAPE.lastIndex;
      const number = found[1] === undefined ? 0 : parseInt(found[1], 16);
      result += found[1] === undefined ? found[2] : number === 0 || number > 0x10ffff ? "\ufffd" : fromCodePoint(number);
    }
    return result;
  };
  const name = (reader) => {
    const found = match(reader, NAME);
    return found === null ? failHere(reader) : unescaped(found[0]);
  };

  /** Attributes whose values are found in any case (HTML, 4.16.2). */
  const CASELESS = " accept accept-charset align alink axis bgcolor charset checked clear codetype color compact declare defer dir direction disabled "
    + "enctype face frame hreflang http-equiv lang language link media method multiple nohref noresize noshade nowrap readonly rel rev rules scope "
    + "scrolling selected shape target text type valign valuetype vlink ";
  const readAttribute = (reader) => {
    skip(reader);
    const key = name(reader);
    skip(reader);
    let operator = "", value = "", flag = "";
    if (peek(reader) !== "]") {
      operator = peek(reader) === "=" ? "=" : slice(reader.text, reader.at, reader.at + 2);
      if (indexOf(" = ~= |= ^= $= *= ", ` ${operator} `) < 0) fail(reader, `'${operator}' compares nothing`);
      reader.at += operator.length;
      skip(reader);
      const quoted = match(reader, STRING);
      value = quoted === null ? name(reader) : unescaped(quoted[1] ?? quoted[2]);
      skip(reader);
      flag = lower(peek(reader));
      if (flag === "i" || flag === "s") reader.at++;
      skip(reader);
    }
    if (peek(reader) !== "]") fail(reader, "']' is missing");
    reader.at++;
    const lowered = lower(key), lowerValue = lower(value), isCaseless = flag !== "s" && indexOf(CASELESS, ` ${lowered} `) >= 0;
    return (element) => {
      const isHTML = elements.isHTML(element), own = elements.attribute(element, isHTML ? lowered : key);
      if (own === null) return false;
      return flag === "i" || (isHTML && isCaseless) ? compare(operator, lower(own), lowerValue) : compare(operator, own, value);
    };
  };
  const compare = (operator, own, value) => {
    switch (operator) {
    case "": return true;
    case "=": return own === value;
    case "~=": return value !== "" && exec(/\s/, value) === null && indexOf(` ${spaced(own)} `, ` ${value} `) >= 0;
    case "|=": return own === value || startsWith(own, `${value}-`);
    case "^=": return value !== "" && startsWith(own, value);
    case "$=": return value !== "" && endsWith(own, value);
    default: return value !== "" && indexOf(own, value) >= 0;
    }
  };
  /** With blanks for every kind of space. */
  const spaced = (text) => {
    let result = "";
    for (let i = 0; i < text.length; i++) result += indexOf("\n\t\r\f", text[i]) >= 0 ? " " : text[i];
    return result;
  };

  // --- What follows a colon -------------------------------------------------------------------------------------------

  const readNth = (reader, { 0: step, 1: way }, text) => {
    const found = exec(NTH, text);
    if (found === null) fail(reader, `'${text}' counts nothing`);
    const { 1: word, 2: times, 3: sign, 4: more, 5: number } = found;
    let a = 0, b = 0;
    if (number !== undefined) b = +number;
    else if (word !== undefined) {
      a = 2;
      b = lower(word) === "odd" ? 1 : 0;
    } else {
      a = times === "" || times === "+" ? 1 : times === "-" ? -1 : +times;
      b = more === undefined ? 0 : +(sign + more);
    }
    const places = makePlaces(step, way);
    return (element) => {
      const place = places(element);
      return a === 0 ? place === b : (place - b) % a === 0 && (place - b) / a >= 0;
    };
  };

  /** What stands up to the bracket that closes. */
  const inner = (reader) => {
    const start = ++reader.at;
    for (let depth = 1; reader.at < reader.text.length; reader.at++) {
      const here = reader.text[reader.at];
      if (here === "\\") reader.at++;
      else if (here === "\"" || here === "'") {
        if (match(reader, STRING) === null) fail(reader, "a quote is not closed");
        reader.at--;
      } else if (here === "(") depth++;
      else if (here === ")" && --depth === 0) return slice(reader.text, start, reader.at++);
    }
    return fail(reader, "')' is missing");
  };

  /** Parts of what is drawn, which no element is. */
  const DRAWN = " after backdrop before cue file-selector-button first-letter first-line marker placeholder selection ";
  let depth = 0, isTooDeep = false;
  const readPseudo = (reader) => {
    if (peek(reader) === ":") {
      reader.at++;
      const part = lower(name(reader));
      if (indexOf(DRAWN, ` ${part} `) < 0) fail(reader, `'::${part}' is not known`);
      return () => false;
    }
    const word = lower(name(reader));
    if (peek(reader) !== "(") return simple[word] ?? fail(reader, `':${word}' is not known`);
    const text = inner(reader);
    if (counted[word] !== undefined) return readNth(reader, counted[word], text);
    if (word !== "not" && word !== "is" && word !== "where" && word !== "has") fail(reader, `':${word}()' is not known`);
    // Nobody nests them so deep; the stack has an end.
    if (++depth > 50) {
      isTooDeep = true;
      fail(reader, "it is nested too deep");
    }
    const list = word === "is" || word === "where" ? readForgiving(text) : readList(text, word === "has");
    depth--;
    if (word === "has") return (element) => hasMatch(list, element);
    return word === "not" ? (element, scope) => !matchesAny(list, element, scope) : (element, scope) => matchesAny(list, element, scope);
  };
  const hasMatch = (list, element) => {
    for (let i = 0; i < list.length; i++) {
      const top = list[i].lead === "+" || list[i].lead === "~" ? parent(element) : element;
      if (top === null) continue;
      for (let at = first(top); at !== null; at = following(at, top)) {
        if (kind(at) === ELEMENT && matchesFrom(list[i], list[i].length - 1, at, element)) return true;
      }
    }
    return false;
  };

  // --- A whole selector -------------------------------------------------------------------------------------------

  const readCompound = (reader) => {
    const tests = makeList();
    const add = (test) => { tests[tests.length] = test; };
    const start = reader.at;
    if (peek(reader) === "*") reader.at++;
    else if (match(reader, NAME) !== null) {
      const word = unescaped(slice(reader.text, start, reader.at)), lowered = lower(word);
      add((element) => elements.nameOf(element) === (elements.isHTML(element) ? lowered : word));
    }
    for (;;) {
      const here = peek(reader);
      if (here !== "#" && here !== "." && here !== "[" && here !== ":") break;
      reader.at++;
      if (here === "[") add(readAttribute(reader));
      else if (here === ":") add(readPseudo(reader));
      else {
        const word = name(reader);
        add(here === "#" ? (element) => elements.attribute(element, "id") === word : (element) => elements.hasClass(element, word));
      }
    }
    if (reader.at === start) failHere(reader);
    return tests;
  };

  /** Compounds with what stands before each: " ", ">", "+", "~"; the list in front of `:has` may begin with one. */
  const readComplex = (reader, isRelative) => {
    const parts = makeList();
    const add = (combinator, tests) => { parts[parts.length] = { __proto__: null, combinator, tests }; };
    skip(reader);
    let combinator = "";
    if (isRelative) {
      combinator = indexOf(">+~", peek(reader) || " ") >= 0 ? reader.text[reader.at++] : " ";
      parts.lead = combinator;
      skip(reader);
      add("", [(element, scope) => element === scope]);
    }
    for (;;) {
      add(combinator, readCompound(reader));
      const isSpaced = skip(reader);
      const here = peek(reader);
      if (here === "" || here === ",") return parts;
      if (here === ">" || here === "+" || here === "~") {
        combinator = here;
        reader.at++;
        skip(reader);
      } else if (isSpaced) combinator = " ";
      else failHere(reader);
    }
  };
  const readList = (text, isRelative = false) => {
    const reader = makeReader(text), list = makeList();
    for (;;) {
      list[list.length] = readComplex(reader, isRelative);
      if (peek(reader) !== ",") return list;
      reader.at++;
    }
  };

  /** What is no selector is none of the list (Selectors, 18.1). */
  const readForgiving = (text) => {
    const list = makeList(), own = depth;
    for (let at = 0; at <= text.length;) {
      const end = commaFrom(text, at);
      try {
        list[list.length] = readList(slice(text, at, end))[0];
      } catch (error) {
        if (isTooDeep) throw error;
        depth = own;
      }
      at = end + 1;
    }
    return list;
  };
  /** The next comma outside of quotes and brackets, or the end. */
  const commaFrom = (text, from) => {
    let open = 0, quote = "";
    for (let at = from; at < text.length; at++) {
      const here = text[at];
      if (here === "\\") at++;
      else if (quote !== "") quote = here === quote ? "" : quote;
      else if (here === "\"" || here === "'") quote = here;
      else if (here === "(" || here === "[") open++;
      else if (here === ")" || here === "]") open--;
      else if (here === "," && open <= 0) return at;
    }
    return text.length;
  };

  const matchesAll = (tests, element, scope) => {
    for (let i = 0; i < tests.length; i++) if (!tests[i](element, scope)) return false;
    return true;
  };
  const holder = (element) => (isElement(parent(element)) ? parent(element) : null);
  const before = (element) => sibling(element, previous);
  // What is not found tells how far to look on: not beside an element when nothing above it fits, nor above when the rest
  // is nowhere above at all. So each part of a selector goes up, and back, once.
  const FOUND = 0, NOT_HERE = 1, NOT_AMONG_SIBLINGS = 2, NOWHERE = 3;
  const look = (parts, at, element, scope) => {
    if (!matchesAll(parts[at].tests, element, scope)) return NOT_HERE;
    if (at === 0) return FOUND;
    const { combinator } = parts[at], isAbove = combinator === " " || combinator === ">";
    const step = isAbove ? holder : before;
    for (let other = step(element); other !== null; other = step(other)) {
      const result = look(parts, at - 1, other, scope);
      if (result === FOUND || result === NOWHERE) return result;
      if (combinator === ">") return NOT_AMONG_SIBLINGS;
      if (combinator === "+" || (combinator === "~" && result === NOT_AMONG_SIBLINGS)) return result;
    }
    return isAbove ? NOWHERE : NOT_AMONG_SIBLINGS;
  };
  /** Whether an element is what stands at a place, and has around it what stands before. */
  const matchesFrom = (parts, at, element, scope) => look(parts, at, element, scope) === FOUND;
  const matchesAny = (list, element, scope) => {
    for (let i = 0; i < list.length; i++) if (matchesFrom(list[i], list[i].length - 1, element, scope)) return true;
    return false;
  };

  /** What `:scope` is below a node: of a document its element. */
  const scopeOf = (root) => (kind(root) === ELEMENT ? root : nextElement(first(root)));

  let known = new Table(), count = 0;
  const parse = (selector) => {
    const text = trim(withoutComments(`${selector}`));
    const found = known.get(text);
    if (found !== undefined) return found;
    depth = 0;
    isTooDeep = false;
    const list = readList(text);
    if (++count > 500) {
      known = new Table();
      count = 1;
    }
    known.set(text, list);
    return list;
  };

  return {
    matches: (element, selector) => matchesAny(parse(selector), element, element),
    closest(element, selector) {
      const list = parse(selector);
      for (let at = element; isElement(at); at = parent(at)) if (matchesAny(list, at, element)) return at;
      return null;
    },
    first(root, selector) {
      const list = parse(selector), scope = scopeOf(root);
      for (let at = first(root); at !== null; at = following(at, root)) {
        if (kind(at) === ELEMENT && matchesAny(list, at, scope)) return at;
      }
      return null;
    },
    all(root, selector) {
      const list = parse(selector), scope = scopeOf(root), found = makeList();
      for (let at = first(root); at !== null; at = following(at, root)) {
        if (kind(at) === ELEMENT && matchesAny(list, at, scope)) found[found.length] = at;
      }
      return found;
    },
  };
})

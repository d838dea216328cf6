// SPDX-License-Identifier: MIT
// A tree of a page's markup (HTML, 13.2.6). What the markup is made of (tags, texts, comments)
// finds HTMLScanner.swift, which finds the page's scripts, too: both see the same page. Here the rules of what closes what are
// kept; markup that is nested wrongly is closed where it ends, and neither taken apart nor moved out of tables.
((host) => {
  "use strict";
  const { elements } = host;
  const { page, kind, owner, parent, first, last, place, placeOne, dataOf, setData, makeText, makeComment, makeType, makeFragment, ELEMENT, TEXT,
    TYPE } = host.nodes;
  const { make, attribute, setAttribute, nameOf, isCalled, HTML } = elements;
  const { Table } = host.idl;
  const { indexOf, slice, split } = host.intrinsics;
  const trim = Function.prototype.call.bind(String.prototype.trim);

  const tableOf = (words) => {
    const list = split(words, " "), table = new Table();
    for (let i = 0; i < list.length; i++) table.set(list[i], true);
    return table;
  };
  const VOID = tableOf("area base br col embed hr img input link meta param source track wbr");
  const HEAD = tableOf("base link meta noscript script style template title");
  const RAW = tableOf("iframe noembed noframes noscript script style textarea title xmp");
  // These end a paragraph that is open.
  const BLOCKS = tableOf("address article aside blockquote center details dialog dir div dl dd dt fieldset figcaption figure footer form h1 h2 "
    + "h3 h4 h5 h6 header hgroup hr li listing main menu nav ol p pre search section summary table ul xmp");
  const SECTIONS = tableOf("tbody thead tfoot");
  const HEADINGS = tableOf("h1 h2 h3 h4 h5 h6");
  // Behind these no end tag looks for what it ends (HTML, 13.2.4.2, "special", as far as it matters).
  const WALLS = tableOf("applet caption html marquee object table td template th");
  const SPECIAL = tableOf("address article aside blockquote body button center dd details dialog dir div dl dt fieldset figcaption figure footer "
    + "form h1 h2 h3 h4 h5 h6 head header hgroup html li listing main menu nav ol p pre search section select summary table tbody td "
    + "template textarea tfoot th thead tr ul xmp");
  const FOREIGN = { __proto__: null, svg: "http://www.w3.org/2000/svg", math: "http://www.w3.org/1998/Math/MathML" };
  /** Browsers nest no deeper, either: what would stand deeper stands beside. */
  const DEEPEST = 512;

  // --- Pieces -------------------------------------------------------------------------------------------------------

  /** Reads what HTMLPieces.swift wrote: fields, each with a NUL behind it. */
  const makeReader = (text) => {
    let at = 0;
    return {
      __proto__: null,
      isOver: () => at >= text.length,
      next() {
        const end = indexOf(text, "\0", at), field = slice(text, at, end);
        at = end + 1;
        return field;
      },
    };
  };

  // --- The tree -----------------------------------------------------------------------------------------------------

  /**
   * Takes pieces one after the other. `root` is what they go into, a document or a fragment; `context` what a fragment will
   * stand in. `isPage`: its scripts are run, and its lines are known.
   */
  const makeBuilder = (text, document, root, context, isPage) => {
    const reader = makeReader(text);
    let current = root, depth = 0, html = null, head = null, body = null, form = null, afterHead = false;
    const isFragment = root !== document;

    /** From a template's content to the template. */
    const templates = new Table();
    /** What an open element stands in. */
    const above = (node) => parent(node) ?? templates.get(node) ?? null;
    const nameHere = (node) => (kind(node) === ELEMENT ? nameOf(node) : node === root && context !== null ? nameOf(context) : "");
    /** Puts an element behind what is there, and what follows into it. */
    const push = (element) => {
      if (depth >= DEEPEST) pop();
      placeOne(current, element, null);
      depth++;
      const content = page.contentOf(element);
      if (content !== null) templates.set(content, element);
      current = content ?? element;
    };
    /** Answers false where nothing is left to close. */
    const pop = () => {
      if (current === root || current === html || current === body) return false;
      current = above(kind(current) === ELEMENT ? current : templates.get(current));
      depth--;
      return true;
    };
    /** The open element with a name that no wall hides; null for none. `walls` hide it, too. */
    const open = (name, walls = null) => {
      for (let at = current; at !== null && at !== root; at = above(at)) {
        if (kind(at) !== ELEMENT) return null;
        const own = nameOf(at);
        if (own === name) return at;
        if (WALLS.has(own) || (walls !== null && indexOf(walls, ` ${own} `) >= 0)) return null;
      }
      return null;
    };
    const popTo = (element) => {
      while (current !== element && pop());
      pop();
    };
    const close = (name, walls = null) => {
      const found = open(name, walls);
      if (found !== null) popTo(found);
      return found !== null;
    };

    const makeElement = (name, count, line) => {
      const around = kind(current) === ELEMENT ? elements.space(current) : HTML;
      const space = FOREIGN[name] ?? (around !== HTML && !isCalled(current, "foreignobject") && !isCalled(current, "desc") ? around : HTML);
      const element = make(name, document, space);
      readAttributes(element, count, line);
      return element;
    };
    const readAttributes = (element, count, line, onlyNew = false) => {
      page.line = isPage ? line : 0;
      for (let i = 0; i < count; i++) {
        const name = reader.next(), value = reader.next();
        if (!onlyNew || attribute(element, name) === null) setAttribute(element, name, value);
      }
      page.line = 0;
    };

    // The three that every page has, whether it says so or not.
    const needHTML = () => {
      if (html !== null) return;
      html = make("html", document);
      placeOne(root, html, null);
      current = html;
      depth = 1;
    };
    const needHead = () => {
      needHTML();
      if (head !== null) return;
      head = make("head", document);
      push(head);
    };
    const needBody = () => {
      if (body !== null || isFragment) return;
      needHead();
      current = html;
      depth = 1;
      body = make("body", document);
      push(body);
    };
    const isInBody = () => isFragment || body !== null || isInTemplate();

    // --- Start tags ---

    /** What a start tag closes before it opens. */
    const prepare = (name) => {
      if (BLOCKS.has(name)) close("p", " button ");
      if (name === "li" || name === "dd" || name === "dt") closeItem(name === "li" ? " li " : " dd dt ");
      else if (HEADINGS.has(name) && HEADINGS.has(nameHere(current))) pop();
      else if (name === "option" || name === "optgroup") {
        if (isCalled(current, "option")) pop();
        if (name === "optgroup" && isCalled(current, "optgroup")) pop();
      } else if (name === "button") close("button");
      else if (name === "select") close("select");
      else if (name === "a") close("a");
      else if (name === "rp" || name === "rt") {
        if (isCalled(current, "rp") || isCalled(current, "rt")) pop();
      } else if (PARTS[name] !== undefined) return preparePart(name);
      return true;
    };
    /** An item of a list closes the one before it. */
    const closeItem = (names) => {
      for (let at = current; at !== root && kind(at) === ELEMENT; at = above(at)) {
        const own = nameOf(at);
        if (indexOf(names, ` ${own} `) >= 0) return popTo(at);
        if (SPECIAL.has(own) && own !== "address" && own !== "div" && own !== "p") return;
      }
    };
    /** Brings a part of a table to where it belongs; false where there is no table for it. */
    const preparePart = (name) => {
      const wanted = PARTS[name];
      // In a table, and in its groups of rows, what is missing between is made.
      const fits = (node) => {
        const own = nameHere(node);
        return own === "table" || indexOf(wanted, ` ${own} `) >= 0 || (wanted === " tr " && SECTIONS.has(own));
      };
      let at = current;
      // Up to what it stands in, or to a part in which the missing ones are made.
      while (at !== root && kind(at) === ELEMENT && indexOf(" table tbody thead tfoot tr colgroup ", ` ${nameOf(at)} `) < 0) at = above(at);
      if ((at === root || kind(at) !== ELEMENT) && !fits(at) && !templates.has(at)) return false;
      while (current !== at && pop());
      while (kind(current) === ELEMENT && !fits(current) && pop());
      if (nameHere(current) === "table" && indexOf(wanted, " table ") < 0) push(make(name === "col" ? "colgroup" : "tbody", document));
      if (wanted === " tr " && SECTIONS.has(nameHere(current))) push(make("tr", document));
      return true;
    };

    /** Answers the number of a script that is to be run when it has been read; "" for none. */
    const start = (name, isClosed) => {
      const line = +reader.next(), script = reader.next(), count = +reader.next();
      const skip = () => { for (let i = 0; i < count * 2; i++) reader.next(); };
      if (name === "html" || name === "head" || name === "body") {
        if (isFragment || isInTemplate()) return skip();
        if (name === "html") needHTML();
        else if (name === "head") needHead();
        else if (body === null) needBody();
        return readAttributes(name === "html" ? html : name === "head" ? head : body, count, line, true);
      }
      if (!isInBody()) {
        if (HEAD.has(name)) {
          needHead();
          if (afterHead) current = head;
        } else needBody();
      }
      if (name === "form" && form !== null && !isInTemplate()) return skip();
      if (!prepare(name)) return skip();
      const element = makeElement(name, count, line);
      push(element);
      if (name === "form" && !isInTemplate()) form = element;
      if (VOID.has(name) || (isClosed && elements.space(element) !== HTML)) pop();
      else if (isPage && script !== "" && !isInTemplate()) pending = { element, script };
      if (name === "pre" || name === "listing" || name === "textarea") eatsLine = true;
      return undefined;
    };
    const isInTemplate = () => {
      for (let at = current; at !== null; at = above(at)) if (templates.has(at)) return true;
      return false;
    };
    let pending = null, eatsLine = false;

    // --- End tags ---

    const end = (name) => {
      if (name === "head") {
        if (head !== null && body === null && isOpen(head)) {
          popTo(head);
          afterHead = true;
        }
        return;
      }
      // What stands behind them belongs to the body all the same (13.2.6.4.19).
      if (name === "html" || name === "body") return;
      if (name === "br" || name === "p") {
        if (name === "p" && close("p", " button ")) return;
        needBody();
        push(make(name, document));
        return void pop();
      }
      if (name === "form") form = null;
      if (HEADINGS.has(name)) return closeHeading();
      if (name === "li") return void close("li", " ul ol menu dir ");
      if (name === "template") return closeTemplate();
      if (WALLS.has(name) || PARTS[name] !== undefined) return closePart(name);
      if (SPECIAL.has(name)) return void close(name);
      for (let at = current; at !== root && kind(at) === ELEMENT; at = above(at)) {
        if (nameOf(at) === name) return popTo(at);
        if (SPECIAL.has(nameOf(at)) || at === html || at === body) return;
      }
    };
    const isOpen = (element) => {
      for (let at = current; at !== null; at = above(at)) if (at === element) return true;
      return false;
    };
    const closeHeading = () => {
      for (let at = current; at !== root && kind(at) === ELEMENT && !WALLS.has(nameOf(at)); at = above(at)) {
        if (HEADINGS.has(nameOf(at))) return popTo(at);
      }
    };
    const closeTemplate = () => {
      for (let at = current; at !== null && at !== root; at = above(at)) {
        if (!isCalled(at, "template")) continue;
        while (current !== page.contentOf(at) && pop());
        return void pop();
      }
    };
    /** An end tag of a table or its part, or of another wall: it sees through what stands in it, to its own table. */
    const closePart = (name) => {
      for (let at = current; at !== root && kind(at) === ELEMENT; at = above(at)) {
        const own = nameOf(at);
        if (own === name) return popTo(at);
        if (own === "table" || own === "template" || at === html || at === body) return;
      }
    };

    // --- Texts ---

    const addText = (data) => {
      let shown = data;
      if (eatsLine && shown[0] === "\n") shown = slice(shown, 1);
      eatsLine = false;
      if (!isInBody() && !(current !== null && kind(current) === ELEMENT && RAW.has(nameOf(current)))) {
        const isBlank = trim(shown) === "";
        if (isBlank && (head === null || (!isOpen(head) && !afterHead))) return;
        if (!isBlank) needBody();
        else if (afterHead) current = html;
      }
      if (shown === "") return;
      const before = last(current);
      if (before !== null && kind(before) === TEXT) setData(before, dataOf(before) + shown);
      else placeOne(current, makeText(shown, document), null);
    };

    /** Reads on; answers the number of a script that was read and is to be run now, or -1 at the end. */
    const readOn = () => {
      if (isPage) page.currentScript = null;
      while (!reader.isOver()) {
        const piece = reader.next();
        if (piece !== "t") eatsLine = false;
        switch (piece) {
        case "<": start(reader.next(), false); break;
        case "/": start(reader.next(), true); break;
        case "t": addText(reader.next()); break;
        case "!": placeOne(current, makeComment(reader.next(), document), null); break;
        case "d": {
          const name = reader.next();
          if (!isFragment && html === null && kind(first(root) ?? root) !== TYPE) placeOne(root, makeType(name, document), null);
          break;
        }
        default: {
          end(reader.next());
          if (pending !== null && !isOpen(pending.element)) return taken();
        }
        }
      }
      if (pending !== null) return taken();
      if (!isFragment) needBody();
      return -1;
    };
    const taken = () => {
      const { element, script } = pending;
      pending = null;
      page.currentScript = element;
      return +script;
    };
    return { __proto__: null, readOn };
  };
  /** The parts of tables, and what they stand in. */
  const PARTS = {
    __proto__: null, caption: " table ", colgroup: " table ", col: " colgroup ", thead: " table ", tbody: " table ", tfoot: " table ",
    tr: " tbody thead tfoot ", td: " tr ", th: " tr ",
  };

  /** A fragment of markup that will stand in an element. */
  page.parse = (markup, context) => {
    const document = context === null ? page.document : owner(context), fragment = makeFragment(document);
    if (context !== null && RAW.has(nameOf(context))) {
      const isText = isCalled(context, "textarea") || isCalled(context, "title");
      const text = isText ? host.references(markup) : markup;
      if (text !== "") place(fragment, makeText(text, document), null);
      return fragment;
    }
    makeBuilder(host.pieces(markup), document, fragment, context, false).readOn();
    return fragment;
  };

  return { makeBuilder };
})

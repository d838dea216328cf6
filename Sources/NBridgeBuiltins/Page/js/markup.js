// SPDX-License-Identifier: MIT
// A tree of a page's markup (HTML, 13.2.6). What the markup is made of (tags, texts, comments) finds HTMLScanner.swift, which
// finds the page's scripts, too: both see the same page. Here the rules are kept of what closes what and stands where; of
// formatting elements that are nested wrongly each is closed where it ends, and none made anew.
((host) => {
  "use strict";
  const { elements } = host;
  const { makeList } = host.lists;
  const { page, kind, owner, parent, first, last, next, previous, nextElement, place, placeOne, dataOf, setData, makeText, makeComment, makeType,
    makeFragment, TEXT, TYPE } = host.nodes;
  const { make, attribute, setAttribute, nameOf, isCalled, HTML } = elements;
  const { Table } = host.idl;
  const { indexOf, slice, split } = host.intrinsics;
  const uncurry = (method) => Function.prototype.call.bind(method);
  const trim = uncurry(String.prototype.trim), lower = uncurry(String.prototype.toLowerCase);

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
  const SECTIONS = tableOf("tbody thead tfoot"), ROWS = tableOf("table tbody thead tfoot tr");
  const TAKES_HTML = tableOf("foreignobject desc title mi mo mn ms mtext annotation-xml");
  // These end SVG and MathML (13.2.6.5).
  const BREAKS_OUT = tableOf("b big blockquote body br center code dd div dl dt em embed h1 h2 h3 h4 h5 h6 head hr i img li listing menu meta nobr "
    + "ol p pre ruby s small span strong strike sub sup table tt u ul var");
  const HEADINGS = tableOf("h1 h2 h3 h4 h5 h6");
  // Behind these no end tag looks for what it ends (HTML, 13.2.4.2, "special", as far as it matters).
  const WALLS = tableOf("applet caption html marquee object table td template th");
  const BUTTON = tableOf("button"), LISTS = tableOf("ul ol menu dir"), NONE = new Table();
  const SPECIAL = tableOf("address article aside blockquote body button center dd details dialog dir div dl dt fieldset figcaption figure footer "
    + "form h1 h2 h3 h4 h5 h6 head header hgroup html li listing main menu nav ol p pre search section select summary table tbody td "
    + "template textarea tfoot th thead tr ul xmp");
  const FOREIGN = { __proto__: null, svg: "http://www.w3.org/2000/svg", math: "http://www.w3.org/1998/Math/MathML" };
  // Attributes of SVG that are not written small (13.2.6.5), from how they are found.
  const CASED = new Table();
  const cased = split("attributeName clipPathUnits gradientTransform gradientUnits keyPoints keyTimes markerHeight markerUnits markerWidth "
    + "maskContentUnits maskUnits pathLength patternTransform patternUnits preserveAspectRatio refX refY repeatCount repeatDur "
    + "stdDeviation textLength viewBox", " ");
  for (let i = 0; i < cased.length; i++) CASED.set(lower(cased[i]), cased[i]);
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
    const isFragment = root !== document;
    // The elements that are open, whatever scripts have made of the tree meanwhile; and what takes what comes next.
    const stack = makeList();
    // How many are open, by their names: most end tags, and most of what a start tag may close, have nothing to look for.
    const counts = new Table();
    const isAnyOpen = (name) => (counts.get(name) ?? 0) > 0;
    let current = root, templates = 0, html = null, head = null, body = null, form = null, isBehindHead = false;
    let pending = null, eatsLine = false;
    const scripts = { __proto__: null };

    const nameAt = (place) => (place >= 0 ? nameOf(stack[place]) : context === null ? "" : nameOf(context));
    const topName = () => nameAt(stack.length - 1);
    const enter = () => {
      const top = stack.length === 0 ? root : stack[stack.length - 1];
      current = page.contentOf(top) ?? top;
    };
    /** Puts an element behind what is there, and what follows into it. */
    const push = (element, isMoved = false) => {
      if (stack.length >= DEEPEST) pop();
      add(element, isMoved);
      open(element);
    };
    /** What does not belong into a table comes before it (13.2.6.1). */
    const add = (node, isMoved) => {
      let place = isMoved ? stack.length - 1 : -1;
      while (place >= 0 && nameAt(place) !== "table" && nameAt(place) !== "template") place--;
      const table = place >= 0 && nameAt(place) === "table" ? stack[place] : null;
      const holder = table === null ? null : parent(table);
      if (holder === null) return placeOne(current, node, null);
      const before = previous(table);
      if (kind(node) === TEXT && before !== null && kind(before) === TEXT) setData(before, dataOf(before) + dataOf(node));
      else placeOne(holder, node, table);
    };
    const isInTable = () => stack.length > 0 && ROWS.has(topName());
    const open = (element) => {
      stack[stack.length] = element;
      tally(element, 1);
      enter();
    };
    const tally = (element, change) => {
      const name = nameOf(element);
      counts.set(name, (counts.get(name) ?? 0) + change);
      if (name === "template") templates += change;
    };
    /** Answers false where nothing is left to close. */
    const pop = () => {
      const top = stack.length === 0 ? null : stack[stack.length - 1];
      if (top === null || top === html || top === body) return false;
      stack.length--;
      tally(top, -1);
      enter();
      return true;
    };
    const popTo = (place) => { while (stack.length > place && pop()); };
    const placeOf = (element) => {
      let place = stack.length - 1;
      while (place >= 0 && stack[place] !== element) place--;
      return place;
    };
    /** Closes the innermost element with a name that no wall hides; `walls` hide it, too. Answers whether there is one. */
    const close = (name, walls = NONE) => {
      if (!isAnyOpen(name)) return false;
      for (let place = stack.length - 1; place >= 0; place--) {
        const own = nameAt(place);
        if (own === name) {
          popTo(place);
          return true;
        }
        if (WALLS.has(own) || walls.has(own)) return false;
      }
      return false;
    };

    /** Whether what is open is of SVG or MathML, and takes no HTML. */
    const isForeign = () => stack.length > 0 && !elements.isHTML(stack[stack.length - 1]) && !TAKES_HTML.has(topName());
    const makeElement = (name, count, line) => {
      const space = FOREIGN[name] ?? (isForeign() ? elements.space(stack[stack.length - 1]) : HTML);
      const element = make(name, document, space);
      readAttributes(element, count, line);
      return element;
    };
    const readAttributes = (element, count, line, onlyNew = false) => {
      page.line = isPage ? line : 0;
      for (let i = 0; i < count; i++) {
        const found = reader.next(), value = reader.next();
        const name = elements.isHTML(element) ? found : CASED.get(found) ?? found;
        if (!onlyNew || attribute(element, name) === null) setAttribute(element, name, value);
      }
      page.line = 0;
    };
    const skipAttributes = (count) => { for (let i = 0; i < count * 2; i++) reader.next(); };

    // The three that every page has, whether it says so or not.
    const needHTML = () => { if (html === null) push(html = make("html", document)); };
    const needHead = () => {
      needHTML();
      if (head === null) push(head = make("head", document));
    };
    const needBody = () => {
      if (body !== null || isFragment) return;
      needHead();
      popTo(1);
      push(body = make("body", document));
    };
    const isInBody = () => isFragment || body !== null || templates > 0;

    // --- Start tags ---

    /** Closes what a start tag closes before it opens; false where there is no place for its element. */
    const prepare = (name) => {
      const top = topName();
      if (BLOCKS.has(name)) close("p", BUTTON);
      if (name === "li" || name === "dd" || name === "dt") closeItem(name === "li" ? " li " : " dd dt ");
      else if (HEADINGS.has(name) && HEADINGS.has(topName())) pop();
      else if (name === "option" && top === "option") pop();
      else if (name === "optgroup") {
        if (top === "option") pop();
        if (topName() === "optgroup") pop();
      } else if (name === "select") return !close("select");
      else if (name === "input") close("select");
      else if (name === "button" || name === "a") close(name);
      else if ((name === "rp" || name === "rt") && (top === "rp" || top === "rt")) pop();
      else if (PARTS[name] !== undefined) return preparePart(name, PARTS[name]);
      return true;
    };
    /** An item of a list closes the one before it. */
    const closeItem = (names) => {
      for (let place = stack.length - 1; place >= 0; place--) {
        const own = nameAt(place);
        if (indexOf(names, ` ${own} `) >= 0) return popTo(place);
        if (SPECIAL.has(own) && own !== "address" && own !== "div" && own !== "p") return;
      }
    };
    /** Brings a part of a table to where it belongs, and makes what is missing between. `wanted`: what it stands in. */
    const preparePart = (name, wanted) => {
      const fits = (own) => own === "table" || own === "template" || indexOf(wanted, ` ${own} `) >= 0
        || (wanted === " tr " && SECTIONS.has(own));
      let place = stack.length - 1;
      while (place >= 0 && indexOf(TABULAR, ` ${nameAt(place)} `) < 0) place--;
      while (place >= 0 && !fits(nameAt(place))) place--;
      if (!fits(nameAt(place)) || (nameAt(place) === "template" && !isTableTemplate(place))) return false;
      popTo(place + 1);
      if (topName() === "table" && indexOf(wanted, " table ") < 0) push(make(name === "col" ? "colgroup" : "tbody", document));
      if (wanted === " tr " && SECTIONS.has(topName())) push(make("tr", document));
      return true;
    };

    /** Whether the content of a template began with a part of a table. */
    const isTableTemplate = (place) => {
      if (place < stack.length - 1 && PARTS[nameAt(place + 1)] === undefined) return false;
      const { content } = place < 0 ? context : stack[place], before = first(content);
      return before === null || (elements.isElement(before) && PARTS[nameOf(before)] !== undefined);
    };

    const start = (name, isClosed) => {
      const line = +reader.next(), script = reader.next(), count = +reader.next();
      if (name === "html" || name === "head" || name === "body") return startPart(name, count, line);
      if (!isInBody()) {
        if (!HEAD.has(name)) needBody();
        else {
          needHead();
          // A browser puts it there, too.
          if (isBehindHead && placeOf(head) < 0) open(head);
        }
      }
      if (isForeign() && BREAKS_OUT.has(name)) while (isForeign() && pop());
      if (name === "table" && isInTable()) closePart("table");
      const isPlaced = isForeign() || (!(name === "form" && form !== null && templates === 0) && prepare(name));
      if (!isPlaced) return skipAttributes(count);
      const isInside = isInTable(), element = makeElement(name, count, line);
      push(element, isInside && !belongsToTable(element, name));
      if (name === "form" && templates === 0) form = element;
      if (elements.isHTML(element) ? VOID.has(name) || (isInside && name === "form") : isClosed) pop();
      else if (isPage && script !== "" && templates === 0) pending = { __proto__: null, element, script };
      if (name === "pre" || name === "listing" || name === "textarea") eatsLine = true;
    };
    const belongsToTable = (element, name) => PARTS[name] !== undefined || name === "form" || name === "script" || name === "style" || name === "template"
      || (name === "input" && lower(attribute(element, "type") ?? "") === "hidden");
    const startPart = (name, count, line) => {
      if (isFragment || templates > 0) return skipAttributes(count);
      if (name === "html") needHTML();
      else if (name === "head") needHead();
      else needBody();
      readAttributes(name === "html" ? html : name === "head" ? head : body, count, line, true);
    };

    // --- End tags ---

    const end = (name) => {
      // What stands behind the last two belongs to the body all the same (13.2.6.4.19).
      if (name === "head" || name === "body" || name === "html") return name === "head" ? endHead() : undefined;
      if (name === "br" || (name === "p" && !close("p", BUTTON))) {
        needBody();
        push(make(name, document));
        pop();
      }
      if (name === "br" || name === "p") return;
      if (name === "form" && templates === 0) form = null;
      if (name === "template") return endTemplate();
      if (HEADINGS.has(name)) closeHeading();
      else if (WALLS.has(name) || PARTS[name] !== undefined) closePart(name);
      else if (SPECIAL.has(name)) close(name, name === "li" ? LISTS : NONE);
      else closeOther(name);
    };
    const endHead = () => {
      if (head === null || body !== null || templates > 0 || placeOf(head) < 0) return;
      popTo(placeOf(head));
      isBehindHead = true;
    };
    const closeHeading = () => {
      for (let place = stack.length - 1; place >= 0 && !WALLS.has(nameAt(place)); place--) {
        if (HEADINGS.has(nameAt(place))) return popTo(place);
      }
    };
    const endTemplate = () => {
      if (templates === 0) return;
      while (topName() !== "template" && pop());
      pop();
    };
    /** An end tag of a table or its part, or of another wall: it sees through what stands in it, to its own table. */
    const closePart = (name) => {
      if (!isAnyOpen(name)) return;
      for (let place = stack.length - 1; place >= 0; place--) {
        const own = nameAt(place);
        if (own === name) return popTo(place);
        if (own === "table" || own === "template") return;
      }
    };
    const closeOther = (name) => {
      if (!isAnyOpen(name)) return;
      for (let place = stack.length - 1; place >= 0; place--) {
        const own = nameAt(place);
        if (own === name) return popTo(place);
        if (SPECIAL.has(own)) return;
      }
    };

    // --- Texts ---

    const addText = (data) => {
      const shown = eatsLine && data[0] === "\n" ? slice(data, 1) : data;
      eatsLine = false;
      if (!isInBody() && !RAW.has(topName())) {
        if (trim(shown) !== "") needBody();
        else if (head === null || (placeOf(head) < 0 && !isBehindHead)) return;
      }
      if (shown === "") return;
      if (isInTable() && trim(shown) !== "") return add(makeText(shown, document), true);
      const before = last(current);
      if (before !== null && kind(before) === TEXT) setData(before, dataOf(before) + shown);
      else placeOne(current, makeText(shown, document), null);
    };
    const addType = (name) => {
      if (isFragment || html !== null) return;
      for (let at = first(root); at !== null; at = next(at)) if (kind(at) === TYPE) return;
      placeOne(root, makeType(name, document), null);
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
        case "d": addType(reader.next()); break;
        default: end(reader.next());
        }
        if (pending !== null && placeOf(pending.element) < 0) return takeScript();
      }
      if (pending !== null) return takeScript();
      if (!isFragment) needBody();
      return -1;
    };
    const takeScript = () => {
      const { element, script } = pending;
      pending = null;
      page.currentScript = scripts[+script] = element;
      return +script;
    };
    return { __proto__: null, readOn, script: (number) => scripts[number] ?? null };
  };
  // Parts of tables in which others stand, and what each stands in.
  const TABULAR = " table tbody thead tfoot tr colgroup template ";
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
    if (context !== null && isCalled(context, "html")) {
      const root = nextElement(first(page.read(markup)));
      for (let at = first(root); at !== null; at = first(root)) place(fragment, at, null);
    } else {
      makeBuilder(host.pieces(markup), document, fragment, context, false).readOn();
    }
    return fragment;
  };
  /** A document of its own, whose scripts don't run. */
  page.read = (markup) => {
    const document = page.makeDocument();
    makeBuilder(host.pieces(markup), document, document, null, false).readOn();
    return document;
  };

  return { makeBuilder };
})

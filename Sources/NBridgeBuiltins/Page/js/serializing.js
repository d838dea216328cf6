// SPDX-License-Identifier: MIT
// Markup of a tree (HTML, 13.3).
((host) => {
  "use strict";
  const { elements } = host;
  const { page, kind, parent, first, next, dataOf, ELEMENT, TEXT, COMMENT, TYPE } = host.nodes;
  const { nameOf } = elements;
  const { indexOf, mapForEach } = host.intrinsics;
  const uncurry = (method) => Function.prototype.call.bind(method);
  const replaceAll = uncurry(String.prototype.replaceAll), exec = uncurry(RegExp.prototype.exec);
  const VOID = " area base br col embed hr img input link meta param source track wbr ";
  // Texts in these stand as they are.
  const RAW = " iframe noembed noframes noscript script style xmp ";

  const escapedText = (text) => (exec(/[&<>\u00a0]/, text) === null ? text
    : replaceAll(replaceAll(replaceAll(replaceAll(text, "&", "&amp;"), "\u00a0", "&nbsp;"), "<", "&lt;"), ">", "&gt;"));
  const escapedValue = (text) => (exec(/[&"<>\u00a0]/, text) === null ? text : replaceAll(escapedText(text), "\"", "&quot;"));
  const startTag = (element) => {
    let text = `<${nameOf(element)}`;
    const table = elements.attributes(element);
    if (table !== null) mapForEach(table, (value, name) => { text += ` ${name}="${escapedValue(value)}"`; });
    return `${text}>`;
  };
  const isVoid = (element) => elements.isHTML(element) && indexOf(VOID, ` ${nameOf(element)} `) >= 0;
  const leaf = (node) => {
    switch (kind(node)) {
    case TEXT: {
      const holder = parent(node);
      const isRaw = holder !== null && kind(holder) === ELEMENT && indexOf(RAW, ` ${nameOf(holder)} `) >= 0;
      return isRaw ? dataOf(node) : escapedText(dataOf(node));
    }
    case COMMENT: return `<!--${dataOf(node)}-->`;
    case TYPE: return `<!DOCTYPE ${node.name}>`;
    default: return "";
    }
  };

  /** The markup of what is in a node; of a template, of its content. */
  const markupIn = (node) => {
    const root = page.contentOf(node) ?? node;
    let text = "", at = first(root);
    while (at !== null) {
      const inside = kind(at) === ELEMENT && !isVoid(at);
      if (kind(at) === ELEMENT) text += startTag(at);
      else text += leaf(at);
      const content = inside ? page.contentOf(at) : null;
      if (content !== null) text += markupIn(at);
      if (inside && content === null && first(at) !== null) {
        at = first(at);
        continue;
      }
      if (inside) text += `</${nameOf(at)}>`;
      while (next(at) === null && parent(at) !== root) {
        at = parent(at);
        text += `</${nameOf(at)}>`;
      }
      at = next(at);
    }
    return text;
  };
  page.markupIn = markupIn;
  page.markupOf = (element) => startTag(element) + (isVoid(element) ? "" : `${markupIn(element)}</${nameOf(element)}>`);
})

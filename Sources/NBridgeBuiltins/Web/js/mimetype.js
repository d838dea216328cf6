// SPDX-License-Identifier: MIT
// MIME types: `text/html;charset=utf-8` and what it says (MIME Sniffing standard, 4.4 and 4.5).
((host) => {
  "use strict";
  const { unitAt, slice, lower, indexIn, isToken, trimmed, trimmedStart, trimmedEnd } = host.texts;

  /** Quoted text from its first quote on: what it says, and where it ends. */
  const readQuoted = (text, at) => {
    let value = "";
    for (at++; at < text.length; at++) {
      if (text[at] === '"') return { value, end: at + 1 };
      if (text[at] === "\\" && at + 1 < text.length) at++;
      value += text[at];
    }
    return { value, end: at };
  };

  const isQuotable = (text) => {
    for (let i = 0; i < text.length; i++) {
      const unit = unitAt(text, i);
      if (unit !== 0x09 && (unit < 0x20 || unit === 0x7F || unit > 0xFF)) return false;
    }
    return true;
  };

  const endOf = (text, separator, from) => {
    const end = indexIn(text, separator, from);
    return end < 0 ? text.length : end;
  };

  /** The parameters, by their names in small letters; the first of a name counts. */
  const readParameters = (text, from) => {
    const parameters = { __proto__: null };
    for (let at = from; at < text.length;) {
      const end = endOf(text, ";", at), equals = endOf(text, "=", at);
      if (equals >= end) {
        at = end + 1;
        continue;
      }
      const name = lower(trimmedStart(slice(text, at, equals)));
      let value;
      if (text[equals + 1] === '"') {
        const quoted = readQuoted(text, equals + 1);
        value = quoted.value;
        at = endOf(text, ";", quoted.end) + 1;
      } else {
        value = trimmedEnd(slice(text, equals + 1, end));
        at = end + 1;
        if (value === "") continue;
      }
      if (isToken(name) && isQuotable(value) && !(name in parameters)) parameters[name] = value;
    }
    return parameters;
  };

  /** `{ essence, parameters }`; undefined for what is no MIME type. */
  const parse = (input) => {
    const text = trimmed(input);
    const slash = indexIn(text, "/");
    if (slash < 0) return undefined;
    const semicolon = endOf(text, ";", slash);
    const type = slice(text, 0, slash), subtype = trimmedEnd(slice(text, slash + 1, semicolon));
    if (!isToken(type) || !isToken(subtype)) return undefined;
    return { __proto__: null, essence: lower(`${type}/${subtype}`), parameters: readParameters(text, semicolon + 1) };
  };

  const quoted = (value) => {
    let text = '"';
    for (let i = 0; i < value.length; i++) text += value[i] === '"' || value[i] === "\\" ? `\\${value[i]}` : value[i];
    return `${text}"`;
  };

  const serialize = ({ essence, parameters }) => {
    let text = essence;
    for (const name in parameters) {
      const value = parameters[name];
      text += `;${name}=${isToken(value) ? value : quoted(value)}`;
    }
    return text;
  };

  /** "Extract a MIME type" of the values of Content-Type (Fetch standard, 2.2.2): the last that is one. */
  const extract = (value) => {
    if (value === null) return undefined;
    // Commas in quotes are rare, and make no type: what stands behind the last one that is none counts.
    let found, charset;
    for (let at = 0; at <= value.length;) {
      let end = at, isInQuotes = false;
      for (; end < value.length && (isInQuotes || value[end] !== ","); end++) {
        if (value[end] === '"') isInQuotes = !isInQuotes;
        else if (isInQuotes && value[end] === "\\") end++;
      }
      const type = parse(slice(value, at, end));
      at = end + 1;
      if (type === undefined || type.essence === "*/*") continue;
      if (found === undefined || type.essence !== found.essence) charset = type.parameters.charset;
      else if (type.parameters.charset === undefined && charset !== undefined) type.parameters.charset = charset;
      found = type;
    }
    return found;
  };

  return { parse, serialize, extract };
})

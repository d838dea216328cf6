// SPDX-License-Identifier: MIT
// util.parseArgs: options and positionals of a command line.
"use strict";

const { coded, check, invalidArgType, invalidArgValue } = require("node:internal/errors");

const longOf = (short, options) => Object.keys(options).find((name) => options[name].short === short) ??
  short;

const checkOptions = (options) => {
  check.object(options, "options");
  for (const [name, option] of Object.entries(options)) {
    check.object(option, `options.${name}`);
    if (option.type !== "string" && option.type !== "boolean") {
      throw coded(TypeError, "ERR_INVALID_ARG_TYPE",
        `The "options.${name}.type" property must be one of type ` +
        `string or boolean. Received ${require("node:internal/errors").described(option.type)}`);
    }
    if (option.short !== undefined) {
      check.string(option.short, `options.${name}.short`);
      if (option.short.length !== 1) throw invalidArgValue(`options.${name}.short`, option.short,
        "must be a single character");
    }
    if (option.multiple !== undefined) check.boolean(option.multiple, `options.${name}.multiple`);
    if (option.default !== undefined) checkDefault(name, option);
  }
};

const checkDefault = (name, option) => {
  const where = `options.${name}.default`;
  if (!option.multiple) return check[option.type](option.default, where);
  if (!Array.isArray(option.default)) throw invalidArgType(where, "Array", option.default);
  option.default.forEach((value, index) => check[option.type](value, `${where}[${index}]`));
};

/** The arguments one by one, each with what it is. */
const tokensOf = (args, options) => {
  const tokens = [];
  const rest = args.map((text, index) => ({ text, index }));
  const option = (name, rawName, index, value, inlineValue) =>
    tokens.push({ kind: "option", name, rawName, index, value, inlineValue });
  const takes = (name) => options[name]?.type === "string";
  const next = () => rest.length > 0 ? rest.shift().text : undefined;
  while (rest.length > 0) {
    const { text, index } = rest.shift();
    if (text === "--") {
      tokens.push({ kind: "option-terminator", index });
      for (const { text: value, index: at } of rest) tokens.push({ kind: "positional", index: at, value });
      break;
    }
    if (/^-[^-]$/.test(text)) {
      const name = longOf(text[1], options);
      const value = takes(name) ? next() : undefined;
      option(name, text, index, value, value === undefined ? undefined : false);
    } else if (/^-[^-]./.test(text)) {
      cluster(text, index, options, option, rest);
    } else if (/^--[^=]+=/s.test(text)) {
      const at = text.indexOf("=");
      option(text.slice(2, at), text.slice(0, at), index, text.slice(at + 1), true);
    } else if (/^--./s.test(text)) {
      const value = takes(text.slice(2)) ? next() : undefined;
      option(text.slice(2), text, index, value, value === undefined ? undefined : false);
    } else {
      tokens.push({ kind: "positional", index, value: text });
    }
  }
  return tokens;
};

/** `-abc`: booleans together, or an option with its value. */
const cluster = (text, index, options, option, rest) => {
  for (let at = 1; at < text.length; at++) {
    const name = longOf(text[at], options);
    if (options[name]?.type !== "string") {
      option(name, `-${text[at]}`, index, undefined, undefined);
      continue;
    }
    const value = at + 1 < text.length ? text.slice(at + 1) : rest.shift()?.text;
    option(name, `-${text[at]}`, index, value, value === undefined ? undefined : at + 1 < text.length);
    return;
  }
};

const checkToken = (token, { options, allowPositionals, allowNegative }) => {
  const { name, rawName, value } = token;
  const isNegative = allowNegative && name.startsWith("no-") && Object.hasOwn(options, name.slice(3)) &&
    !Object.hasOwn(options, name);
  const own = isNegative ? options[name.slice(3)] : Object.hasOwn(options, name) ? options[name] : undefined;
  if (own === undefined) {
    const hint = allowPositionals ? ". To specify a positional argument starting with a '-', place it at " +
      `the end of the command after '--', as in '-- ${JSON.stringify(rawName)}` : "";
    throw coded(TypeError, "ERR_PARSE_ARGS_UNKNOWN_OPTION", `Unknown option '${rawName}'${hint}`);
  }
  const shown = own.short && !isNegative ? `-${own.short}, --${name}` : `--${name}`;
  if (own.type === "string" && typeof value !== "string") {
    throw coded(TypeError, "ERR_PARSE_ARGS_INVALID_OPTION_VALUE",
      `Option '${shown} <value>' argument missing`);
  }
  if (own.type === "boolean" && value != null) {
    throw coded(TypeError, "ERR_PARSE_ARGS_INVALID_OPTION_VALUE",
      `Option '${shown}' does not take an argument`);
  }
  if (own.type === "string" && token.inlineValue === false && value.startsWith("-") && value.length > 1) {
    const use = rawName.startsWith("--") ? `'${rawName}=-XYZ'` : `'--${name}=-XYZ' or '${rawName}-XYZ'`;
    throw coded(TypeError, "ERR_PARSE_ARGS_INVALID_OPTION_VALUE",
      `Option '${rawName}' argument is ambiguous.\n` +
      `Did you forget to specify the option argument for '${rawName}'?\n` +
      `To specify an option argument starting with a dash use ${use}.`);
  }
};

const store = (values, options, name, value) => {
  if (name === "__proto__") return;
  const held = value ?? true;
  if (options[name]?.multiple) (values[name] ??= []).push(held);
  else values[name] = held;
};

const parseArgs = (config = {}) => {
  check.object(config, "config");
  const { strict = true, options = {}, tokens: wantsTokens = false, allowNegative = false } = config;
  const { allowPositionals = !strict, args = require("node:process").argv.slice(2) } = config;
  if (!Array.isArray(args)) throw invalidArgType("args", "Array", args);
  checkOptions(options);
  const tokens = tokensOf(args, options);
  const values = { __proto__: null };
  const positionals = [];
  for (const token of tokens) {
    if (token.kind === "option") {
      if (strict) checkToken(token, { options, allowPositionals, allowNegative });
      const isNegative = allowNegative && token.value === undefined && token.name.startsWith("no-") &&
        !Object.hasOwn(options, token.name);
      store(values, options, isNegative ? token.name.slice(3) : token.name, isNegative ? false : token.value);
    } else if (token.kind === "positional") {
      if (!allowPositionals) {
        throw coded(TypeError, "ERR_PARSE_ARGS_UNEXPECTED_POSITIONAL",
          `Unexpected argument '${token.value}'. This command does not take positional arguments`);
      }
      positionals.push(token.value);
    }
  }
  for (const [name, option] of Object.entries(options)) {
    if (option.default !== undefined && values[name] === undefined) values[name] = option.default;
  }
  return wantsTokens ? { values, positionals, tokens } : { values, positionals };
};

module.exports = { parseArgs };

(facade, hidden, BridgeError, program) => {
  "use strict";

  const UPGRADING = ["protocol"];
  const NAMES = ["host", "port", "unix", "cert", "key", "bodyLimit", "onError"];
  const invalid = (text, action = "serve") => new BridgeError("invalid_parameter", text, { __proto__: null, service: "http", action });

  const wanted = (value, type, name) => {
    if (value === undefined || typeof value === type) return value;
    throw invalid(`option.${name} must be a ${type}, not ${value === null ? "null" : typeof value}`);
  };

  facade.serve = async function serve(option, handler, control) {
    if (typeof option === "function") [option, handler, control] = [undefined, option, handler];
    if (typeof handler !== "function") throw invalid("serve needs a handler: a function that is given a Request and answers a Response");
    const { host, port, unix, cert, key, bodyLimit, onError } = program.option(option, NAMES);
    return program.part("httpserver").start({
      __proto__: null, host: wanted(host, "string", "host"), port: wanted(port, "number", "port"), unix: wanted(unix, "string", "unix"),
      cert: wanted(cert, "string", "cert"), key: wanted(key, "string", "key"),
      bodyLimit: wanted(bodyLimit, "number", "bodyLimit"),
    }, handler, wanted(onError, "function", "onError"), control);
  };

  facade.upgrade = function upgrade(request, option) {
    const { protocol } = program.option(option, UPGRADING);
    return program.part("httpserver").upgrade(request, wanted(protocol, "string", "protocol"), (text) => invalid(text, "upgrade"));
  };
}

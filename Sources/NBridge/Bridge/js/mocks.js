// SPDX-License-Identifier: MIT
// What a file answers instead of native code. Loaded when there is such a file. Part of `www/nbridge.js`: what it needs is handed to
// it.
(() => {
  "use strict";
  return ({ intrinsics, host, failure }) => {
    const { keys, indexOf, slice } = intrinsics;
    const noteMock = host.noteMock, markOf = host.mockMark;
    /** By "service.action". */
    const mocks = { __proto__: null };
    for (let file = 0; file < host.mocks.length; file++) {
      const names = keys(host.mocks[file]);
      for (let index = 0; index < names.length; index++) mocks[names[index]] = host.mocks[file][names[index]];
    }

    const isGenerator = (mock) => typeof mock === "function" && indexOf(mock.constructor.name, "Generator") >= 0;

    const mockAnswer = (answer, action) => {
      const error = answer?.$error;
      if (error === undefined) return answer;
      const { service, name } = action;
      throw failure(error.code ?? "unknown_error", error.message ?? "a mocked failure",
        { __proto__: null, ...error, service, action: name });
    };

    /** An answer that no native code vouches for says so, whatever the file says. */
    const marked = (answer, action) => {
      const { service, name, mark } = action;
      noteMock(service, name);
      if (answer === null || typeof answer !== "object" || typeof answer.then === "function") {
        throw failure("invalid_parameter",
          `what --mock answers for ${service}.${name} must be an object: its ${mark[0]} says that it was mocked`,
          { __proto__: null, service, action: name });
      }
      return { ...answer, [mark[0]]: mark[1] };
    };

    const mocked = async (action, option) => {
      const { mock, mark } = action;
      const answer = mockAnswer(typeof mock === "function" ? await mock(option) : mock, action);
      return mark === undefined ? answer : marked(answer, action);
    };

    /** A watch whose events a file gives. */
    async function* mockedEvents(action, option) {
      const { mock } = action;
      const events = mockAnswer(typeof mock === "function" ? await mock(option) : mock, action);
      yield* events?.$events ?? events;
    }

    const mockWatch = (action, option, callback) => {
      const events = mockedEvents(action, option);
      events.stop = () => { events.return(); };
      events.dropped = 0;
      if (callback === undefined) return events;
      return (async () => { for await (const event of events) callback(event); })();
    };

    /** The action that a file answers, as the bridge knows actions; undefined for others. */
    const find = (service, name) => {
      const mock = mocks[`${service}.${name}`];
      if (mock === undefined) return undefined;
      return { __proto__: null, native: undefined, service, name, isWatch: isGenerator(mock) || mock?.$events !== undefined,
        limit: 0, policy: "wait", mock, mark: markOf(service, name) };
    };

    /** The services that only a mock answers for. */
    const addServices = ({ nbridge, isService, place, actionOf, call, watch }) => {
      const names = keys(mocks);
      for (let index = 0; index < names.length; index++) {
        const name = names[index], dot = indexOf(name, ".");
        const service = slice(name, 0, dot), method = slice(name, dot + 1);
        if (isService[service]) continue;
        if (!(service in nbridge)) place(service, {});
        nbridge[service][method] = (option, ...rest) => {
          const found = actionOf(service, method, false);
          return found.isWatch ? watch(found, option, ...rest) : call(found, option);
        };
      }
    };

    return { __proto__: null, addServices, find, call: mocked, watch: mockWatch };
  };
})

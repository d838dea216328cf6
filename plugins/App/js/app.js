(facade, hidden, BridgeError) => {
  "use strict";

  /** An event for scripts; what answers it is told once. */
  const opened = ({ number, url, source, annotation }) => {
    let isAnswered = false;
    const answer = (handled = true) => {
      if (isAnswered) return;
      isAnswered = true;
      hidden.answerURL({ number, handled: handled !== false }).catch(() => {}); // the sender has gone
    };
    return { event: { url, source, annotation: annotation ?? null, answer }, answer };
  };

  /**
   * Each event is answered with what `handler` answers; only `false` and an error mean that it was not handled. An error
   * is printed and no more: a URL comes from outside, and none may end the app.
   */
  const handle = async (stream, handler) => {
    const run = async ({ event, answer }) => {
      try { answer(await handler(event)); } catch (error) {
        answer(false);
        console.error(error);
      }
    };
    for await (const raw of stream) run(opened(raw));
  };

  /**
   * Without a handler: a script that asks for the next event has handled this one, unless it answered
   * otherwise.
   */
  const iterate = async function* (stream) {
    for await (const raw of stream) {
      const { event, answer } = opened(raw);
      yield event;
      answer();
    }
  };

  facade.onOpenURL = function (handler, control) {
    if (handler !== undefined && typeof handler !== "function") [handler, control] = [undefined, handler];
    const stream = hidden.openedURLs(undefined, control);
    return handler === undefined ? iterate(stream) : handle(stream, handler);
  };
}

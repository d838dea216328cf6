  /**
   * Tells of URLs that this app is asked to open: those of the schemes that app.json declares. What the handler answers,
   * awaited, tells the sender whether it was handled: `false` or an error is no. Without a handler, a stream whose events
   * have `answer(handled)`; asking for the next one answers yes. An open watch keeps the program alive.
   * Permission: `app.onOpenURL`.
   */
  onOpenURL(handler: (event: NBridgeOpenedURL) => unknown, control?: NBridgeControl): Promise<void>;
  onOpenURL(handler?: undefined, control?: NBridgeControl): AsyncGenerator<NBridgeOpenedURL, void>;

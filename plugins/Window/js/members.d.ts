  /**
   * Opens another window of the app, with a page and a session of its own; answers when it is there. `page` is a path from the
   * app's folder on, as `settings.html`, and may have a query: `note.html?id=5`. It stays open when nobody has the answer any more.
   * Permission: `window.open`.
   */
  open(page: string, option?: NBridgeWindowChange, control?: NBridgeControl): Promise<NBridgeOpenedWindow>;
  open(option: NBridgeWindowChange & { page: string }, control?: NBridgeControl): Promise<NBridgeOpenedWindow>;
  /**
   * Puts an icon into the desktop's tray; answers when it is there. A program has one: it takes the place of one that was made
   * before, and goes with the page that made it. Rejects with `unavailable` where the desktop has no tray.
   * Permission: `window.tray`.
   */
  tray(option?: NBridgeTrayOptions, control?: NBridgeControl): Promise<NBridgeTray>;

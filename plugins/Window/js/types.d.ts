/** Another window of the app. What each method does, and may be called by, is told at `nbridge.window`'s own. */
interface NBridgeOpenedWindow {
  /** By which the program knows it: 1 is the first, and none has had it before. */
  readonly number: number;
  state(control?: NBridgeControl): Promise<NBridgeWindowState>;
  set(option?: NBridgeWindowChange, control?: NBridgeControl): Promise<NBridgeWindowState>;
  focus(control?: NBridgeControl): Promise<void>;
  close(control?: NBridgeControl): Promise<void>;
  /** Ends behind `closed`. */
  events(callback?: undefined, control?: NBridgeControl): NBridgeWatch<NBridgeWindowEvent>;
  events(callback: (event: NBridgeWindowEvent) => void, control?: NBridgeControl): Promise<void>;
}
/** An icon in the desktop's tray; what is not named stays as it is. */
interface NBridgeTrayOptions {
  /** A picture, by its path from the app's folder on; "" for the icon of app.json, which it has without this. */
  icon?: string;
  /** What it is called; "" for the title of its window, which it has without this. */
  tooltip?: string;
  /** Its menu, as the window's, but items may stand at the top, and none has a key; empty for none. A role is done by the window. */
  menu?: Array<NBridgeWindowMenuItem>;
}
interface NBridgeTrayEvent {
  /** It was clicked; the same with the middle button, or the right one where it has no menu; an item was chosen; it has gone. */
  type: "activated" | "secondary" | "menu" | "closed";
  /** Of the item. */
  id?: string;
}
/** The app's icon in the desktop's tray. All is permitted by `window.tray`. */
interface NBridgeTray {
  set(option: NBridgeTrayOptions, control?: NBridgeControl): Promise<void>;
  /** Takes it away; does nothing when it has gone. */
  close(control?: NBridgeControl): Promise<void>;
  /** Ends behind `closed`. What came before the first one (up to 256) is told to it. */
  events(callback?: undefined, control?: NBridgeControl): NBridgeWatch<NBridgeTrayEvent>;
  events(callback: (event: NBridgeTrayEvent) => void, control?: NBridgeControl): Promise<void>;
}

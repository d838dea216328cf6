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

/** A URL that an app is asked to open. It comes from outside: look at it before you do what it says. */
interface NBridgeOpenedURL {
  readonly url: string;
  /** Who asks, as it says itself. */
  readonly source: { id: string; name: string };
  /** What the sender put beside the URL. */
  readonly annotation: any;
  /** Tells the sender, once, whether it was handled. */
  answer(handled?: boolean): void;
}

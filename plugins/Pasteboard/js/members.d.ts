  /**
   * Puts a value on a pasteboard in place of what was there, and answers its changeCount. A string is text; bytes are
   * of `option.type`; a URL or a Blob is what it is; an object holds several forms of one item by type; an array holds
   * several items. Null when the pasteboard is not there and `create` is false.
   * Permission: `pasteboard.write`.
   */
  set(value: NBridgePasteboardValue, option?: NBridgePasteboardWriteOptions & { create?: true }, control?: NBridgeControl): Promise<number>;
  set(value: any, option: NBridgePasteboardWriteOptions, control?: NBridgeControl): Promise<number | null>;
  /** Puts items behind those that are there. Permission: `pasteboard.write`. */
  add(value: any, option?: NBridgePasteboardWriteOptions, control?: NBridgeControl): Promise<number | null>;
  /**
   * What is on a pasteboard: of the first item the plainest form, or the one of `option.type`; null when there is none.
   * Permission: `pasteboard.read`.
   */
  get(option: NBridgePasteboardReadOptions & { type: "text" | "html" | "rtf" | "url" }, control?: NBridgeControl): Promise<string | null>;
  get(option: NBridgePasteboardReadOptions & { type: "png" }, control?: NBridgeControl): Promise<Uint8Array | null>;
  get(option: NBridgePasteboardReadOptions & { type: "files" }, control?: NBridgeControl): Promise<string[] | null>;
  get(option?: NBridgePasteboardReadOptions, control?: NBridgeControl): Promise<any>;
  /** All items, each with its forms by MIME type. Permission: `pasteboard.read`. */
  items(option?: NBridgePasteboardReadOptions, control?: NBridgeControl): Promise<Record<string, any>[]>;
  /** The text; null when there is none. Permission: `pasteboard.read`. */
  string(option?: { name?: string }, control?: NBridgeControl): Promise<string | null>;
  /** The first URL; null when there is none. Permission: `pasteboard.read`. */
  url(option?: { name?: string }, control?: NBridgeControl): Promise<string | null>;
  /** The bytes of an image, of whatever type; null when there is none. Permissions: `pasteboard.look`, `pasteboard.read`. */
  image(option?: { name?: string }, control?: NBridgeControl): Promise<Uint8Array | null>;
  /**
   * A pasteboard by its name, made when it is not there; then null if `create` is false. It lives as long as this process,
   * a `persistent` one as long as the app's container. Permission: `pasteboard.write`.
   */
  open(name: string, option: { create: false; persistent?: boolean; shared?: boolean }, control?: NBridgeControl): Promise<NBridgePasteboard | null>;
  open(name: string, option?: { create?: boolean; persistent?: boolean; shared?: boolean }, control?: NBridgeControl): Promise<NBridgePasteboard>;
  /** A new pasteboard under a name that nobody has. Permission: `pasteboard.write`. */
  unique(option?: { shared?: boolean }, control?: NBridgeControl): Promise<NBridgePasteboard>;

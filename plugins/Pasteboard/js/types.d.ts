/** One form of an item: text, or bytes; for `json` any value, for `files` whole paths. */
type NBridgePasteboardForms = { [type: string]: any };
type NBridgePasteboardItem = string | ArrayBuffer | ArrayBufferView | URL | Blob | NBridgePasteboardForms;
type NBridgePasteboardValue = NBridgePasteboardItem | NBridgePasteboardItem[];

interface NBridgePasteboardReadOptions {
  /** The general pasteboard without it. */
  name?: string;
  /** A MIME type, or `text`, `url`, `files`, `html`, `rtf`, `png`, `json`. */
  type?: string;
  /** An earlier content, as `history` lists it. */
  changeCount?: number;
}

interface NBridgePasteboardWriteOptions {
  /** The general pasteboard without it. */
  name?: string;
  /** What a string or bytes are. */
  type?: string;
  /** Whether a pasteboard that is not there is made; by default true. */
  create?: boolean;
  /** Whether it lives as long as the app's container and not as this process. */
  persistent?: boolean;
  /** Whether other apps see it; by default true. */
  shared?: boolean;
  /** When the content goes. */
  expiresAt?: Date;
  /** The same in milliseconds from now. */
  expiresIn?: number;
  /** Whether the first who reads it takes it away. */
  readOnce?: boolean;
  /** Whether it never gets into the history. */
  concealed?: boolean;
}

interface NBridgePasteboard {
  readonly name: string;
  set(value: any, option?: Omit<NBridgePasteboardWriteOptions, "name">, control?: NBridgeControl): Promise<number | null>;
  add(value: any, option?: Omit<NBridgePasteboardWriteOptions, "name">, control?: NBridgeControl): Promise<number | null>;
  get(option?: Omit<NBridgePasteboardReadOptions, "name">, control?: NBridgeControl): Promise<any>;
  items(option?: Omit<NBridgePasteboardReadOptions, "name">, control?: NBridgeControl): Promise<Record<string, any>[]>;
  string(option?: {}, control?: NBridgeControl): Promise<string | null>;
  url(option?: {}, control?: NBridgeControl): Promise<string | null>;
  image(option?: {}, control?: NBridgeControl): Promise<Uint8Array | null>;
  types(control?: NBridgeControl): Promise<string[]>;
  has(type: string, control?: NBridgeControl): Promise<boolean>;
  info(control?: NBridgeControl): Promise<any>;
  changeCount(control?: NBridgeControl): Promise<number>;
  detectPatterns(patterns?: ("url" | "number" | "email")[], control?: NBridgeControl): Promise<("url" | "number" | "email")[]>;
  clear(control?: NBridgeControl): Promise<number>;
  remove(control?: NBridgeControl): Promise<boolean>;
  watch(option?: { holdsOpen?: boolean }, control?: NBridgeControl): NBridgeWatch<any>;
}

/** One of the app's folders. */
type NBridgeDirectory =
  | "documents" | "preferences" | "caches" | "applicationSupport" | "temporary" | "bundle";

interface NBridgeReadOptions {
  /** By default `documents`. */
  directory?: NBridgeDirectory;
  encoding?: string;
}

interface NBridgeWriteOptions {
  /** By default `documents`. */
  directory?: NBridgeDirectory;
  /** By default what the content is: a string is text, bytes are bytes, all else JSON. */
  format?: "text" | "bytes" | "json";
  encoding?: string;
  /** Of JSON: as for JSON.stringify; by default 2. */
  indent?: number | string;
  /** Whether it returns only when all is on the disk; by default true. */
  durable?: boolean;
  /** Whether a file that is not there is made; by default true. */
  create?: boolean;
  /** Whether one that is there is replaced; by default true, else it fails with `exists`. */
  overwrite?: boolean;
  /** What `stat` told as `identity`: fails with `conflict` when the file is another by now. */
  identity?: string;
}

interface NBridgeListOptions {
  /** By default `documents`. */
  directory?: NBridgeDirectory;
  /** Whether folders below are gone through too. */
  recursive?: boolean;
  /** `*`, `?`, `[a-z]` within a name, `**` for any folders; without a `/` it is about the last name. */
  glob?: string;
  /** By default `name`; `none` is the disk's order, which needs no memory for the whole list. */
  sort?: "name" | "modified" | "size" | "none";
  descending?: boolean;
}

/** What `list` tells of a name. */
interface NBridgeEntry {
  name: string;
  /** From the folder that was listed on. */
  path: string;
  kind: "file" | "folder" | "link" | "other";
}

/** The same with `{ facts: true }`. */
interface NBridgeEntryFacts extends NBridgeEntry {
  size: number;
  modified: Date;
  identity: string;
}

interface NBridgeFolderList<Entry> extends AsyncIterableIterator<Entry> {
  stop(): void;
  toArray(): Promise<Entry[]>;
}

/** A file that takes its place when it is closed. */
interface NBridgeFileWriter {
  write(piece: string | ArrayBuffer | ArrayBufferView): Promise<void>;
  close(): Promise<void>;
  /** Drops it: the file stays as it was. */
  abort(): Promise<void>;
  readonly writable: WritableStream;
}


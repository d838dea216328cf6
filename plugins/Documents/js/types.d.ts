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

/** A file that takes its place when it is closed. */
interface NBridgeFileWriter {
  write(piece: string | ArrayBuffer | ArrayBufferView): Promise<void>;
  close(): Promise<void>;
  /** Drops it: the file stays as it was. */
  abort(): Promise<void>;
  readonly writable: WritableStream;
}


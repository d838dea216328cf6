  /**
   * Reads a whole file.
   * @param option.format `text` (by default), `bytes`, or `json`.
   * @param option.encoding Of text; by default UTF-8, else any that the system's `iconv` knows.
   * Permission: `documents.read`.
   */
  read(path: string, option?: NBridgeReadOptions & { format?: "text" }, control?: NBridgeControl): Promise<string>;
  read(path: string, option: NBridgeReadOptions & { format: "bytes" }, control?: NBridgeControl): Promise<Uint8Array>;
  read(path: string, option: NBridgeReadOptions & { format: "json" }, control?: NBridgeControl): Promise<any>;
  /**
   * Replaces a file, or makes it: after a crash there is the old content or the new one.
   * Permission: `documents.write`.
   */
  write(path: string, content: unknown, option?: NBridgeWriteOptions, control?: NBridgeControl): Promise<void>;
  /** Writes at a file's end. Permission: `documents.write`. */
  append(path: string, content: unknown, option?: NBridgeWriteOptions, control?: NBridgeControl): Promise<void>;
  /**
   * The names in a folder: `for await (const entry of documents.list("notes"))`, or all with `toArray()`.
   * Permission: `documents.read`.
   */
  list(path?: string, option?: NBridgeListOptions & { facts?: false }, control?: NBridgeControl): NBridgeFolderList<NBridgeEntry>;
  list(path: string, option: NBridgeListOptions & { facts: true }, control?: NBridgeControl): NBridgeFolderList<NBridgeEntryFacts>;
  /** Begins a file that is written piece by piece. Permission: `documents.write`. */
  writer(path: string, option?: NBridgeWriteOptions, control?: NBridgeControl): Promise<NBridgeFileWriter>;

  /**
   * Reads a whole file.
   * @param option.format `text` (by default), `bytes`, `json`, or `propertyList` (XML or binary).
   * @param option.encoding Of text; by default UTF-8, else any that the system's `iconv` knows.
   * Permission: `documents.read`.
   */
  read(path: string, option?: NBridgeReadOptions & { format?: "text" }, control?: NBridgeControl): Promise<string>;
  read(path: string, option: NBridgeReadOptions & { format: "bytes" }, control?: NBridgeControl): Promise<Uint8Array>;
  read(path: string, option: NBridgeReadOptions & { format: "json" | "propertyList" }, control?: NBridgeControl): Promise<any>;
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
  /**
   * Opens a living document: it saves itself, knows undo, and notices when others change the file.
   * Permission: `documents.read`, to save `documents.write`.
   */
  open(path: string, option?: NBridgeOpenOptions & { format?: "text" }, control?: NBridgeControl): Promise<NBridgeDocument<string>>;
  open(path: string, option: NBridgeOpenOptions & { format: "bytes" }, control?: NBridgeControl): Promise<NBridgeDocument<Uint8Array>>;
  open(path: string, option: NBridgeOpenOptions & { format: "json" | "propertyList" }, control?: NBridgeControl): Promise<NBridgeDocument<any>>;
  open(path: string, option: NBridgeOpenOptions & { format: "package" }, control?: NBridgeControl): Promise<NBridgeDocument<Record<string, any>>>;

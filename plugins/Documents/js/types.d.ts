/** One of the app's folders. */
type NBridgeDirectory =
  | "documents" | "preferences" | "caches" | "applicationSupport" | "temporary" | "bundle" | "arguments";

interface NBridgeReadOptions {
  /** By default `documents`. */
  directory?: NBridgeDirectory;
  encoding?: string;
}

interface NBridgeWriteOptions {
  /** By default `documents`. */
  directory?: NBridgeDirectory;
  /** By default what the content is: a string is text, bytes are bytes, all else JSON. */
  format?: "text" | "bytes" | "json" | "propertyList";
  encoding?: string;
  /** Of a property list: the binary form; by default XML. */
  binary?: boolean;
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


/** What `open` takes. */
interface NBridgeOpenOptions {
  /** By default `documents`. */
  directory?: NBridgeDirectory;
  /** Of text; by default UTF-8. */
  encoding?: string;
  /** Whether a document that is not there may be opened, empty; by default true. */
  create?: boolean;
  /** What a document that is not there begins with; it is saved. */
  content?: unknown;
  /** When a change is saved by itself, in milliseconds: after so long without another one, and at the latest. By default 1,000 and 10,000; false: only at the end. */
  autosave?: false | { quiet?: number; latest?: number };
  /** How many steps of undo are kept; by default 100. */
  undoLevels?: number;
  /** Of a property list that is saved: the binary form; by default XML. */
  binary?: boolean;
  /** Of a package: the formats of members by name (`"info.json"`) or extension (`".txt"`); others are bytes. */
  members?: Record<string, "text" | "json" | "bytes">;
}

type NBridgeDocumentState = "normal" | "closed" | "editingDisabled" | "inConflict" | "savingError";

interface NBridgeDocumentChange {
  /** What happened. */
  reason: "opened" | "edited" | "saved" | "failed" | "reloaded" | "removed" | "conflict" | "resolved" | "reverted" | "closed";
  state: NBridgeDocumentState;
  hasUnsavedChanges: boolean;
  /** Why saving failed last. */
  error?: NBridgeError;
}

/** An open document, which saves itself. */
interface NBridgeDocument<Content> {
  readonly path: string;
  /** What it holds; to assign it is `set`. */
  content: Content;
  readonly state: NBridgeDocumentState;
  readonly hasUnsavedChanges: boolean;
  /** Why saving failed last. */
  readonly error: NBridgeError | undefined;
  /** Both versions while the state is `inConflict`; `theirs` is null when the file was removed, and undefined with an `error` when it can't be read. */
  readonly conflict: { mine: Content; theirs?: Content | null; error?: NBridgeError } | undefined;
  /** Changes the content. `action` names the step of undo; with `merge` it joins the step before, if that has the same name. */
  set(content: Content, option?: { action?: string; merge?: boolean }): void;
  /** Says that the content was changed in place; there is no undo for that. */
  updateChangeCount(): void;
  readonly canUndo: boolean;
  readonly canRedo: boolean;
  readonly undoAction: string | undefined;
  readonly redoAction: string | undefined;
  /** Takes the last step back; false when there is none. */
  undo(): boolean;
  redo(): boolean;
  /** All changes that `body` makes are one step of undo. */
  group<Result>(action: string, body: () => Result): Result;
  /** Saves now; nobody needs to. Permission: `documents.write`. */
  save(): Promise<void>;
  /** Saves in another place, which is the document's from then on. */
  saveAs(path: string, option?: { directory?: NBridgeDirectory; overwrite?: boolean }): Promise<void>;
  /** Reads the file again; what is unsaved is lost. */
  revert(): Promise<void>;
  /** Saves and closes; with `discard` it is not saved. */
  close(option?: { discard?: boolean }): Promise<void>;
  /** Ends a conflict; `both` keeps mine under another name and answers that. */
  resolve(decision: { keep: "mine" | "theirs" | "both" } | { content: Content }): Promise<string | undefined>;
  /** What happens to the document, the present state first. Does not keep the program alive. */
  states(): AsyncIterableIterator<NBridgeDocumentChange> & { stop(): void };
  states(callback: (change: NBridgeDocumentChange) => void): Promise<void>;
}

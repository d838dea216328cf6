/** Bytes that come. Each is taken by one reader, and none is lost when a reader stops. */
interface NBridgeProcessReader extends AsyncIterable<string> {
  /** Its lines, without their ends (LF or CR LF); text in UTF-8. */
  lines(control?: NBridgeControl): AsyncGenerator<string, void>;
  /** Its bytes, in the pieces in which they come. */
  chunks(control?: NBridgeControl): AsyncGenerator<Uint8Array, void>;
  /** All of it, up to `limit` bytes; 256 MiB by default. */
  bytes(option?: { limit?: number }, control?: NBridgeControl): Promise<Uint8Array>;
  /** All of it as text in UTF-8, up to `limit` bytes; 256 MiB by default. */
  text(option?: { limit?: number }, control?: NBridgeControl): Promise<string>;
  /** Reads no more, for good: the child hears so at its next write (SIGPIPE). Rejects with `unavailable` for stdin. */
  close(): Promise<void>;
  /** The same bytes as a stream. */
  stream(): ReadableStream;
}

/** The program's stdin. */
interface NBridgeProcessInput extends NBridgeProcessReader {
  /**
   * Has the keys of a terminal come one by one, without echo, ^C as well, or as lines again. The terminal is given back at the
   * program's end. Rejects with `unavailable` where stdin is no terminal.
   */
  setRawMode(isOn: boolean): Promise<void>;
}

interface NBridgeProcessWriter {
  /** Writes behind all that was written before; settles when it is written. Rejects with `closed` when no reader is left. */
  write(value: string | ArrayBuffer | ArrayBufferView, control?: NBridgeControl): Promise<void>;
  /** Ends a child's stdin behind what was written. Stdout and stderr of the program stay open. */
  close(): Promise<void>;
  /** The same as a stream. */
  stream(): WritableStream;
}

interface NBridgeStartOptions {
  /** The folder that it starts in, a whole path; by default this program's. */
  cwd?: string;
  /** Variables besides those that it gets: the usual ones, and those that the script may read. */
  env?: Record<string, string>;
  /** How many milliseconds it may run. */
  timeLimit?: number;
  /** How much memory it may have, in bytes. */
  memoryLimit?: number;
  /** How many milliseconds it has between SIGTERM and SIGKILL; 1000 by default. */
  grace?: number;
}

interface NBridgeRunOptions extends NBridgeStartOptions {
  /** In which form the outputs are answered. */
  as?: "text" | "bytes" | "lines";
  /** What it reads on its stdin, which is empty by default. */
  input?: string | ArrayBuffer | ArrayBufferView | AsyncIterable<string | Uint8Array>;
  /** What becomes of its outputs. */
  stdout?: "collect" | "inherit" | "discard";
  stderr?: "collect" | "inherit" | "discard";
  /** How many bytes of each output are gathered; 64 MiB by default. */
  outputLimit?: number;
}

interface NBridgeSpawnOptions extends NBridgeStartOptions {
  /** Whether it is written to, or reads the program's own; `none` by default. */
  stdin?: "pipe" | "inherit" | "none";
  /** `pipe` by default. */
  stdout?: "pipe" | "inherit" | "discard";
  /** `inherit` by default. */
  stderr?: "pipe" | "inherit" | "discard";
}

/** How a program ended. */
interface NBridgeChildEnd {
  /** Whether its status is 0. */
  readonly ok: boolean;
  /** From 0 to 255; null when a signal ended it. */
  readonly status: number | null;
  /** As `SIGKILL`; null when it ended by itself. */
  readonly signal: string | null;
}

interface NBridgeRunResult<Output> extends NBridgeChildEnd {
  /** Null unless it was gathered. */
  readonly stdout: Output;
  readonly stderr: Output;
}

interface NBridgeChildProcess {
  readonly pid: number;
  /** Null unless it is a pipe. */
  readonly stdin: NBridgeProcessWriter | null;
  readonly stdout: NBridgeProcessReader | null;
  readonly stderr: NBridgeProcessReader | null;
  /** How it ended, once it has. Keeps the program alive while it is waited for. */
  wait(control?: NBridgeControl): Promise<NBridgeChildEnd>;
  /** Sends a signal to it and to all that it started; `SIGTERM` by default. */
  kill(signal?: string): Promise<void>;
  /** Ends it: SIGTERM, and SIGKILL when its grace is over. */
  stop(): Promise<void>;
}

/** How much a record matters. */
type NBridgeLogLevel = "trace" | "debug" | "info" | "notice" | "warning" | "error" | "critical";

/** Puts something on record. Fields may be anything; what JSON does not have is told in words. */
type NBridgeLog = (message: unknown, fields?: Record<string, unknown> | Error) => void;

/** Where records go. */
interface NBridgeLogSink {
  kind: "terminal" | "file" | "viewer" | "journal" | "syslog";
  level?: NBridgeLogLevel;
  format?: "pretty" | "logfmt" | "json";
  /** A file's name in the app's folder for logs. */
  name?: string;
  /** When a file is put aside: bytes, seconds; how many are kept. */
  maximumSize?: number; maximumAge?: number; keep?: number; compress?: boolean;
  /** Milliseconds until what was written is sure to last. */
  sync?: number;
  /** When records come faster than they go. */
  overflow?: "wait" | "drop";
  /** How many bytes wait for a viewer. */
  limit?: number;
}

/** What `configure` changes. */
interface NBridgeLogSettings {
  level?: NBridgeLogLevel;
  sinks?: NBridgeLogSink[];
  /** Added to what is taken out of records already. */
  redact?: { keys?: string[]; patterns?: string[] };
  /** Holds back what comes too often: so many of each message, place or field's value in a period of milliseconds. */
  limits?: { key: string; most: number; period: number }[];
}

/** A logger that `child` made. */
interface NBridgeChildLogger {
  readonly trace: NBridgeLog; readonly debug: NBridgeLog; readonly info: NBridgeLog; readonly notice: NBridgeLog;
  readonly warning: NBridgeLog; readonly warn: NBridgeLog; readonly error: NBridgeLog; readonly critical: NBridgeLog;
  /** Whether a record of a level goes anywhere. */
  isEnabled(level: NBridgeLogLevel): boolean;
  /** A logger whose records all have some fields; `service` says whose they are. */
  child(fields: Record<string, unknown>): NBridgeChildLogger;
}

/** Each step, for who looks for one fault. */
trace: NBridgeLog;
/** What helps developers. */
debug: NBridgeLog;
/** What happens in the normal course. */
info: NBridgeLog;
/** Normal, but worth being seen. */
notice: NBridgeLog;
/** Something that may become an error. */
warning: NBridgeLog;
/** The same as `warning`. */
warn: NBridgeLog;
/** Something failed, the program goes on. */
error: NBridgeLog;
/** The program can't go on, or data is at risk. */
critical: NBridgeLog;
/** Whether a record of a level goes anywhere. */
isEnabled(level: NBridgeLogLevel): boolean;
/** A logger whose records all have some fields; `service` says whose they are. */
child(fields: Record<string, unknown>): NBridgeChildLogger;
/** Records nothing that matters less, from now on. */
setLevel(level: NBridgeLogLevel): Promise<void>;
/** Changes where records go, what is taken out of them and what is held back. */
configure(settings: NBridgeLogSettings): Promise<void>;
/** Waits until all records are where they belong, at most so many milliseconds. */
flush(option?: { timeout?: number }): Promise<void>;

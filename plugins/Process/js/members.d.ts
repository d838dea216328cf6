  /** What the program is given: bytes until their end. Permission: `process.stdin`. */
  readonly stdin: NBridgeProcessInput;
  /** What the program gives, in the order of what `console` prints. Permission: `process.stdout`. */
  readonly stdout: NBridgeProcessWriter;
  /** What the program tells people. Permission: `process.stderr`. */
  readonly stderr: NBridgeProcessWriter;
  /**
   * Runs a program, without a shell, and answers how it ended and what it wrote. A status other than 0 is an answer, no
   * error. The program and all that it started end with the call's signal or timeout.
   * Permission: `process.run:` and the program's path.
   */
  run(program: string, args: readonly string[] | undefined, option: NBridgeRunOptions & { as: "bytes" }, control?: NBridgeControl): Promise<NBridgeRunResult<Uint8Array>>;
  run(program: string, args: readonly string[] | undefined, option: NBridgeRunOptions & { as: "lines" }, control?: NBridgeControl): Promise<NBridgeRunResult<string[]>>;
  run(program: string, args?: readonly string[], option?: NBridgeRunOptions & { as?: "text" }, control?: NBridgeControl): Promise<NBridgeRunResult<string>>;
  /**
   * Starts a program, without a shell, to be read from and written to while it runs. It ends with this program at the latest.
   * Permission: `process.run:` and the program's path.
   */
  spawn(program: string, args?: readonly string[], option?: NBridgeSpawnOptions, control?: NBridgeControl): Promise<NBridgeChildProcess>;

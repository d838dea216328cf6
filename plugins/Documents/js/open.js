(facade, hidden, BridgeError, program, inner) => {
  "use strict";
  const { failure, formats, checked, LivingDocument } = inner;

  const { setPrototypeOf } = program.intrinsics;

  /**
   * The documents that are open, by number: what of them is unsaved at the end of the program is saved then. Lists that the
   * end goes through inherit nothing: whatever a script has done to its prototypes, it loses no document.
   */
  const open = { __proto__: null };

  /**
   * As long as any is open or being opened, ^C must not end a script that never comes back to be asked for what is
   * unsaved. The engine heeds it from the next turn on, so it is said before a document is there.
   */
  let guarded = 0;
  const guard = () => { if (++guarded === 1) program.guard(true); };
  const unguard = () => { if (--guarded === 0) program.guard(false); };

  /** Tells of each document, by its path, whose save can't even be begun. */
  program.atEnd(() => {
    const problems = setPrototypeOf([], null);
    for (const number in open) {
      const document = open[number];
      // Whatever becomes of it, it is not begun a second time.
      delete open[number];
      try { document.saveAtEnd(); } catch (error) {
        problems[problems.length] = `can't save '${document.path}': ${error.message}`;
      }
    }
    return problems;
  });

  let lastNumber = 0;
  facade.open = async function (path, given, control) {
    const { name, option } = checked(path, given ?? {});
    const format = formats[name](option);
    const { directory, encoding } = option;
    let opened;
    const number = ++lastNumber;
    const drop = () => {
      delete open[number];
      unguard();
    };
    guard();
    try {
      opened = await hidden.openDocument({ path, directory, encoding, shape: format.shape }, control);
      if (opened.version.identity === undefined && option.create === false) {
        throw failure("not_found", `can't open '${path}': there is no such ${name === "package" ? "folder" : "file"}`, { details: { path } });
      }
      const document = new LivingDocument(opened, path, format, option, drop);
      open[number] = document;
      return document;
    } catch (error) {
      unguard();
      if (opened !== undefined) program.ignore(opened.document.close());
      throw error;
    }
  };
}

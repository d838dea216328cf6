(facade, hidden, BridgeError, program, inner) => {
  "use strict";
  const { failure, formats, checked, LivingDocument } = inner;

  /** The documents that are open: what of them is unsaved at the end of the program is saved then. */
  const open = new Set();

  /**
   * As long as any is open or being opened, ^C must not end a script that never comes back to be asked for what is
   * unsaved. The engine heeds it from the next turn on, so it is said before a document is there.
   */
  let guarded = 0;
  const guard = () => { if (++guarded === 1) program.guard(true); };
  const unguard = () => { if (--guarded === 0) program.guard(false); };
  const drop = (document) => {
    open.delete(document);
    unguard();
  };

  /** What can't even be begun to be saved is told, each by its path. */
  program.atEnd(() => {
    const problems = [];
    for (const document of open) {
      try { document.saveAtEnd(); } catch (error) { problems.push(`can't save '${document.path}': ${error.message}`); }
    }
    return problems;
  });

  let lastNumber = 0;
  facade.open = async function (path, option, control) {
    option ??= {};
    const name = checked(path, option);
    const format = formats[name](option);
    const { directory, encoding } = option;
    const number = ++lastNumber;
    guard();
    try {
      const opened = await hidden.openDocument({ path, directory, encoding, shape: format.shape, document: number }, control);
      if (opened.version.identity === undefined && option.create === false) {
        throw failure("not_found", `can't open '${path}': there is no such ${name === "package" ? "folder" : "file"}`, { details: { path } });
      }
      const document = new LivingDocument(number, opened, path, format, option, drop);
      open.add(document);
      return document;
    } catch (error) {
      unguard();
      hidden.cancelDocument({ document: number });
      throw error;
    }
  };
}

(facade, hidden, BridgeError, program, inner) => {
  "use strict";
  const { min } = Math;

  /** Saves what is unsaved: `quiet` milliseconds after the last change, and at most `latest` after the first one. */
  class Autosave {
    #quiet;
    #latest;
    #isWanted;
    #save;
    #isSaving = false;
    #armedFor = Infinity;
    /** Since when there is something unsaved. */
    #firstChange;
    #lastChange = 0;

    /** `isWanted` tells whether there is anything to save that may be saved, `save` saves it. */
    constructor(option, isWanted, save) {
      const { quiet = 1000, latest = 10_000 } = option === false ? { quiet: Infinity, latest: Infinity } : option ?? {};
      [this.#quiet, this.#latest] = [quiet, latest];
      this.#isWanted = isWanted;
      this.#save = save;
    }

    changed(isUnsaved) {
      this.#lastChange = program.now();
      if (!isUnsaved) this.#firstChange = undefined;
      else {
        this.#firstChange ??= this.#lastChange;
        this.schedule();
      }
    }

    /**
     * A save begins, or the disk's content is taken over: only changes from now on are unsaved. Answers
     * since when there were unsaved ones.
     */
    begin() {
      const first = this.#firstChange;
      this.#firstChange = undefined;
      return first;
    }

    /** The save failed: its changes are unsaved again. */
    resume(first) { this.#firstChange ??= first; }

    /** The save is tried again after a change, or when it would have been due at the latest. */
    postpone() {
      const now = program.now();
      [this.#firstChange, this.#lastChange] = [now, now + this.#latest];
    }

    get #due() { return min(this.#lastChange + this.#quiet, (this.#firstChange ?? this.#lastChange) + this.#latest); }
    get #waits() { return !this.#isSaving && this.#isWanted(); }

    /** Sees to it that what is unsaved is saved when it is due. */
    schedule() {
      if (!this.#waits) return;
      const due = this.#due;
      if (due === Infinity || this.#armedFor <= due) return;
      this.#armedFor = due;
      program.after(due - program.now(), () => {
        if (this.#armedFor === due) this.#armedFor = Infinity;
        this.#saveWhenDue();
      });
    }

    #saveWhenDue() {
      if (!this.#waits) return;
      if (this.#due - program.now() > 0.5) return this.schedule();
      this.#isSaving = true;
      const over = () => {
        this.#isSaving = false;
        this.schedule();
      };
      this.#save().then(over, over);
    }
  }

  Object.assign(inner, { Autosave });
}

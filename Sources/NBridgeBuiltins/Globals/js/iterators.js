// SPDX-License-Identifier: MIT
// What iterators of Maps and Sets have left to give, without moving them on: scripts have no way to know that,
// so native code looks where they stand.
((host) => {
  "use strict";
  // A script may put others in their places later.
  const { Map, Set } = globalThis;
  const { look, placeIn } = host;
  const { mapEntries, setValues, nextOf, nextOfSet } = host.primordials;

  // Iterators of known state, by which native code proves that it knows how the engine keeps them.
  const map = new Map([[1, 2], [3, 4]]), set = new Set([1, 2]);
  const entries = mapEntries(map), values = setValues(set), over = map.keys();
  nextOf(entries);
  nextOfSet(values);
  for (let step = nextOf(over); !step.done; step = nextOf(over));
  host.prove(map, entries, over, set, values);

  // What an iterator gives of each entry, in the engine's numbers.
  const KEYS = 0, ENTRIES = 2;

  /** What an iterator has left, as lists of a key and a value; undefined where nobody can tell. */
  const left = (iterator, collection, isMap) => {
    const other = isMap ? mapEntries(collection) : setValues(collection);
    const next = isMap ? nextOf : nextOfSet;
    let behind = placeIn(iterator, other);
    if (behind === undefined) return undefined;
    const found = [];
    for (let step = next(other); !step.done; step = next(other)) {
      // What was deleted has kept its place.
      if (behind > 0 && placeIn(other, other) <= behind) continue;
      behind = 0;
      found.push(isMap ? step.value : [step.value, step.value]);
    }
    return found;
  };

  /**
   * What an iterator of a Map or a Set has left: its `kind` as text, and `items`, which are undefined where
   * nobody can tell; lists of a key and a value where `isPairs`. Undefined for any other value.
   */
  const restOf = (iterator) => {
    const found = look(iterator);
    if (found === undefined) return undefined;
    const { isMap, collection, part, isOver } = found;
    const isPairs = part === ENTRIES;
    const kind = `${isMap ? "Map" : "Set"} ${isPairs ? "Entries" : "Iterator"}`;
    const pairs = isOver ? [] : left(iterator, collection, isMap);
    const items = isPairs ? pairs : pairs?.map((pair) => pair[part === KEYS ? 0 : 1]);
    return { kind, isPairs, items };
  };

  return { restOf };
})

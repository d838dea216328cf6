// Which listeners a dispatch calls while they change, few and many.
const told = [];
for (const count of [3, 40]) {
  const target = new EventTarget();
  const listeners = Array.from({ length: count }, (_, index) => () => told.push(index));
  for (const [index, listener] of listeners.entries()) {
    target.addEventListener("x", listener, { once: index % 3 === 0, capture: index % 7 === 6 });
    target.addEventListener("x", listener, { capture: index % 7 === 6 });
  }
  const late = () => told.push("late");
  const changing = () => {
    told.push("changing");
    target.removeEventListener("x", listeners[1]);
    target.removeEventListener("x", next);
    target.removeEventListener("x", nextButOne);
    target.removeEventListener("x", changing);
    target.addEventListener("x", late);
    target.addEventListener("x", changing);
    target.addEventListener("x", listeners[1]);
  };
  const next = () => told.push("next"), nextButOne = () => told.push("next but one");
  for (const listener of [changing, next, nextButOne]) target.addEventListener("x", listener);
  target.addEventListener("x", () => told.push("last"));
  target.addEventListener("x", { handleEvent() { told.push("object"); } });
  target.removeEventListener("x", listeners[2], true);
  for (let round = 0; round < 3; round++) {
    target.dispatchEvent(new Event("x"));
    console.log(told.splice(0).join(" "));
  }
  const inner = () => { told.push("inner"); target.removeEventListener("y", inner); };
  target.addEventListener("y", () => {
    told.push("outer");
    if (told.length < 4) target.dispatchEvent(new Event("y"));
  }, { once: true });
  for (let index = 0; index < count; index++) target.addEventListener("y", () => told.push(index), { once: true });
  target.addEventListener("y", inner);
  target.dispatchEvent(new Event("y")); target.dispatchEvent(new Event("y"));
  console.log(told.splice(0).join(" "));
  const control = new AbortController();
  for (let index = 0; index < count; index++) {
    target.addEventListener("z", () => told.push(index), { signal: index % 2 ? control.signal : undefined });
  }
  target.addEventListener("z", (event) => { control.abort(); event.stopImmediatePropagation(); });
  target.dispatchEvent(new Event("z")); target.dispatchEvent(new Event("z"));
  console.log(told.splice(0).join(" "));
}

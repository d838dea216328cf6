// How node:util shows errors. Where they were made is each one's own.
import util from "node:util";
const show = (text) => console.log(text.replace(/\n( *)at [^\n]*(\n +at [^\n{]*)*/g, "\n$1at ..."));
class Mine extends Error {}
class MyError extends Error {}
class Own extends Error { toString() { return "own"; } }
class Typed extends TypeError {}
const make = (kind, ...given) => new kind(...given);
show(util.format("%s", make(Error, "fmt")));
show(util.format("%s", make(Mine, "m")));
show(util.format("%s", make(MyError, "m")));
show(util.format("%s", make(Own, "m")));
show(util.format("%s", make(TypeError, "t")));
show(util.format("%s", make(Error, "")));
show(util.format("%s", Object.assign(make(Error, "x"), { code: 1, deep: { a: { b: 1 } } })));
for (const kind of [Mine, MyError, Own, Typed, RangeError]) show(util.inspect(make(kind, "i")));

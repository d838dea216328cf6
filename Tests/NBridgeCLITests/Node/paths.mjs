// Every function of node:path with odd paths, in both halves.
import path, { posix, win32 } from "node:path";

const attempt = (action) => {
  try { return JSON.stringify(action()); } catch (error) { return `${error.code}: ${error.message}`; }
};
const paths = [
  "", ".", "..", "/", "//", "a", "a/b", "/a/b/c.txt", "a//b", "../x", "./x/", "/a/../..", "a.b.c", ".bashrc",
    "x.",
  "///a//b//", "C:\\a\\b", "C:", "C:a", "\\\\srv\\sh\\x", "a\\b", "c:/x/../y", undefined, 3, null,
];
for (const [name, half] of [["posix", posix], ["win32", win32]]) {
  for (const text of paths) {
    const row = ["normalize", "isAbsolute", "dirname", "basename", "extname",
      "parse"].map((one) => attempt(() => half[one](text)));
    console.log(name, JSON.stringify(text), row.join(" "));
  }
  for (const [a, b] of [["", ""], ["a", ""], ["/a/b", "../c"], ["a", "/b"], ["/", "x"], ["/a/b/c", "/a/d"],
    ["..", ".."]]) {
    console.log(name, a, b, attempt(() => half.join(a, b)),
      attempt(() => half.relative(`/z/${a}`, `/z/${b}`)),
      attempt(() => half.resolve("/r", a, b)));
  }
  console.log(half.format({ dir: "/d", name: "n", ext: "e" }), half.basename("a.html", ".html"), half.sep,
    half.delimiter);
}
console.log(path === posix, path.posix === posix, posix.win32 === win32, path.resolve("x").endsWith("/x"));

// What rename, copyFile, cp and their neighbours let stand, and what they say.
import { Buffer } from "node:buffer";
import callbacks from "node:fs";
import fs from "node:fs/promises";
const tell = async (name, promise) => {
  try { console.log(name, await promise); } catch ({ code, syscall, path, dest }) {
    console.log(name, code, syscall, path?.slice(0, 20), dest);
  }
};
const shown = async (folder) => {
  const all = [];
  for (const name of (await fs.readdir(folder)).sort()) {
    const path = `${folder}/${name}`;
    all.push((await fs.stat(path)).isDirectory() ? [name, await shown(path)]
      : `${name}: ${await fs.readFile(path, "utf8")}`);
  }
  return all;
};
const begin = async () => {
  await fs.rm("t", { recursive: true, force: true });
  await fs.mkdir("t/full/in", { recursive: true });
  await fs.mkdir("t/empty"); await fs.mkdir("t/other"); await fs.mkdir("t/from/in/deep", { recursive: true });
  for (const name of ["file", "full/f", "full/own", "full/in/own", "from/f", "from/new", "from/in/n",
    "from/in/deep/d"]) {
    await fs.writeFile(`t/${name}`, name);
  }
};
await begin();
const before = JSON.stringify(await shown("t"));

for (const [from, to] of [["empty", "full"], ["full", "from"], ["file", "full"], ["file", "empty"],
  ["empty", "file"], ["full", "file"], ["none", "file"], ["none", "full"], ["full", "full/in/x"],
  ["file", "none/x"], ["file", "file"], ["full", "full"]]) {
  await tell(`rename ${from} ${to}`, fs.rename(`t/${from}`, `t/${to}`));
}
for (const [from, to] of [["file", "full"], ["file", "empty"], ["full", "x"], ["empty", "other"],
  ["none", "file"], ["file", "none/x"]]) {
  await tell(`copyFile ${from} ${to}`, fs.copyFile(`t/${from}`, `t/${to}`));
}
// Not a folder over a file: Node 20 removes the file then.
await tell("copyFile EXCL", fs.copyFile("t/file", "t/full/f", fs.constants.COPYFILE_EXCL));
await tell("with a callback", new Promise((done, fail) => {
  callbacks.rename("t/empty", "t/full", (error) => error ? fail(error) : done());
}));
await tell("copied with a callback", new Promise((done, fail) => {
  callbacks.copyFile("t/file", "t/full", (error) => error ? fail(error) : done());
}));
const code = (error) => error.code;
console.log(await fs.readFile("t/full").catch(code));
for (const name of ["writeFile", "appendFile", "unlink", "truncate"]) {
  await tell(name, fs[name]("t/full", name === "truncate" ? 0 : ""));
}
for (const name of ["readFile", "stat", "unlink", "rmdir", "readdir"]) {
  await tell(`${name} of a file's path with a slash`, fs[name]("t/file/"));
}
console.log(await fs.writeFile("t/file/", "").catch(code));
await tell("writeFile with a slash", fs.writeFile("t/new/", ""));
await tell("rmdir full", fs.rmdir("t/full")); await tell("rmdir file", fs.rmdir("t/file"));
await tell("rm full", fs.rm("t/full").catch((error) => error.code));
await tell("rename from a file's path with a slash", fs.rename("t/file/", "t/y"));
await tell("rename to a file's path with a slash", fs.rename("t/file", "t/y/"));
for (const name of ["readFile", "writeFile", "stat", "mkdir", "unlink"]) {
  await tell(`${name} of a long name`, fs[name](`t/${"n".repeat(300)}`, name === "writeFile" ? "" : undefined));
}
console.log("all of it stays:", JSON.stringify(await shown("t")) === before);

await tell("rename over a file", fs.rename("t/file", "t/full/f"));
await tell("rename over an empty folder", fs.rename("t/full", "t/empty"));
await tell("copyFile over a file", fs.copyFile("t/from/f", "t/empty/own"));
console.log(JSON.stringify(await shown("t")));

await begin();
console.log(await fs.cp("t/from", "t/full").catch(code), await fs.cp("t/none", "t/x").catch(code));
console.log(await fs.cp("t/from", "t/file", { recursive: true }).catch(code),
  await fs.cp("t/file", "t/full").catch(code),
  await fs.cp("t/full", "t/full", { recursive: true }).catch(code),
  await fs.cp("t/full", "t/full/in/x", { recursive: true }).catch(code),
  await fs.cp("t/full", "t/full/in", { recursive: true }).catch(code));
console.log(JSON.stringify(await shown("t")) === before);
await fs.cp("t/from", "t/full", { recursive: true, force: false });
console.log(JSON.stringify(await shown("t/full")));
console.log(await fs.cp("t/from", "t/full", { recursive: true, force: false, errorOnExist: true }).catch(code),
  await fs.cp("t/from/f", "t/full/f", { force: false, errorOnExist: true }).catch(code));
await fs.cp("t/from", "t/full", { recursive: true });
await fs.cp("t/from", "t/made/anew", { recursive: true });
await fs.cp("t/from", "t/some", { recursive: true, filter: async (from) => !from.endsWith("deep") });
await fs.cp("t/file", "t/made/file");
console.log(JSON.stringify(await shown("t")));

console.log(await fs.mkdir("t/m/n/o", { recursive: true }), await fs.mkdir("t/m/n/o", { recursive: true }),
  await fs.mkdir("t/m/p", { recursive: true }), await fs.mkdir("t/q"));
await tell("mkdir", fs.mkdir("t/file", { recursive: true }));
await tell("mkdir", fs.mkdir("t/q")); await tell("mkdir", fs.mkdir("t/none/q"));

const read = (name) => fs.readFile(`t/${name}`, "utf8");
await fs.writeFile("t/i", (function* () { yield "a"; yield Buffer.from("b"); })());
await fs.appendFile("t/i", ["c", "d"]);
await fs.writeFile("t/j", (async function* () { yield "e"; yield new Uint8Array([102]); })());
await fs.writeFile("t/k", "0123"); await fs.writeFile("t/k", "ab", { flag: "r+" });
console.log(await read("i"), await read("j"), await read("k"));
for (const data of [{}, 5, null, undefined]) console.log(await fs.writeFile("t/j", data).catch(code));
console.log(await fs.writeFile("t/l", [5]).catch(code), await read("j"));
await fs.writeFile("t/k", ["cd", Buffer.from("e")], { flag: "r+" });
await fs.writeFile("t/made-empty", [], { flag: "a" });
console.log(await read("k"), JSON.stringify(await read("made-empty")),
  await fs.writeFile("t/none-such", [], { flag: "r+" }).catch(code));
await fs.mkdir("t/deep/in", { recursive: true }); await fs.writeFile("t/deep/in/f", "");
console.log(await fs.rmdir("t/deep", { recursive: true }), await fs.stat("t/deep").catch(code),
  await fs.rmdir("t/k", { recursive: true }).catch(code), await read("k"));

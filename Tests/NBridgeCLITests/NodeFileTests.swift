// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// `node:fs` where links, slashes and slips lead: what Node 20 does, and nothing is lost.
@Suite struct NodeFileTests {
  /// Runs lines with `fs` and `say`, which prints a promise's value or the code of its error, in a container
  /// that a shell has prepared.
  private func run(_ prepare: String, _ lines: String, then show: String = "true") throws -> String {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([
      "s.mjs": """
      import fs from "node:fs/promises";
      import * as callbacks from "node:fs";
      const say = (promise) => promise.then((value) => console.log(value ?? "ok"),
        (error) => console.log(error.code));
      const text = (path) => fs.readFile(path, "utf8");
      \(lines)
      """
    ])
    let result = try runner.shell(
      """
      mkdir -p c/Documents && cd c/Documents && \(prepare) && cd ../..
      nbridge run --container c s.mjs; cd c/Documents; \(show)
      """)
    #expect(result.errors == "")
    return result.output
  }

  @Test func aCopyOfALinkIsACopyOfWhatItLeadsTo() throws {
    let output = try run(
      "echo G > g; ln -s g lg; echo F > f; ln -s f lf; ln -s nothing dangling; ln -s loop loop; mkdir d; "
        + "ln -s d ld",
      """
      await say(fs.copyFile("lg", "h")); await fs.unlink("g"); await say(text("h"));
      await say(fs.copyFile("lf", "f")); await say(text("f"));
      for (const name of ["dangling", "loop", "ld"]) {
        await say(fs.copyFile(name, "f"));
        await say(text("f"));
      }
      await say(fs.cp("lf", "f")); await say(text("f")); await say(fs.cp("ld", "d2")); await fs.rm("d2");
      """)
    #expect(
      output.split(separator: "\n").map(String.init)
        == [
          "ok", "G", "ok", "F", "ENOENT", "F", "ELOOP", "F", "EISDIR", "F", "EEXIST", "F", "ok",
        ], "\(output)")
  }

  /// As open(2): through a link, also one whose file is yet to come, but not out of the app's folder.
  @Test func aWriteOntoALinkChangesWhatItLeadsTo() throws {
    let output = try run(
      "echo F > f; ln -s f lf; ln -s later dangling; ln -s loop loop; mkdir d; ln -s ../d/in d/lin; "
        + "ln -s d ld; ln -s ../../out lout; echo O > ../../out; ln -s '\u{301}abc' odd; ln -s . self",
      """
      await say(fs.writeFile("lf", "1")); await say(text("f"));
      await say(fs.writeFile("dangling", ["2"])); await say(text("later"));
      await say(fs.writeFile("d/lin", "3")); await say(text("d/in"));
      for (const name of ["loop", "ld", "lout"]) await say(fs.writeFile(name, "4"));
      await say(fs.writeFile("lf", "5", { flag: "wx" })); await say(text("f"));
      await fs.writeFile("abc", "other"); await say(fs.writeFile("odd", "6")); await say(text("abc"));
      await say(text("\u{301}abc")); await say(fs.writeFile("self", "7"));
      await say(fs.readFile("lf", { flag: "w+", encoding: "utf8" }));
      for (const name of ["abc", "odd", "\u{301}abc"]) await fs.unlink(name);
      """, then: "rm self; readlink lf dangling d/lin; cat ../../out; ls")
    #expect(
      output.split(separator: "\n").map(String.init) == [
        "ok", "1", "ok", "2", "ok", "3", "ELOOP", "EISDIR", "EACCES", "EEXIST", "1", "ok", "other", "6",
        "EISDIR", "f", "later", "../d/in",
        "O", "d", "dangling", "f", "later", "ld", "lf", "loop", "lout",
      ], "\(output)")
  }

  /// What is made has the permissions that are asked for; what is there keeps its own.
  @Test func whatIsMadeHasTheModeThatIsAskedFor() throws {
    let output = try run(
      "umask 027; echo O > old; chmod 600 old",
      """
      await fs.writeFile("a", "x", { mode: 0o755 }); await fs.writeFile("b", ["x"], { mode: "666" });
      await fs.appendFile("c", "x", { mode: 0o777 }); await fs.writeFile("d", "x");
      await fs.writeFile("old", "x", { mode: 0o777 });
      await fs.writeFile("e", [], { flag: "a", mode: 0o4711 });
      await fs.mkdir("f", 0o755); await fs.mkdir("g/h", { recursive: true, mode: "0711" });
      for (const mode of ["9", 1.5, -1, {}]) await say(fs.writeFile("none", "", { mode }));
      await say(fs.mkdir("none", "x"));
      """, then: "stat -c '%n %a' a b c d e f g g/h old; ls none 2>&1 | grep -c cannot")
    #expect(
      output.split(separator: "\n").map(String.init) == [
        "ERR_INVALID_ARG_VALUE", "ERR_OUT_OF_RANGE", "ERR_OUT_OF_RANGE", "ERR_INVALID_ARG_TYPE",
        "ERR_INVALID_ARG_VALUE", "a 750", "b 640", "c 750", "d 600", "e 710", "f 750", "g 710", "g/h 710",
        "old 600", "1",
      ], "\(output)")
  }

  /// A removal written by hand goes by what `lstat` tells.
  @Test func aLinkIsToldAsItself() throws {
    let output = try run(
      "mkdir keep job; echo P > keep/precious; ln -s ../keep job/shared; ln -s nothing job/dangling; "
        + "echo F > job/f; ln -s f job/lf",
      """
      const kinds = ["isFile", "isDirectory", "isSymbolicLink"];
      const told = (stats) => kinds.filter((name) => stats[name]()).join();
      for (const name of ["shared", "dangling", "f", "lf", "shared/", "shared/precious", "none"]) {
        await say(fs.lstat(`job/${name}`).then(told)); await say(fs.stat(`job/${name}`).then(told));
      }
      const remove = async (path) => {
        if (!(await fs.lstat(path)).isDirectory()) return fs.unlink(path);
        for (const name of await fs.readdir(path)) await remove(`${path}/${name}`);
        await fs.rmdir(path);
      };
      await say(fs.rmdir("job/shared", { recursive: true }));
      await say(remove("job"));
      """, then: "ls; cat keep/precious")
    #expect(
      output.split(separator: "\n").map(String.init) == [
        "isSymbolicLink", "isDirectory", "isSymbolicLink", "ENOENT", "isFile", "isFile", "isSymbolicLink",
        "isFile", "isDirectory", "isDirectory", "isFile", "isFile", "ENOENT", "ENOENT", "ENOTDIR", "ok",
        "keep", "P",
      ], "\(output)")
  }

  @Test func aCopyOverALinkTakesItsPlace() throws {
    let output = try run(
      "echo A > a; ln -s a la; echo B > b; mkdir d; ln -s d ld; ln -s none dangling; mkdir from to; "
        + "echo N > from/x; ln -s ../a to/x; ln -s b lb; ln -s a lc",
      """
      for (const name of ["la", "ld", "dangling"]) await say(fs.cp("b", name));
      await say(fs.cp("from", "to", { recursive: true })); await say(fs.cp("lb", "lc"));
      await say(fs.cp("b", "lb", { force: false }));
      """, then: "cat a la ld dangling to/x; readlink la ld dangling to/x; readlink lb lc; ls d")
    #expect(output == "ok\nok\nok\nok\nok\nok\nA\nB\nB\nB\nN\nb\nb\n", "\(output)")
  }

  @Test func aSlashBehindALinkIsNoWayToTheLink() throws {
    let output = try run(
      "mkdir d; ln -s d ld; echo H > h2",
      """
      await say(fs.rename("ld/", "h2")); await say(text("h2"));
      await say(fs.unlink("ld/")); await say(fs.mkdir("ld", { recursive: true }).then(() => "there"));
      """, then: "readlink ld")
    #expect(output == "ENOTDIR\nH\n\nENOTDIR\nthere\nd\n", "\(output)")
  }

  @Test func aFolderThatIsCopiedIntoItselfByALinkComesToAnEnd() throws {
    let output = try run(
      "mkdir d; echo A > d/a; ln -s d ld",
      """
      let asked = 0;
      await fs.cp("ld/.", "d/n", { recursive: true, filter: () => ++asked < 500 });
      console.log(asked, (await fs.readdir("d/n")).join(), await text("d/n/a"));
      """)
    #expect(output == "2 a A\n\n", "\(output)")
  }

  /// A slash or a dot at the end: rename(2), rmdir(2), mkdir(2) and unlink(2) have rules for them.
  @Test(arguments: [
    ("fs.rename('ld', 'n/')", "ENOTDIR"), ("fs.rename('ld', 'n')", "ok"), ("fs.rename('d', 'n/')", "ok"),
    ("fs.rename('d/', 'e/')", "ok"), ("fs.rename('d/.', 'n')", "EBUSY"), ("fs.rename('.', 'n')", "EBUSY"),
    ("fs.rename('d', 'e/.')", "EBUSY"), ("fs.rename('f', 'n/')", "ENOTDIR"),
    ("fs.rename('f/.', 'n')", "ENOTDIR"), ("fs.rename('none/', 'n')", "ENOENT"),
    ("fs.rename('d', 'd/y/')", "EINVAL"), ("fs.rename('f', 'f')", "ok"),
    ("fs.rmdir('e/')", "ok"), ("fs.rmdir('e/.')", "EINVAL"), ("fs.rmdir('.')", "EINVAL"),
    ("fs.rmdir('..')", "ENOTEMPTY"), ("fs.rmdir('ld/')", "ENOTDIR"), ("fs.rmdir('f/.')", "ENOTDIR"),
    ("fs.rmdir('d/.', { recursive: true })", "EINVAL"),
    ("fs.mkdir('n/')", "ok"), ("fs.mkdir('n/.')", "ENOENT"), ("fs.mkdir('d/.')", "EEXIST"),
    ("fs.mkdir('f/')", "EEXIST"), ("fs.mkdir('.')", "EEXIST"), ("fs.mkdir('ln')", "EEXIST"),
    ("fs.mkdir('n/m/.', { recursive: true })", "n"), ("fs.mkdir('d/.', { recursive: true })", "ok"),
    ("fs.mkdir('lf/', { recursive: true })", "ENOTDIR"), ("fs.mkdir('ln', { recursive: true })", "ENOENT"),
    ("fs.rm('d/')", "ERR_FS_EISDIR"), ("fs.rm('ld/')", "ERR_FS_EISDIR"), ("fs.rm('f/')", "ENOTDIR"),
    ("fs.rm('d/', { recursive: true })", "ok"), ("fs.rm('d/.', { recursive: true })", "EINVAL"),
    ("fs.rm('.', { recursive: true, force: true })", "EINVAL"), ("fs.rm('n/', { force: true })", "ok"),
    ("fs.unlink('ld/')", "ENOTDIR"), ("fs.unlink('d/.')", "EISDIR"), ("fs.unlink('ln/')", "ENOTDIR"),
    ("fs.writeFile('n/', '')", "EISDIR"), ("fs.writeFile('n/m/', '')", "ENOENT"),
    ("fs.appendFile('f/.', '')", "ENOTDIR"), ("fs.copyFile('f', 'n/.')", "ENOENT"),
    ("fs.copyFile('f/', 'n')", "ENOTDIR"), ("fs.copyFile('f', 'd/.')", "EISDIR"),
  ])
  func endsOfPathsMeanWhatTheyMeanToTheSystem(_ call: String, _ answer: String) throws {
    let output = try run(
      "mkdir d e; echo X > d/x; echo F > f; ln -s f lf; ln -s e ld; ln -s none ln",
      "await say(\(call)); console.log((await fs.readdir('.')).includes('ln'));")
    #expect(output == "\(answer)\ntrue\n")
  }

  /// What a removal of a link with a slash behind it leaves is there in Node, too.
  @Test func aFolderBehindALinkStays() throws {
    let output = try run(
      "mkdir e; echo X > e/x; ln -s e ld",
      "await say(fs.rm('ld/', { recursive: true })); await say(fs.rmdir('ld/', { recursive: true }));",
      then: "cat ld/x")
    #expect(output == "ok\nok\nX\n")
  }

  @Test func aCopyFollowsLinksWhenAsked() throws {
    let output = try run(
      """
      mkdir -p src/in other; echo A > a; echo I > src/in/i; ln -s ../a src/la; ln -s in src/lin; \
      ln -s ../other src/lother; echo O > other/o; ln -s src lsrc; ln -s a la; ln -s none ln; \
      mkdir loop dang; ln -s . loop/me; ln -s none dang/ln; chmod 750 src/in; mkdir full; ln -s ../a full/la
      """,
      """
      const all = { dereference: true, recursive: true };
      await say(fs.cp('lsrc', 'out', all)); await say(fs.cp('la', 'one', { dereference: true }));
      await say(fs.cp('src', 'full', all));
      for (const [from, to] of [['ln', 'x'], ['loop', 'x'], ['dang', 'y'], ['la', 'a'], ['lsrc', 'src/n'],
        ['src', 'la']]) await say(fs.cp(from, to, all));
      await say(fs.cp('lsrc', 'z', { dereference: true })); await say(fs.cp('la', 'z', { dereference: 1 }));
      await say(new Promise((done, fail) => callbacks.cp('la', 'called', all, (e) => e ? fail(e) : done())));
      """,
      then: """
        find out one full called -type l; cat out/la out/lin/i out/lother/o one full/la called a; \
        stat -c %a out/in out/lin; ls src
        """)
    #expect(
      output.split(separator: "\n").map(String.init) == [
        "ok", "ok", "ok", "ENOENT", "ELOOP", "ENOENT", "ERR_FS_CP_EINVAL", "ERR_FS_CP_EINVAL",
        "ERR_FS_CP_DIR_TO_NON_DIR", "ERR_FS_EISDIR", "ERR_INVALID_ARG_TYPE", "ok", "A", "I", "O", "A", "A",
        "A", "A", "750", "750", "in", "la", "lin", "lother",
      ], "\(output)")
  }

  @Test func aSlipInAnOptionRemovesNothing() throws {
    let output = try run(
      "mkdir d; echo A > d/a",
      """
      await say(fs.rm("d", { recursive: "false" })); await say(fs.rm("d", 5));
      await say(fs.cp("d", "e", { recursive: "yes" })); await say(fs.copyFile("d/a", "b", 99));
      Object.prototype.recursive = true; Object.prototype.force = true;
      await say(fs.rm("d")); await say(fs.rm("nothing")); await say(text("d/a"));
      """)
    #expect(
      output == """
        ERR_INVALID_ARG_TYPE
        ERR_INVALID_ARG_TYPE
        ERR_INVALID_ARG_TYPE
        ERR_OUT_OF_RANGE
        ERR_FS_EISDIR
        ENOENT
        A


        """, "\(output)")
  }
}

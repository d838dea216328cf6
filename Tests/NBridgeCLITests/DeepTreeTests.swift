// SPDX-License-Identifier: MIT

import Foundation
import Testing

/// Trees that are deeper than paths can tell and than a process has descriptors.
@Suite struct DeepTreeTests {
  static let maker = """
    const d = nbridge.documents, levels = "a/".repeat(1500).slice(0, -1);
    const tell = (name, action) => action.then((value) => console.log(name, JSON.stringify(value)),
      (error) => console.log(name, error.code, error.message));
    await d.makeDirectory(levels); await d.write(levels + "/f", "12345");
    await d.makeDirectory("n" + levels.slice(1)); await d.move("a", "n/" + "a/".repeat(1490) + "z");
    await d.move("n", "a");

    """

  @Test func cachesOfAnyDepthAreClearedWithFewDescriptors() throws {
    let result = try run(
      """
      await d.move("a", "a", { toDirectory: "caches" }); await d.write("b", "1", { directory: "caches" });
      await tell("cleared", nbridge.app.clearCache());
      await tell("left", d.list("", { directory: "caches" }).toArray().then((all) => all.length));
      """, "ulimit -n 256; nbridge run --container c s.js")
    #expect(result.output == "cleared {\"files\":2,\"bytes\":6}\nleft 0\n", "\(result)")
  }

  @Test func aFolderOfAnyDepthIsWatched() throws {
    let result = try run(
      """
      const changes = d.watch("", { recursive: true }), next = changes.next(), deep = "a/".repeat(1400) + "x";
      await d.stat("a"); await d.write(deep, "1");
      await tell("told", next.then((event) => event.value.path === deep));
      exit(0);
      """, "ulimit -n 256; nbridge run --container c s.js")
    #expect(result.output == "told true\n", "\(result)")
  }

  func run(_ script: String, _ line: String) throws -> CommandRunner.Result {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write(["s.js": Self.maker + script])
    return try runner.shell(line)
  }

  @Test func aTreeOfAnyDepthIsCountedListedCopiedAndRemovedWithFewDescriptors() throws {
    let result = try run(
      """
      await tell("usage", d.usage("").then((usage) => [usage.bytes, usage.files, usage.folders > 2900,
        usage.byFolder.a]));
      await tell("list", d.list("", { recursive: true }).toArray().then((all) => all.length > 2900));
      await tell("copy", d.copy("a", "b"));
      await tell("copied", d.usage("").then((usage) => [usage.bytes, usage.files, usage.byFolder.b]));
      await tell("permanently", d.remove("b", { permanently: true }));
      await tell("remove", d.remove("a").then((id) => typeof id));
      await tell("emptyTrash", d.emptyTrash());
      await tell("left", d.list("", { recursive: true }).toArray().then((all) => all.length));
      """, "ulimit -n 256; nbridge run --container c s.js; ls -A c/.trash c/Documents")
    #expect(
      result.output
        == """
        usage [5,1,true,5]
        list true
        copy undefined
        copied [10,2,5]
        permanently null
        remove "string"
        emptyTrash 1
        left 0
        c/.trash:

        c/Documents:

        """,
      "\(result)")
  }
}

/// One thing that can't be removed, in a trash with others.
@Suite struct TrashFaultTests {
  @Test func whatCannotGoStaysListedAndKeepsNothingElse() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([
      "fill.js": """
      const d = nbridge.documents; for (const name of ["first", "kept",
        "last"]) { await d.makeDirectory(name); await d.write(name + "/f", name); await d.remove(name) }
      """,
      "empty.js": """
      const d = nbridge.documents;
      await d.emptyTrash().then((count) => console.log(count), (error) => console.log(error.code));
      console.log((await d.trash()).map((item) => item.path).join());
      """,
    ])
    let result = try runner.shell(
      """
      nbridge run --container c fill.js
      unshare -rm sh -c 'for thing in c/.trash/*; do grep -q kept $thing/thing/f && \
      mount -t tmpfs none $thing/thing; done; ls c/.trash | wc -l; "$NBRIDGE" run --container c empty.js'
      nbridge run --container c empty.js
      """)
    if result.errors.contains("unshare:") || result.errors.contains("mount:") {
      print("SKIPPED: a test of TrashFaultTests: this user can't mount anything")
      return
    }
    #expect(result.output == "3\nio_error\nkept\n1\n\n", "\(result)")
  }

  @Test func onAFullDiskARemovalSaysSoAndTheFileStays() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([
      "s.js": """
      const d = nbridge.documents; const used = nbridge.args[0] === "used";
      await d.write("keep", "x"); if (used) { await d.write("k2", "x"); await d.remove("k2") }
      try { for (;;) await d.append("fill", "x".repeat(4096)) } catch {}
      const tell = (error) => console.log(error.code, error.details?.path, error.message.includes("'keep'"),
        error.message.includes("permanently"));
      await d.remove("keep").catch(tell); await d.write("keep", "y".repeat(9999)).catch(tell);
      console.log(await d.read("keep"), (await d.trash()).map((item) => item.path).join());
      """
    ])
    let result = try runner.shell(
      """
      mkdir disk; unshare -rm sh -c 'for way in used new; do mount -t tmpfs -o size=1m,mode=700 none disk; \
      "$NBRIDGE" run --container disk/c s.js $way; umount disk; done'
      """)
    if result.errors.contains("unshare:") || result.errors.contains("mount:") {
      print("SKIPPED: a test of TrashFaultTests: this user can't mount anything")
      return
    }
    let told = "quota_exceeded keep true true\nquota_exceeded keep true false\n"
    #expect(result.output == "\(told)x k2\n\(told)x \n", "\(result)")
  }
}

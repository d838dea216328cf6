// SPDX-License-Identifier: MIT

import BothWays
import DocumentsPlugin
import Foundation
import NBridge
import NBridgeTesting
import Testing

/// Files that the global `fetch` reads: what opens a path to this plugin's actions opens its URL, nothing
/// else does.
@Suite(.bothWays) struct FetchedFileTests {
  private static let head = """
    const told = async (body) => {
      try { console.log(await body()) } catch (e) { console.log(e.name, e.message, e.cause?.code) }
    };
    const text = (url, init) => told(async () => (await fetch(url, init)).text());

    """

  @Test func aFileOfTheAppsOwnComesWithItsTypeAndSize() async {
    await DocumentsFixture.with { fixture in
      let result = await fixture.run(
        Self.head + """
          const home = "file://\(fixture.container)/Documents";
          await d.write("a page.html", "<b>"); await d.write("x", "y"); await d.makeDirectory("sub");
          await d.write("sub/.json", "{}");
          for (const name of ["a%20page.html?q#f", "x", "sub/.json"]) {
            const answer = await fetch(`${home}/${name}`);
            console.log(answer.status, answer.url === `${home}/${name}`.replace("#f", ""),
              answer.headers.get("content-type"), answer.headers.get("content-length"), await answer.text());
          }
          """)
      #expect(
        result.output == """
          200 true text/html 3 <b>
          200 true application/octet-stream 1 y
          200 true application/octet-stream 2 {}
          """ + "\n", "\(result.errors)\(result.output)")
    }
  }

  @Test func aBodyIsAStreamThatMayBeLeft() async {
    await DocumentsFixture.with { fixture in
      let result = await fixture.run(
        """
        const url = "file://\(fixture.container)/Documents/large", size = 900000;
        await d.write("large", new Uint8Array(size).fill(7));
        let pieces = 0, sum = 0;
        for await (const piece of (await fetch(url)).body) { pieces++; sum += piece.length; }
        console.log(pieces > 1, sum === size);
        for await (const piece of (await fetch(url)).body) { console.log(piece[0]); break; }
        const stop = new AbortController(), answer = await fetch(url, { signal: stop.signal });
        stop.abort(); await t(() => answer.text());
        await t(() => fetch(url, { signal: AbortSignal.abort() }));
        """)
      #expect(
        result.output.hasPrefix("true true\n7\n"), "\(result.errors)\(result.output)")
      #expect(result.output.components(separatedBy: "abort").count >= 3, "\(result.output)")
    }
  }

  @Test func aFileOutsideNeedsThePermissionThatTheErrorNames() async {
    await DocumentsFixture.with { fixture in
      let outside = URL(fileURLWithPath: TemporaryFolder.make()).resolvingSymlinksInPath().path
      defer { TemporaryFolder.remove(outside) }
      fixture.shell(
        "printf own > '\(outside)/own'; ln -s /etc/hostname '\(outside)/link'; mkfifo '\(outside)/pipe'")
      let script =
        Self.head + """
          for (const name of ["own", "link", "pipe", "none"]) await text("file://\(outside)/" + name);
          """
      let denied = await fixture.run(script)
      #expect(
        denied.output.hasPrefix(
          """
          TypeError fetch failed: 'fetch' of '\(outside)/own' is not permitted; to allow it, add \
          "documents.import:\(outside)" to "permissions" in app.json (or to --permissions) permission_denied
          """), "\(denied.errors)\(denied.output)")
      let allowed = await fixture.run(script, permissions: ["documents.*", "documents.import:\(outside)"])
      #expect(
        allowed.output == """
          own
          TypeError fetch failed: 'fetch' of '/etc/hostname' is not permitted; to allow it, add \
          "documents.import:/etc" to "permissions" in app.json (or to --permissions) permission_denied
          TypeError fetch failed: can't fetch '\(outside)/pipe': it is a pipe or a device, not a file io_error
          TypeError fetch failed: can't fetch '\(outside)/none': there is no such file or folder not_found

          """, "\(allowed.errors)")
    }
  }

  @Test func whatIsNoFileIsSaidWithItsPath() async {
    await DocumentsFixture.with { fixture in
      let home = fixture.documents
      let result = await fixture.run(
        Self.head + """
          await d.write("x", "y"); const home = "file://\(home)/";
          await text(home + "none"); await text(home); await text(home + "a%2Fb");
          await text("file://host/x");
          await text(home + "x", { method: "POST", body: "z" }); await text(home + "x%00");
          """)
      #expect(
        result.output == """
          TypeError fetch failed: can't fetch '\(home)/none': there is no such file or folder not_found
          TypeError fetch failed: can't fetch '\(home)/': it is a folder io_error
          TypeError fetch failed: the path '\(home)/a%2Fb' has %2F in it, but no file's name has a '/' \
          invalid_parameter
          TypeError fetch failed: a file: URL must not name a host: a file is one of this machine undefined
          TypeError fetch failed: a file is only read: the method must be GET, and is POST undefined
          TypeError fetch failed: the path '\(home)/x%00' is none that a file can have invalid_parameter

          """, "\(result.errors)")
    }
  }

  /// The answer has said how long it is.
  @Test func aFileThatChangesMeanwhileIsNotTakenForWhole() async {
    await DocumentsFixture.with { fixture in
      let result = await fixture.run(
        Self.head + """
          const url = "file://\(fixture.container)/Documents/x";
          const begun = async () => {
            await d.write("x", "x".repeat(3e6));
            const answer = await fetch(url), reader = answer.body.getReader();
            let count = (await reader.read()).value.length;
            return async () => {
              for (let piece; !(piece = await reader.read()).done;) count += piece.value.length;
              return count === Number(answer.headers.get("content-length"));
            };
          };
          let rest = await begun();
          await d.append("x", "y".repeat(3e6));
          await told(rest);
          rest = await begun();
          await d.truncate("x", 1000);
          await told(async () => { try { await rest(); } catch (e) { return e.message; } });
          """)
      let lines = result.output.split(separator: "\n")
      #expect(lines.first == "true" && lines.count == 2, "\(result.errors)\(result.output)")
      #expect(lines.last?.contains("became shorter while it was read") == true, "\(result.output)")
    }
  }

  @Test func withoutThePermissionToReadNothingIsFetched() async {
    await DocumentsFixture.with { fixture in
      fixture.shell("mkdir -p Documents; printf y > Documents/x")
      let result = await fixture.run(
        Self.head + "await text('file://\(fixture.documents)/x')", permissions: ["documents.write"])
      #expect(result.output.contains("\"documents.read\""), "\(result.errors)\(result.output)")
      #expect(result.output.hasSuffix("permission_denied\n"), "\(result.output)")
    }
  }

  @Test func aFileOfTheCommandLineIsFetchedByItsPath() async throws {
    let folder = TemporaryFolder.make()
    defer { TemporaryFolder.remove(folder) }
    try Data("given".utf8).write(to: URL(fileURLWithPath: folder + "/data.txt"))
    var harness = ScriptHarness(plugins: [DocumentsPlugin()])
    harness.container = folder + "/container"
    harness.options.arguments = [folder + "/./data.txt"]
    let result = await harness.run(
      """
      const answer = await fetch("file://\(folder)/data.txt");
      console.log(answer.headers.get("content-type"), await answer.text());
      """)
    #expect(result.output == "text/plain given\n", "\(result.errors)")
  }
}

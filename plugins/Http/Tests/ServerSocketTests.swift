// SPDX-License-Identifier: MIT

import Foundation
import NBridgeSystem
import NBridgeTesting
import Testing

/// Servers at a path, beside other programs that want the same one.
@Suite struct ServerSocketTests {
  /// Runs `script` beside a program in Python that knows both folders and when the script is at `go`.
  private func run(_ script: (_ folder: String) -> String, beside program: String) async throws -> (
    ScriptHarness.Result, told: String
  ) {
    let folder = TemporaryFolder.make()
    defer { TemporaryFolder.remove(folder) }
    let head = """
      import fcntl, os, socket, time
      folder = "\(folder)/own/"; go = "\(folder)/go"
      def number(): return os.lstat(folder + "s").st_ino
      def wait(there):
        while os.path.exists(go) != there: time.sleep(0.02)
      def bound():
        s = socket.socket(socket.AF_UNIX); s.bind(folder + "s"); return s
      os.mkdir(folder)

      """
    let ready = "open('\(folder)/ready', 'w').close()\n"
    let child = try ChildProcess.start(
      "python3", ["-c", head + program.replacing("READY\n", with: ready)],
      streams: [1: .file(folder + "/out")])
    let wait = "while [ ! -e \(folder)/ready ]; do sleep 0.02; done"
    #expect(try ChildProcess.start("sh", ["-c", wait]).wait() == 0)
    let result = await ServerTests.run(script(folder))
    #expect(child.wait() == 0)
    return (result, try String(contentsOfFile: folder + "/out", encoding: .utf8))
  }

  /// A socket that is bound, and listens a moment later, looks as if it were left behind: until its program
  /// lets go of its turn nobody looks.
  @Test func aSocketThatIsNotListeningYetIsNotTakenAway() async throws {
    let (result, told) = try await run(
      { folder in
        """
        const { serve } = nbridge.http, handler = () => new Response();
        const taken = serve({ unix: "\(folder)/own/s" }, handler).then(() => "taken", (error) => error.code);
        const go = await serve({ unix: "\(folder)/go" }, handler);
        console.log(await taken);
        await go.stop(); exit();
        """
      },
      beside: """
        turn = os.open(folder, os.O_RDONLY); fcntl.flock(turn, fcntl.LOCK_EX)
        s = bound(); own = number()
        READY
        wait(True); s.listen(); fcntl.flock(turn, fcntl.LOCK_UN)
        wait(False); print(number() == own)
        """)
    #expect(result.output == "unavailable\n", "\(result)")
    #expect(told == "True\n")
  }

  @Test func aServerThatStopsLeavesTheSocketOfAnother() async throws {
    let (result, told) = try await run(
      { folder in
        """
        const { serve } = nbridge.http, asked = Promise.withResolvers();
        const server = await serve({ unix: "\(folder)/own/s" }, () => new Response());
        const go = await serve({ unix: "\(folder)/go" }, () => { asked.resolve(); return new Response(); });
        await asked.promise;
        await server.stop(); await go.stop(); console.log("stopped");
        """
      },
      beside: """
        READY
        wait(True); os.remove(folder + "s"); s = bound(); s.listen(); own = number()
        c = socket.socket(socket.AF_UNIX); c.connect(go)
        c.sendall(b"GET / HTTP/1.1\\r\\nHost: here\\r\\nConnection: close\\r\\n\\r\\n")
        while c.recv(999): pass
        c.close(); wait(False); print(number() == own)
        """)
    #expect(result.output == "stopped\n", "\(result)")
    #expect(told == "True\n")
  }
}

// SPDX-License-Identifier: MIT

import Testing

/// What happens when a process may open no more files: each call says so, nothing ends, and a call that
/// closes a file makes room.
@Suite struct DescriptorTests {
  @Test(
    arguments: Array(18...26) + [
      40, 64,
      96,
    ]) func whoeverRunsOutOfDescriptorsIsToldAndGoesOn(_ limit: Int) throws
  {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([
      "s.js": """
      const { app, auth, documents, pasteboard, peers, preference } = nbridge;
      const next = (watch) => watch[Symbol.asyncIterator]().next();
      const writers = [];
      // The engine opens a file for a moment now and then: when it closes that, there is room again.
      const fill = async () => {
        let failure;
        while (failure === undefined) await documents.writer("f").then((writer) => writers.push(writer),
          (error) => { failure = error; });
        return failure;
      };
      console.log((await fill()).message);
      const calls = {
        list: () => documents.list().toArray(), watch: () => next(documents.watch("")),
          write: () => documents.write("g", "x"),
        set: () => preference.set("a", 1), watchKey: () => next(preference.watch()),
        copy: () => pasteboard.set("x"), paste: () => pasteboard.get(),
          watchBoard: () => next(pasteboard.watch()),
        ask: () => auth.evaluatePolicy({ policy: "biometrics", reason: "x" }),
        peer: () => peers.create({ displayName: "a", serviceType: "fd" }),
        canOpen: () => app.canOpenURL("http://localhost"), open: () => app.openURL("http://localhost"),
          device: () => app.deviceInfo(),
      };
      for (const name in calls) {
        await fill();
        await calls[name]().then(() => console.log(name, "worked"), ({ code }) => console.log(name, code));
      }
      nbridge.logger.warning("low"); await nbridge.logger.flush({ timeout: 100 }).catch(() => {});
      for (const writer of writers) await writer.abort();
      await documents.write("g", "whole"); await preference.set("a", 2); await pasteboard.set("y");
      console.log(await documents.read("g"), await preference.get("a"), await pasteboard.get(),
        (await app.deviceInfo()).deviceId.length);
      exit(0);
      """
    ])
    // Files that other tests have open at the moment may have come along.
    let result = try runner.shell(
      """
      exec bash -c 'for n in {3..250}; do eval "exec $n>&-"; done; ulimit -n \(limit); \
      exec timeout -k 1 60 "$NBRIDGE" run s.js'
      """)
    // The smallest have not even enough when all is closed again; that is an error like others.
    guard limit >= 64 else {
      #expect(result.status <= 1, "\(result.status) \(result.errors)")
      return
    }
    #expect(result.status == 0, "\(result.errors)")
    let lines = result.output.split(separator: "\n").map(String.init)
    #expect(lines.first == "can't write 'f': too many files are open", "\(result.output)")
    #expect(lines.last == "whole 2 y 36", "\(result.output) \(result.errors)")
    #expect(lines.dropFirst().dropLast().allSatisfy { $0.hasSuffix(" io_error") }, "\(result.output)")
  }

  /// A library that could not be opened for want of a descriptor is not given up for good.
  @Test(arguments: 1...4) func aLibraryThatFoundNoDescriptorIsOpenedWhenOneIsFree(_ free: Int) throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([
      "s.js": """
      const { documents, preference } = nbridge;
      const writers = [];
      for (let full = false; !full;)
        await documents.writer("f").then((writer) => writers.push(writer), () => { full = true; });
      for (const writer of writers.splice(0, \(free))) await writer.abort();
      console.log(await preference.set("a", 1).then(() => "worked",
        ({ message }) => message.includes("apt-get") ? message : "failed"));
      for (const writer of writers) await writer.abort();
      await preference.set("a", 2);
      console.log(await preference.get("a"));
      exit(0);
      """
    ])
    let result = try runner.shell("ulimit -n 60; exec timeout -k 1 60 \"$NBRIDGE\" run s.js")
    #expect(result.output == "failed\n2\n", "\(result.output) \(result.errors)")
  }
}

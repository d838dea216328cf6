// SPDX-License-Identifier: MIT

import Testing

/// What stays of workers that have ended, and of what was taken back.
@Suite struct WorkerMemoryTests {
  /// Its own engine alone can free it; what the worker's script had is not kept with it.
  @Test(arguments: ["b, [b]", "b", "new Blob([b])"])
  func whoHasAWorkersBytesHasNoMoreOfIt(_ sent: String) throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([
      "s.mjs": """
      import { memoryUsage } from "node:process";
      const script = URL.createObjectURL(new Blob([`
        globalThis.held = Array.from({ length: 1e6 }, (_, i) => ({ i, text: "x" + i }));
        const b = new Uint8Array(2 << 20).fill(7).buffer;
        postMessage(\(sent));`]));
      const kept = [], used = [];
      for (let i = 0; i < 5; i++) {
        const worker = new Worker(script);
        kept.push(await new Promise((done) => worker.onmessage = ({ data }) => done(data)));
        worker.terminate();
        await new Promise((done) => setTimeout(done, 300));
        used.push(memoryUsage().rss / 2 ** 20);
      }
      const bytes = await Promise.all(kept.map((data) => new Response(data).bytes()));
      console.log(bytes.every((all) => all.length === 2 << 20 && all.every((byte) => byte === 7)));
      const more = used.at(-1) - used[0];
      console.log(more < 120 ? "little more" : `${more} MiB more`);
      """
    ])
    let result = try runner.shell("nbridge run s.mjs")
    #expect(result.output == "true\nlittle more\n", "\(result.errors)")
  }

  /// 400 MiB and more, if each were kept.
  @Test(arguments: [
    // Parts of one Blob.
    """
    const whole = new Blob([new Uint8Array(16 << 20)]);
    const parts = Array.from({ length: 40 }, () => whole.slice(0));
    const worker = start("onmessage = () => postMessage(0)");
    for (const part of parts) worker.postMessage(part), await next(worker);
    worker.terminate();
    """,
    // Addresses that another engine takes back.
    """
    const worker = start(`onmessage = () => {
      postMessage(URL.createObjectURL(new Blob([new Uint8Array(4 << 20)])));
    }`);
    for (let i = 0; i < 100; i++) worker.postMessage(0), URL.revokeObjectURL(await next(worker));
    worker.terminate();
    """,
    // Timers that are cancelled long before they were due.
    """
    const waiting = setInterval(() => {}, 1000), long = 2 ** 31 - 1;
    for (let i = 0; i < 500; i++) {
      for (let j = 0; j < 1000; j++) clearTimeout(setTimeout(() => {}, long, [i, j], new Array(100).fill(i)));
      await null;
    }
    clearInterval(waiting);
    """,
    // Timers of node:timers that the web's function cancels.
    """
    const { setTimeout: set } = await import("node:timers");
    for (let i = 0; i < 100; i++) {
      clearTimeout(set(() => {}, 1e6, new Uint8Array(4 << 20).fill(1)));
      await new Promise((done) => setTimeout(done, 1));
    }
    """,
    // A script that does not come back to its loop.
    """
    for (let i = 0; i < 100; i++) {
      URL.revokeObjectURL(URL.createObjectURL(new Blob([new Uint8Array(4 << 20)])));
    }
    """,
  ]) func bytesThatOthersHadAreLetGo(_ script: String) throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([
      "s.mjs": """
      import { memoryUsage } from "node:process";
      const start = (text) => new Worker(URL.createObjectURL(new Blob([text])));
      const next = (worker) => new Promise((done) => worker.onmessage = ({ data }) => done(data));
      const before = memoryUsage().rss;
      \(script)
      const more = (memoryUsage().rss - before) / 2 ** 20;
      console.log(more < 200 ? "little more" : `${more} MiB more`);
      """
    ])
    let result = try runner.shell("nbridge run s.mjs")
    #expect(result.output == "little more\n", "\(result.errors)")
  }
}

// SPDX-License-Identifier: MIT

import Testing

/// Workers that are terminated with something open: all of it ends with them.
@Suite struct WorkerLeavingTests {
  /// What a worker has open as it ends.
  private static let scripts = """
    nothing: "",
    call: "nbridge.app.deviceInfo();",
    watch: "nbridge.preference.watch('x').next(); await nbridge.preference.set('y', 1);",
    documents: "nbridge.documents.watch('').next(); await nbridge.documents.writer('f' + Math.random());",
    living: "await nbridge.documents.open('living' + Math.random(), { format: 'json' });",
    pasteboard: "await nbridge.pasteboard.set('x'); nbridge.pasteboard.watch().next();",
    peers: "await nbridge.peers.create({ displayName: 'a', serviceType: 'leaving' });",
    logger: "nbridge.logger.debug('x');",
    program: "await nbridge.process.spawn('sleep', ['100']);",
    fetch: "await fetch('http://127.0.0.1:10/').catch(() => 0);",
    events: `const e = new EventSource("http://127.0.0.1:10/");
      await new Promise((r) => { e.onerror = r; });`,
    socket: "const s = new WebSocket('ws://127.0.0.1:10/'); await new Promise((r) => { s.onclose = r; });",
    server: "await nbridge.http.serve(() => new Response());",
    asked: "fetch(silent);",
    read: "const r = (await fetch(half)).body.getReader(); await r.read(); r.read();",
    served: `const s = await nbridge.http.serve(() => new Promise(() => {}));
      fetch(s.url);
      await new Promise((r) => setTimeout(r, 20));`,
    lock: `const never = new Promise(() => {});
      await new Promise((r) => navigator.locks.request("l" + Math.random(), () => (r(), never)));`,
    channel: "const c = new BroadcastChannel('x'); c.onmessage = () => {}; c.postMessage(1);",
    ports: "const { port1, port2 } = new MessageChannel(); port1.onmessage = () => {}; port2.postMessage(1);",
    worker: `const w = new Worker("data:text/javascript,postMessage(1)");
      await new Promise((r) => { w.onmessage = r; });`,
    keys: "await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign']);",
    digest: `const b = new Uint8Array(16 << 20);
      for (let i = 0;; i++) {
        if (i === 3) postMessage(1);
        crypto.subtle.digest("SHA-1", b).catch(() => {});
      }`,
    gzip: "new Response(new Response('x').body.pipeThrough(new CompressionStream('gzip'))).arrayBuffer();",
    timers: "setInterval(() => {}, 1000);",
    """

  @Test func theyLeaveNoFilesAndNoThreads() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([
      "main.mjs": """
      const scripts = {
      \(Self.scripts)
      };
      // Another program's server: it says nothing, or half of an answer.
      const { port } = await nbridge.http.serve(({ url }) => url.endsWith("/silent") ? new Promise(() => {}) :
        new Response(new ReadableStream({ start(controller) { controller.enqueue(new Uint8Array(9)); } })));
      const places = ["silent", "half"].map((name) => `const ${name} = "http://127.0.0.1:${port}/${name}";`);
      const look = async () => {
        const count = "ls /proc/$PPID/fd | wc -l; grep Threads /proc/$PPID/status | cut -f 2";
        const { stdout } = await nbridge.process.run("sh", ["-c", count]);
        return stdout.trim().split("\\n").map(Number);
      };
      const round = async (script) => {
        const text = `${places.join("")} ${script} postMessage(1);`;
        const url = URL.createObjectURL(new Blob([text], { type: "text/javascript" }));
        for (let turn = 0; turn < 5; turn++) {
          const worker = new Worker(url, { type: "module" });
          await new Promise((resolve, reject) => {
            worker.onmessage = resolve;
            worker.onerror = ({ message }) => reject(new Error(message));
          });
          worker.terminate();
        }
      };
      for (const name in scripts) {
        // What the program itself keeps of what is used for the first time.
        await round(scripts[name]);
        let before = await look(), left;
        await round(scripts[name]);
        for (let tries = 0; tries < 600; tries++) {
          const after = await look();
          left = after.map((count, index) => count - before[index]);
          // One may be on its way; five would be one each.
          // The server here holds its side of a connection until it sees the end of it.
          if (left.every((count) => count < 3)) break;
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
        if (left.some((count) => count >= 3)) console.log(name, "left", left.join());
      }
      console.log("end");
      exit(0);
      """
    ])
    let plugins = ["app", "documents", "preference", "pasteboard", "peers", "logger"].map { "\($0).*," }
    let permissions = plugins.joined() + "fetch,http.serve,process.run:/usr/bin"
    let result = try runner.shell("nbridge run --permissions \(permissions) main.mjs")
    #expect(result.output == "end\n" && result.status == 0, "\(result)")
  }

  /// Of a plugin in a library of its own: what it waits for is answered, and it is stopped, once for each.
  @Test func aCallOfALoadedPluginEndsWithItsWorker() throws {
    let plugins = PluginCommandTests()
    try plugins.withRunner { runner in
      try plugins.compile(runner, "asking.c", "libasking.so")
      try runner.write([
        "main.mjs": """
        const text = "data:text/javascript,nbridge.asking.ask().catch(() => {}); postMessage(1);";
        for (let turn = 0; turn < 8; turn++) {
          const worker = new Worker(text, { type: "module" });
          await new Promise((resolve) => { worker.onmessage = resolve; });
          worker.terminate();
        }
        console.log("end");
        """
      ])
      let result = try runner.shell("nbridge run --plugin ./libasking.so main.mjs")
      #expect(result.output == "end\n" && result.status == 0, "\(result)")
      let said = result.errors.split(separator: "\n")
      // The main script's own is the ninth.
      #expect(said.count { $0 == "answered" } == 8 && said.count { $0 == "stopped" } == 9, "\(result)")
    }
  }

  /// The engine has jobs of its own, which run a script whose worker has ended: nothing native answers them.
  @Test(arguments: [
    ("for (let i = 0; i < 20; i++) WebAssembly.instantiate(bytes); close();", 0),
    ("for (;;) { await WebAssembly.compile(bytes); }", 1),
    ("for (let i = 0; i < 20; i++) WebAssembly.compile(bytes).then(() => new Worker('data:,')); close();", 0),
    (
      """
      const registry = new FinalizationRegistry(() => { importScripts("data:,"); });
      for (;;) {
        for (let i = 0; i < 1000; i++) registry.register({}, 1);
        await new Promise((resolve) => setTimeout(resolve));
      }
      """, 1
    ),
  ])
  func whatTheEngineStillRunsOfItHarmsNobody(_ script: String, _ isTerminated: Int) throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([
      "main.mjs": """
      const script = `const bytes = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]);
        postMessage(1);
        (async () => { \(script) })();`;
      for (let turn = 0; turn < 60; turn++) {
        const worker = new Worker("data:text/javascript," + encodeURIComponent(script));
        await new Promise((resolve) => { worker.onmessage = resolve; });
        if (\(isTerminated)) {
          await new Promise((resolve) => setTimeout(resolve, turn % 10));
          worker.terminate();
        }
      }
      await new Promise((resolve) => setTimeout(resolve, 300));
      console.log("over");
      """
    ])
    let result = try runner.shell("nbridge run main.mjs")
    #expect(result.output == "over\n" && result.status == 0, "\(result)")
  }

  /// A loop is stopped, and its thread goes: one that such jobs begin, and one over answers that are there at
  /// once.
  @Test(arguments: [
    """
    for (let i = 0; i < 4; i++) {
      WebAssembly.compile(new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0])).then(() => { for (;;); });
    }
    postMessage(1);
    close();
    """,
    """
    setTimeout(() => postMessage(1), 5);
    (async () => { for (;;) await nbridge.preference.get("x"); })();
    """,
    """
    postMessage(1);
    (async () => { for (;;) try { await nbridge.preference.get("x"); } catch {} })();
    """,
  ])
  func loopsEndWithTheirWorker(_ script: String) throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([
      "main.mjs": """
      const script = `\(script)`;
      const threads = async () => {
        const { stdout } = await nbridge.process.run("sh", ["-c", "ls /proc/$PPID/task | wc -l"]);
        return Number(stdout);
      };
      await threads();
      const before = await threads();
      for (let i = 0; i < 15; i++) {
        const worker = new Worker("data:text/javascript," + encodeURIComponent(script));
        await new Promise((resolve) => { worker.onmessage = resolve; });
        worker.terminate();
      }
      // A thread may be on its way; what never ends are fifteen.
      let left;
      for (let tries = 0; tries < 600; tries++) {
        left = await threads() - before;
        if (left < 7) break;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
      console.log(left < 7 ? "gone" : `${left} left`);
      """
    ])
    let result = try runner.shell("nbridge run --permissions process.run:/usr/bin,preference.* main.mjs")
    #expect(result.output == "gone\n" && result.status == 0, "\(result)")
  }

  /// Its thread can't be stopped. The program does not wait for it, and neither does who wants its lock.
  @Test(arguments: [
    "const f = () => Promise.resolve().then(f); f()", "(async () => { for (;;) await 0; })()",
    """
    const { buffer } = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true });
    Atomics.wait(new Int32Array(buffer), 0, 0)
    """,
  ])
  func oneThatNeverComesBackHoldsNobody(_ script: String) throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([
      "main.mjs": """
      const source = `navigator.locks.request("a", () => {
        postMessage(1);
        setTimeout(() => { \(script); });
        return new Promise(() => {});
      });`;
      const w = new Worker("data:text/javascript," + encodeURIComponent(source));
      await new Promise((done) => { w.onmessage = done; });
      await new Promise((done) => setTimeout(done, 100));
      w.terminate();
      console.log(await navigator.locks.request("a", () => "mine"));
      """
    ])
    let result = try runner.shell("timeout -k 1 60 \"$NBRIDGE\" run main.mjs")
    #expect(result.output == "mine\n" && result.status == 0, "\(result)")
  }

  /// What engines lend each other, or one gets back, keeps none of them: some 7 MB a round else.
  @Test(arguments: ["back", "mutual", "own"])
  func whoHasAnothersMemoryEnds(_ kind: String) throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([
      "main.mjs": """
      import { memoryUsage } from "node:process";
      const spawn = (f) => new Worker("data:text/javascript," + encodeURIComponent(`(${f})()`));
      const next = (worker) => new Promise((done) => { worker.onmessage = ({ data }) => done(data); });
      const rounds = {
        async back() {
          const worker = spawn(() => {
            onmessage = ({ data }) => { globalThis.kept = data; postMessage(data[0]); };
            const bytes = new Uint8Array(4 << 20).fill(1);
            postMessage(bytes, [bytes.buffer]);
          });
          const bytes = await next(worker);
          bytes[0] = 7;
          worker.postMessage(bytes, [bytes.buffer]);
          return [await next(worker) === 7, worker];
        },
        async mutual() {
          const { port1, port2 } = new MessageChannel();
          const f = () => {
            onmessage = ({ ports: [port] }) => {
              port.onmessage = ({ data }) => { globalThis.kept = data; postMessage(data[9]); };
              const bytes = new Uint8Array(4 << 20).fill(5);
              port.postMessage(bytes, [bytes.buffer]);
            };
          };
          const one = spawn(f), two = spawn(f), told = Promise.all([next(one), next(two)]);
          one.postMessage(null, [port1]);
          two.postMessage(null, [port2]);
          return [(await told).join() === "5,5", one, two];
        },
        async own() {
          const worker = spawn(async () => {
            const channel = new BroadcastChannel("a"), other = new BroadcastChannel("a");
            channel.onmessage = ({ data }) => { globalThis.own = data; postMessage(data.size); };
            other.postMessage(new Blob([new Uint8Array(4 << 20).fill(3)]));
          });
          return [await next(worker) === 4 << 20, worker];
        },
      };
      let before;
      for (let i = 0; i < 40; i++) {
        const [isRight, ...workers] = await rounds[process.argv[2]]();
        if (!isRight) console.log("wrong");
        for (const worker of workers) worker.terminate();
        await new Promise((done) => setTimeout(done, 20));
        if (i === 9) before = memoryUsage().rss;
      }
      const grown = (memoryUsage().rss - before) >> 20;
      console.log(grown < 100 ? "all" : `${grown} MiB more`);
      """.replacing("process.argv[2]", with: "\"\(kind)\"")
    ])
    let result = try runner.shell("nbridge run main.mjs")
    #expect(result.output == "all\n" && result.status == 0, "\(result)")
  }

  /// Of an ended worker whose one Blob is kept, the other memory that it lent goes: some 40 MB a round else.
  @Test func whoKeepsOneLentValueKeepsNoOthers() throws {
    let runner = try CommandRunner()
    defer { runner.remove() }
    try runner.write([
      "main.mjs": """
      import { memoryUsage } from "node:process";
      const text = `
        const list = Array.from({ length: 5 }, () => new Uint8Array(8 << 20).fill(1).buffer);
        postMessage({ blob: new Blob([new Uint8Array(2 << 20)]), list }, list);
        close();`;
      const kept = [];
      for (let i = 0; i < 20; i++) {
        const worker = new Worker("data:text/javascript," + encodeURIComponent(text));
        kept.push((await new Promise((done) => { worker.onmessage = ({ data }) => done(data); })).blob);
        worker.terminate();
        await new Promise((done) => setTimeout(done, 50));
        new Uint8Array(16 << 20).fill(1);
      }
      const held = memoryUsage().rss >> 20;
      console.log(kept.length, held < 450 ? "little" : `${held} MiB`);
      """
    ])
    let result = try runner.shell("nbridge run main.mjs")
    #expect(result.output == "20 little\n" && result.status == 0, "\(result)")
  }

  /// An engine whose memory others have ends with the last of it, on another thread: its files go with it.
  @Test func whoHasLentMemoryLeavesNoFilesBehind() throws {
    let result = try CommandRunner.run(
      [
        "main.mjs": """
        const text = "const b = new Uint8Array(2 << 20); postMessage(b, [b.buffer])";
        for (let i = 0; i < 120; i++) {
          const worker = new Worker(`data:text/javascript,${text}`);
          await new Promise((resolve) => { worker.onmessage = resolve; });
          worker.terminate();
          // Else the last would be collected when the program ends.
          for (let k = 0; i % 8 === 7 && k < 20; k++) {
            await new Promise((r) => setTimeout(r, 1, new Uint8Array(8 << 20)));
          }
        }
        console.log("all");
        """
      ], "ulimit -n 100; timeout 100 \"$NBRIDGE\" run main.mjs")
    #expect(result.output == "all\n" && result.errors.isEmpty, "\(result)")
  }
}

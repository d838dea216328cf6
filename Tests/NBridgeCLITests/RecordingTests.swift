// SPDX-License-Identifier: MIT

import Foundation
import Glibc
import NBridgePlugin
import Testing

/// Recording a run and replaying it: the same output without the plugins, and the first difference where
/// there is one.
@Suite struct RecordingTests {
  struct Case: CustomTestStringConvertible {
    let name: String
    let script: String
    var file = "s.js"
    var files: [String: String] = [:]
    var testDescription: String { name }
  }

  static let cases = [
    Case(
      name: "time, chance and people",
      script: """
        console.log(Math.random(), Date.now(), new Date().toISOString(), Date(), performance.now(),
          performance.timeOrigin);
        console.log(crypto.randomUUID(), crypto.getRandomValues(new Uint8Array(4)), new Event("x").timeStamp);
        console.log(new Intl.DateTimeFormat("en", { timeStyle: "full" }).format(), navigator.language,
          confirm("?"), prompt("!"));
        console.log(new Date() instanceof Date, new Date(5).constructor === Date, Date.UTC(2020, 1),
          nbridge.args);
        class Day extends Date {}; console.log(new Day() instanceof Day,
          structuredClone(new Date(7)).getTime());
        """),
    Case(
      name: "answers of all kinds",
      script: """
        const { preference, documents, app } = nbridge;
        await preference.set("a", { x: 1n, y: [NaN, -0, undefined], d: new Date(3),
          m: new Map([[1, new Set([2])]]) });
        console.log(await preference.get("a"), await preference.get("none"), await app.appInfo());
        await documents.write("x.bin", new Uint8Array(20000).fill(7));
        console.log((await documents.read("x.bin", { format: "bytes" })).length, await documents.list());
        console.log(await Promise.allSettled([documents.read("none"), preference.set({}), preference.get("a"),
          documents.stat("x.bin")]));
        """),
    Case(
      name: "the order of timers, tasks, watches and calls",
      script: """
        const log = (name) => () => console.log(name, performance.now());
        const watch = nbridge.preference.watch();
        (async () => { for await (const event of watch) { console.log(event.key, event.value);
          if (event.value === 9) break; } })();
        for (let n = 0; n < 10; n++) {
          setTimeout(log("timer " + n), n % 3);
          nbridge.preference.set("n", n).then(log("set " + n));
          const { port1, port2 } = new MessageChannel();
          port1.onmessage = () => { console.log("message", n); port1.close(); };
          port2.postMessage(n);
        }
        AbortSignal.timeout(3).onabort = log("aborted");
        nbridge.preference.get("n", undefined, { signal: AbortSignal.timeout(1) }).then(log("got"),
          log("failed"));
        await new Promise((done) => setTimeout(done, 30));
        """),
    Case(
      name: "a watch that is cancelled by its signal",
      script: """
        const stop = new AbortController();
        const watch = nbridge.preference.watch(undefined, undefined, { signal: stop.signal });
        await nbridge.preference.set("k", 1);
        console.log((await watch.next()).value.value);
        stop.abort();
        await watch.next().catch((error) => console.log(error.code, error.message));
        """),
    Case(
      name: "what is saved at the end",
      script: """
        const file = await nbridge.documents.open("living.txt");
        file.content = "unsaved " + Math.random();
        console.log(file.content);
        """),
    Case(name: "an exit", script: "await nbridge.app.appInfo(); console.log(1); exit(7); console.log(2)"),
    Case(name: "an error", script: "console.log(await nbridge.app.appInfo()); throw new TypeError('told')"),
    Case(name: "a rejection", script: "nbridge.documents.read('none')"),
    Case(
      name: "an await that never settles",
      script: "await nbridge.app.appInfo(); await new Promise(() => {})"),
    Case(
      name: "names that are not there",
      script: """
        const say = (error) => console.log(error.code, error.message);
        await nbridge.callToNative("preferense", "get").catch(say);
        await nbridge.callToNative("preference", "gett").catch(say);
        await nbridge.callToNative("documents", "living").catch(say);
        console.log(nbridge.services, nbridge.nothing, nbridge.version);
        """),
    Case(
      name: "the order of what threads do with keys",
      script: """
        const { subtle } = crypto, iv = new Uint8Array(12), log = (name) => () => console.log(name);
        const key = await subtle.importKey("raw", new Uint8Array(16), "AES-GCM", true, ["encrypt"]);
        const seal = (size) => subtle.encrypt({ name: "AES-GCM", iv }, key, new Uint8Array(size));
        await Promise.all([subtle.digest("SHA-1", new Uint8Array(9e6)).then(log("hashed")),
          seal(9).then(log("small")),
          seal(1e6).then(log("large")), new Promise((done) => setTimeout(done, 3)).then(log("timer"))]);
        console.log(new Uint8Array(await seal(5)).toHex());
        const pair = await subtle.generateKey("Ed25519", true, ["sign"]);
        console.log(pair.publicKey.type, await nbridge.app.appInfo());
        """),
    Case(
      name: "channels of a program with itself",
      script: """
        const [there, here] = [new BroadcastChannel("x"), new BroadcastChannel("x")];
        here.onmessage = ({ data }) => data.message === 3
          ? nbridge.app.appInfo().then(() => { console.log("last", performance.now()); close(); })
          : console.log(data.message);
        const close = () => { here.close(); there.close(); };
        setTimeout(() => console.log("timer"), 0);
        for (let message = 1; message <= 3; message++) {
          there.postMessage({ message });
          await nbridge.preference.get("p");
        }
        """),
    Case(
      name: "an end while messages wait",
      script: """
        const { port1, port2 } = new MessageChannel();
        port1.onmessage = ({ data }) => { if (data === 2) throw new Error("enough"); console.log(data); };
        for (let i = 0; i < 100; i++) port2.postMessage(i);
        """),
    Case(
      name: "a loop that is late",
      script: """
        const told = [], call = (name) => nbridge.preference.get("p").then(() => told.push(name));
        const busy = () => { for (let i = 0; i < 2e8; i++); };
        setTimeout(() => told.push("timer"), 0);
        for (let turn = 0; turn < 3; turn++) {
          busy();
          await Promise.all(Array.from({ length: 200 }, (_, i) => call(i)));
          await Promise.all(Array.from({ length: 20 }, (_, i) => call(200 + i)));
        }
        console.log(told.join());
        """),
    Case(
      name: "WebAssembly",
      script: """
        const bytes = new Uint8Array([0, 97, 115, 109, 1, 0, 0, 0]);
        nbridge.app.appInfo().then(() => console.log("called"));
        const { instance } = await WebAssembly.instantiate(bytes);
        console.log(instance instanceof WebAssembly.Instance, await WebAssembly.compile(bytes));
        """),
    Case(
      name: "modules",
      script: """
        import { a } from './a.ts'; console.log(a, await nbridge.app.appInfo(), Date.now())
        """,
      file: "main.ts", files: ["a.ts": "export const a: number = Math.random()"]),
    Case(
      name: "a page",
      script: """
        <script>nbridge.preference.set("p", 1).then(() => console.log("one", performance.now()))</script>
        <script type="module">console.log("two", await nbridge.preference.get("p"), Math.random())</script>
        <button onclick="nbridge.preference.get('p').then(console.log)">x</button>
        <script>addEventListener("load",
          () => nbridge.app.appInfo().then((info) => console.log(info.id)))</script>
        """, file: "page.html"),
    Case(
      name: "settings of app.json",
      script: """
        nbridge.logger.info('x'); console.log(await nbridge.app.appInfo())
        """,
      files: ["app.json": #"{"id": "org.example.app", "plugins": {"logger": {"level": "error"}}}"#]),
  ]

  static func runner(_ item: Case) throws -> CommandRunner {
    let runner = try CommandRunner()
    try runner.write(item.files.merging([item.file: item.script]) { $1 })
    return runner
  }

  @Test(arguments: cases) func aReplayGivesWhatWasRecorded(_ item: Case) throws {
    let runner = try Self.runner(item)
    defer { runner.remove() }
    let then = try runner.shell("TZ=Asia/Tokyo nbridge run --record run.rec \(item.file) --some argument")
    // Without app.json, the app's files and the plugins' folder: what is given comes out of the recording.
    let now = try runner.shell("rm -rf app.json home; nbridge run --replay run.rec \(item.file)")
    #expect(now.output == then.output && now.status == then.status, "\(then) \(now)")
    let note = now.errors.split(separator: "\n").last ?? ""
    #expect(note.hasPrefix("nbridge: replayed ") && note.hasSuffix(", as recorded"), "\(now.errors)")
    #expect(now.errors == then.errors + note + "\n", "\(then.errors) \(now.errors)")
    #expect(!then.output.isEmpty || then.status != 0)
  }

  static let base = """
    const { preference } = nbridge;
    await preference.set("a", 1);
    const a = await preference.get("a");
    await preference.set("b", new Uint8Array([1, 2, 3]));
    setTimeout(() => console.log(Date.now()), 1);
    """

  @Test(arguments: [
    (#""a", 1"#, #""a", 2"#, "call 1:", #"+       preference.set({"key":"a","value":2})"#, "s.js:2:"),
    (
      "1, 2, 3", "1, 2, 4", "call 3:", "bytes 0 differ from offset 2 on: there was 3, now there is 4",
      "s.js:4:"
    ),
    ("Date.now()", "1", "call 3:", "+       goes on without that", ""),
    (#".get("a")"#, #".remove("a")"#, "call 2:", #"-    2  preference.get({"key":"a"})"#, "s.js:3:"),
    ("setTimeout", "await preference.keys(); setTimeout", "call 3:", "+       preference.keys()", ""),
    ("setTimeout(() => console.log(Date.now()), 1);", "", "call 3:", "-       the clock", ""),
  ])
  func theFirstDifferenceIsShown(
    _ old: String, _ new: String, _ call: String, _ line: String, _ place: String
  ) throws {
    let runner = try Self.runner(Case(name: "", script: Self.base))
    defer { runner.remove() }
    _ = try runner.shell("nbridge run --record run.rec s.js")
    _ = try runner.write("s.js", Self.base.replacingOccurrences(of: old, with: new))
    let result = try runner.shell("nbridge run --replay run.rec s.js")
    #expect(
      result.status == 1 && result.errors.contains("differs from the recording at " + call), "\(result)")
    #expect(
      result.errors.contains(line) && (place.isEmpty || result.errors.contains(place)), "\(result.errors)")
  }

  @Test func aKilledProgramLeavesItsLastCall() throws {
    let script = """
      for (let n = 0;; n++) { await nbridge.preference.set('n', n); if (n === 300) console.log('go') }
      """
    let runner = try Self.runner(Case(name: "", script: script))
    defer { runner.remove() }
    let killed = try runner.shell(
      """
      "$NBRIDGE" run --record run.rec s.js > out & pid=$!; until grep -q go out; do sleep 0.01; done; \
      kill -9 $pid; wait $pid
      """)
    #expect(killed.status == 137)
    let shown = try runner.shell("nbridge replay show run.rec")
    #expect(
      shown.status == 0 && shown.output.contains(#"preference.set({"key":"n","value":300})"#),
      "\(shown.errors)")
    #expect(
      shown.output.hasSuffix(
        """
        breaks off here: the program was killed, or still runs, or never came back to its loop

        """), "\(shown.output.suffix(200))")
    let replayed = try runner.shell("nbridge run --replay run.rec s.js")
    #expect(replayed.status == 1 && replayed.output == "go\n")
    // The first when the kill came into a call, the second when between two.
    let ends = ["the recording ends", "the recording breaks off here"]
    #expect(ends.contains { replayed.errors.contains($0) }, "\(replayed.errors)")
  }

  @Test func secretsAreInNoRecording() throws {
    let script = """
      const { preference, pasteboard } = nbridge;
      await preference.set("login", { user: "ada", password: "correct-horse", pin: 1234,
        list: [{ accessToken: "tok-12345678" }] });
      await preference.set("apiToken", "value-of-the-token");
      console.log(await preference.get("apiToken") === "value-of-the-token");
      await pasteboard.set("concealed-text", { concealed: true });
      await preference.set("note", "said correct-horse and concealed-text");
      await preference.set("bytes", { secret: new TextEncoder().encode("bytes-of-a-secret") });
      console.log((await preference.get("login")).user);
      """
    let runner = try Self.runner(
      Case(
        name: "", script: script,
        files: ["app.json": #"{"plugins": {"logger": {"redact": {"keys": ["pin"]}}}}"#]))
    defer { runner.remove() }
    let then = try runner.shell("nbridge run --record run.rec s.js")
    #expect(then.status == 0 && then.output == "true\nada\n", "\(then)")
    let kept = try Data(contentsOf: URL(fileURLWithPath: runner.folder + "/run.rec"))
    for secret in [
      "correct-horse", "1234,", "tok-12345678", "value-of-the-token", "concealed-text", "bytes-of-a-secret",
    ] {
      #expect(kept.range(of: Data(secret.utf8)) == nil, "\(secret)")
    }
    #expect(kept.range(of: Data("ada".utf8)) != nil)
    let now = try runner.shell("nbridge run --replay run.rec s.js")
    #expect(now.output == "false\nada\n", "a mark stands where the token was: \(now)")
    #expect(now.errors.hasSuffix("calls, as recorded\n"), "\(now.errors)")
  }

  @Test func aRecordingIsItsOwnersAndWritesOverRecordingsOnly() throws {
    let runner = try Self.runner(Case(name: "", script: "console.log(await nbridge.preference.keys())"))
    defer { runner.remove() }
    try runner.write(["plain.txt": "1"])
    let line = """
      umask 0; nbridge run --record run.rec s.js && nbridge run --record run.rec s.js && stat -c %a run.rec
      """
    let result = try runner.shell(line)
    #expect(result.status == 0 && result.output.hasSuffix("600\n"), "\(result)")
    for (target, reason) in [
      ("plain.txt", "is no recording; it stays as it is"), ("/dev/null", "no regular file"),
      ("none/x", "No such file"), (".", "directory"),
    ] {
      let refused = try runner.shell("nbridge run --record \(target) s.js; cat plain.txt")
      #expect(refused.errors.contains(reason) && refused.output == "1", "\(refused)")
    }
  }

  @Test func aFullDiskEndsTheRecordingAndNotTheProgram() throws {
    let script = """
      for (let n = 0; n < 400; n++) await nbridge.callToNative('app', 'appInfo', { x: 'x'.repeat(20000) });
      console.log('done')
      """
    let runner = try Self.runner(Case(name: "", script: script))
    defer { runner.remove() }
    // A limit on the size of files stands for the disk.
    let result = try runner.shell(
      "trap '' XFSZ; ulimit -f 3000; nbridge run --container c --record run.rec s.js")
    #expect(result.status == 0 && result.output == "done\n", "\(result)")
    #expect(
      result.errors.contains("the recording 'run.rec' ends here, it can't be written: File too large"),
      "\(result.errors)")
    let shown = try runner.shell("nbridge replay show run.rec | tail -n 1")
    #expect(shown.output.contains("breaks off here"), "\(shown)")
  }

  @Test func whatIsNoRecordingIsSaid() throws {
    let runner = try Self.runner(Case(name: "", script: "1"))
    defer { runner.remove() }
    try runner.write(
      ["plain": "text", "later": "nbridge recording 2\n", "empty": "", "short": "nbridge recording 1\n"])
    for (file, reason) in [
      ("plain", "is no recording"), ("later", "of another version"), ("empty", "is no recording"),
      ("short", "has no header"),
      ("none", "No such file"), ("/dev/zero", "no regular file"),
    ] {
      for command in ["replay show \(file)", "run --replay \(file) s.js"] {
        let result = try runner.shell("nbridge \(command)")
        #expect(result.status == 1 && result.errors.contains(reason), "\(command): \(result)")
      }
    }
    for options in ["--record a --replay b", "--record a --watch", "--replay a --watch"] {
      #expect(try runner.shell("nbridge run \(options) s.js").status == 2)
    }
  }
}

// SPDX-License-Identifier: MIT

import NBridgeTesting
import Testing

/// Setters for indices on Array.prototype reach no list of the web's interfaces: what they say is the same
/// with them as without.
@Suite struct PollutedListTests {
  private static let setters = """
    for (let i = 0; i < 200; i++)
      Object.defineProperty(Array.prototype, i, { set() {}, get() {}, configurable: true });
    """

  /// Before each report the setters go, so that a list of the script's own is one.
  private static let ending = "for (let i = 0; i < 200; i++) delete Array.prototype[i];"

  static let bodies: [String] = [
    """
    const p = new URLSearchParams('?b=1&a=2&b=3%20%26'); p.append('c', '4'); p.sort(); p.set('a', '5');
    p.delete('c'); const all = p.getAll('b').length; says = () => [`${p}`, p.size, p.get('b'), all]
    """,
    """
    const p = new URLSearchParams({ a: '1', b: '2' }); const q = new URLSearchParams(p); const m = new Map();
    q.forEach((v, k) => m.set(k, v)); says = () => [`${p}`, `${q}`, m.get('b')]
    """,
    """
    const f = new FormData(); f.append('a', '1'); f.append('b', new Blob(['x']), 'n.txt'); f.append('a', '2');
    f.set('b', '3'); const all = f.getAll('a').length; says = () => [f.get('a'), f.get('b'), all]
    """,
    """
    const u = new URL('http://h/a/./b/../c?q=1#f'); u.searchParams.append('r', '2'); says = () => [u.href]
    """,
    """
    const b = new Blob(['ab', new Uint8Array([99]), new Blob(['d'])]); const t = await b.text();
    says = () => [b.size, t]
    """,
    """
    const o = structuredClone({ m: new Map([[1, { a: 2 }]]), s: new Set([3]), l: { x: 4 } });
    const { flags } = structuredClone(/a/gi); says = () => [o.m.get(1).a, o.s.has(3), o.l.x, flags]
    """,
    """
    const b = new ArrayBuffer(4); const transfer = new Set(); transfer.add(b);
    const c = structuredClone(b, { transfer }); says = () => [b.byteLength, c.byteLength]
    """,
    """
    let n = 0; const e = new EventTarget(); e.addEventListener('x', () => n++);
    e.addEventListener('x', () => n++); e.dispatchEvent(new Event('x')); says = () => [n]
    """,
    """
    const c = new AbortController(); const list = new Set(); list.add(c.signal); let n = 0;
    const s = AbortSignal.any(list); s.addEventListener('abort', () => n++); c.abort();
    says = () => [n, s.aborted]
    """,
    """
    const { port1, port2 } = new MessageChannel(); const got = await new Promise((done) => {
    port2.onmessage = (e) => { port2.close(); done(e.data) }; port1.postMessage('hi') }); says = () => [got]
    """,
    """
    performance.mark('a'); performance.mark('b'); performance.measure('c', 'a', 'b');
    const marks = performance.getEntriesByType('mark').length; says = () => [marks]
    """,
    """
    const decoded = atob(' aGVs\\nbG8 '); says = () => [decoded]
    """,
    """
    let refused = 0; try { structuredClone(new URL('a:b')) } catch { refused++ }
    try { structuredClone(new FormData()) } catch { refused++ } says = () => [refused]
    """,
    """
    const s = new ReadableStream({ start(c) { c.enqueue('a'); c.enqueue('b'); c.close() } });
    let text = ''; for await (const part of s) text += part; says = () => [text]
    """,
    """
    const d = new TextDecoder('windows-1252').decode(new Uint8Array([0x80, 0x41])); says = () => [d]
    """,
  ]

  /// A class that has no constructor of its own would ask it for each thing that is made.
  @Test func noneAsksTheIteratorOfArrays() async {
    let result = await WorkerHarness.run(
      """
      const kept = Array.prototype[Symbol.iterator], done = [];
      const stream = () => new ReadableStream({ start(c) { c.enqueue(new Uint8Array(3)); c.close(); } });
      Array.prototype[Symbol.iterator] = () => { throw new Error("mine"); };
      try {
        stream().getReader();
        const branches = stream().tee(), signals = new Set();
        done[0] = await new Response(branches[0]).bytes();
        signals.add(new AbortController().signal);
        AbortSignal.any(signals).addEventListener("abort", () => {});
        await stream().pipeTo(new WritableStream(), { signal: new AbortController().signal });
        const reader = new FileReader(), read = new Promise((resolve) => { reader.onload = resolve; });
        reader.readAsText(new Blob());
        await read;
        await navigator.locks.request("a", { signal: new AbortController().signal }, () => 1);
        await new Promise((resolve) => setTimeout(resolve, 1));
        await new Response(stream().pipeThrough(new CompressionStream("gzip"))).bytes();
        sessionStorage.setItem("a", "b");
        new BroadcastChannel("a").close();
        new MessageChannel().port1.close();
        done[1] = "whole";
      } catch (error) { done[1] = error.stack; }
      Array.prototype[Symbol.iterator] = kept;
      console.log(done[1]);
      """)
    #expect(result.output == "whole\n", "\(result)")
  }

  @Test(arguments: bodies)
  func whatTheWebsInterfacesKeepIsTheirs(_ body: String) async {
    func run(_ before: String) async -> ScriptHarness.Result {
      await ScriptHarness(plugins: []).run(
        "let says; \(before) \(body); \(Self.ending) console.log(JSON.stringify(says()))")
    }
    let plain = await run("")
    #expect(plain.output.hasPrefix("[") && !plain.output.contains("null"), "\(plain)")
    let polluted = await run(Self.setters)
    #expect(polluted.output == plain.output, "\(polluted)")
  }
}

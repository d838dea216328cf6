// SPDX-License-Identifier: MIT

import NBridgeHost
import NBridgeTesting
import Testing

/// Addresses of Blobs among the engines of one program.
@Suite struct BlobURLTests {
  /// Of few bytes and of many, which are lent; until they are revoked, by whomever, or their engine ends.
  @Test(arguments: [5, 3_000_000])
  func blobURLsAreThoseOfAllEngines(_ count: Int) async {
    let result = await WorkerHarness.run(
      """
      const text = "x".repeat(\(count));
      const read = (url) => fetch(url).then((r) => r.text(), (e) => e.name);
      const worker = spawn(() => {
        const read = (url) => fetch(url).then((r) => r.text(), (e) => e.name);
        onmessage = async ({ data: [url, count, revokes] }) => {
          const found = await read(url);
          if (revokes) URL.revokeObjectURL(url);
          const own = URL.createObjectURL(new Blob(["y".repeat(count)], { type: "text/plain" }));
          postMessage([found, own]);
        };
      });
      const ask = (...given) => {
        const told = next(worker);
        worker.postMessage(given);
        return told;
      };
      const url = URL.createObjectURL(new Blob([text]));
      const [found, own] = await ask(url, \(count), false);
      const got = await fetch(own);
      const type = got.headers.get("content-type"), isOwn = (await got.text()) === "y".repeat(\(count));
      console.log(found === text, type, isOwn);
      URL.revokeObjectURL(own);
      console.log(await read(own), (await ask(url, \(count), true))[0] === text, await read(url));
      const last = (await ask(url, 1, false));
      console.log(last[0], await read(last[1]));
      worker.terminate();
      for (let i = 0; await read(last[1]) === "y"; i++) await new Promise((done) => setTimeout(done, 5));
      console.log("gone");
      """)
    let seen = "true text/plain true\nTypeError true TypeError\nTypeError y\ngone\n"
    #expect(result.output == seen && result.status == .success, "\(result)")
  }

  /// URL standard, 4.1: a URL that was parsed keeps the Blob.
  @Test func aRequestKeepsWhatItsAddressNamed() async {
    let result = await ScriptHarness(plugins: []).run(
      """
      const url = URL.createObjectURL(new Blob(["kept"]));
      const request = new Request(url), copy = request.clone(), other = new Request(request);
      // That is another one.
      URL.revokeObjectURL(url + "#a");
      console.log(await (await fetch(url + "#b")).text());
      URL.revokeObjectURL(url);
      for (const one of [request, copy, other]) console.log(await (await fetch(one)).text());
      console.log(await fetch(url).catch((error) => error.name));
      """)
    #expect(result.output == "kept\nkept\nkept\nkept\nTypeError\n", "\(result)")
  }

  /// What is lent is made in a global object of its own, which no script is to come by (`LentBytes`).
  @Test func whatIsMadeOfABlobThatOthersHaveIsTheScriptsOwn() async {
    let result = await WorkerHarness.run(
      """
      const isOwn = (value) => value instanceof ArrayBuffer ? value.constructor === ArrayBuffer
        : value.constructor === Uint8Array && value.buffer.constructor === ArrayBuffer;
      const whole = new Blob([new Uint8Array(3 << 20)]), url = URL.createObjectURL(whole);
      const worker = spawn(() => { onmessage = ({ data }) => postMessage(data); });
      const sent = async (value) => { worker.postMessage(value); return await next(worker); };
      const foreign = [];
      const check = (name, value) => { if (!isOwn(value)) foreign.push(name); };
      const blobs = [whole, whole.slice(5, 2 << 20), whole.slice(0, 9), new Blob([whole]), await sent(whole)];
      for (const blob of blobs) {
        check("bytes", await blob.bytes()), check("arrayBuffer", await blob.arrayBuffer());
        for await (const chunk of blob.stream()) check("stream", chunk);
        check("response", await new Response(blob).bytes());
        for await (const chunk of new Response(blob).body) check("body", chunk);
        const reader = blob.stream().getReader({ mode: "byob" });
        check("byob", (await reader.read(new Uint8Array(9))).value);
        const file = new FileReader(), read = new Promise((done) => file.onload = done);
        file.readAsArrayBuffer(blob);
        await read, check("file", file.result);
      }
      check("fetch", await (await fetch(url)).bytes()), check("sent", await sent(new ArrayBuffer(2 << 20)));
      worker.terminate();
      console.log(blobs.length, foreign.join());
      """)
    #expect(result.output == "5 \n", "\(result)")
  }
}

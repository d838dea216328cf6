// SPDX-License-Identifier: MIT

import NBridge
import NBridgePlugin
import NBridgeTesting
import Synchronization
import Testing

@testable import HttpPlugin

/// Requests to one host use 128 connections; more wait for one of these, in their order.
@Suite struct HostPlacesTests {
  private static let server = """
    let most = 0, now = 0;
    const held = [], paths = [];
    const server = await nbridge.http.serve({ port: 0 }, async (request) => {
      paths.push(new URL(request.url).pathname);
      most = Math.max(most, ++now);
      if (request.url.includes("held")) await new Promise((resolve) => held.push(resolve));
      now--;
      return new Response("ok");
    });
    const origin = `http://127.0.0.1:${server.port}`;
    const until = async (is) => { while (!is()) await new Promise((resolve) => setTimeout(resolve, 1)); };
    const get = (path, options) => fetch(`${origin}/${path}`, options).then((answer) => answer.text());

    """

  private static func run(_ script: String) async -> ScriptHarness.Result {
    await ServerTests.run(server + script + "\nexit(0);")
  }

  @Test func aThousandAreAnsweredInTheirOrder() async {
    let result = await Self.run(
      """
      const all = Array.from({ length: 1000 }, (_, i) => get(i < 128 ? `held${i}` : i));
      await until(() => held.length === 128);
      console.log(paths.length);
      for (const free of held) free();
      console.log(new Set(await Promise.all(all)).size, most, paths.length);
      // Connections take them as they come free: what waits is taken in its order, give or take those.
      const late = paths.slice(128).map((path, at) => Math.abs(+path.slice(1) - 128 - at));
      console.log(Math.max(...late) < 128);
      """)
    #expect(result.output == "128\n1 128 1000\ntrue\n", "\(result)")
  }

  @Test func whoWaitsCanLeave() async {
    let result = await Self.run(
      """
      const all = Array.from({ length: 128 }, (_, i) => get(`held${i}`));
      await until(() => held.length === 128);
      const abort = new AbortController();
      const left = Array.from({ length: 5000 },
        () => get("left", { signal: abort.signal }).catch((error) => error.name));
      const stays = get("stays");
      await new Promise((resolve) => setTimeout(resolve));
      abort.abort();
      console.log(new Set(await Promise.all(left)).size, await left[0]);
      held[0]();
      console.log(await stays, paths.includes("/left"), paths.length);
      for (const free of held) free();
      await Promise.all(all);
      """)
    #expect(result.output == "1 AbortError\nok false 129\n", "\(result)")
  }

  /// Each of these ends another way, and gives its place back.
  @Test func whatEndsMakesRoom() async {
    let result = await Self.run(
      """
      const times = (count, make) => Promise.all(Array.from({ length: count }, make));
      const other = await nbridge.http.serve({ port: 0 }, () => new Response("x".repeat(1 << 20)));
      const big = `http://127.0.0.1:${other.port}/`;
      await times(300, async () => (await fetch(big)).body.cancel());
      await times(300, async () => {
        const reader = (await fetch(big)).body.getReader();
        await reader.read();
        await reader.cancel();
      });
      await times(300, () => {
        const abort = new AbortController();
        const call = fetch(big, { signal: abort.signal }).then((answer) => answer.text());
        setTimeout(() => abort.abort(), 2);
        return call.catch(() => {});
      });
      await times(300, () => fetch(big, { method: "HEAD" }));
      console.log((await times(200, async () => (await (await fetch(big)).text()).length)).length);
      // Nobody listens there any more, and then somebody does.
      await other.stop();
      const codes = await times(300, () => fetch(big).then(() => "", (error) => error.name));
      console.log(codes.filter((code) => code === "TypeError").length > 0);
      const again = await nbridge.http.serve({ port: other.port }, () => new Response("again"));
      console.log(await (await fetch(big)).text());
      """)
    #expect(result.output == "200\ntrue\nagain\n", "\(result)")
  }

  @Test func anotherHostWaitsForNobody() async {
    let result = await Self.run(
      """
      const all = Array.from({ length: 200 }, (_, i) => get(`held${i}`));
      await until(() => held.length === 128);
      const other = await nbridge.http.serve({ port: 0 }, () => new Response("other"));
      console.log(await (await fetch(`http://127.0.0.1:${other.port}/`)).text());
      for (let i = 0; i < 200; i++) { await until(() => held.length > i); held[i](); }
      console.log((await Promise.all(all)).length);
      """)
    #expect(result.output == "other\n200\n", "\(result)")
  }

  /// libsoup has the same limit: that no more get to it can be seen here alone.
  @Test func aPlaceIsGivenToWhoWaitsForItInTheirOrder() async throws {
    let places = HostPlaces(most: 2)
    var held = [try await places.take("a"), try await places.take("a")]
    let other = try await places.take("b")
    let order = Order()
    let waiting = (0..<3).map { number in
      Task { @MainActor in
        let place = try await places.take("a")
        order.add(number)
        return place
      }
    }
    try #require(await Self.comes { places.waiting(for: "a") == 3 })
    #expect(order.all.isEmpty)
    waiting[1].cancel()
    await #expect(throws: CancellationError.self) { try await waiting[1].value }
    held.removeLast()
    _ = try await waiting[0].value
    #expect(order.all == [0] && places.waiting(for: "a") == 1)
    // The first goes; a task keeps what it answered.
    held = []
    held.append(try await waiting[2].value)
    let last = Task { @MainActor in try await places.take("a") }
    try #require(await Self.comes { places.waiting(for: "a") == 1 })
    places.end()
    await #expect(throws: BridgeError.self) { try await last.value }
    _ = (other, held)
  }

  /// Lets other tasks run until it is so: they have nothing else to wait for.
  private static func comes(_ isSo: () -> Bool) async -> Bool {
    for _ in 0..<100_000 where !isSo() { await Task.yield() }
    return isSo()
  }

  private final class Order: Sendable {
    private let numbers = Mutex<[Int]>([])
    func add(_ number: Int) { numbers.withLock { $0.append(number) } }
    var all: [Int] { numbers.withLock { $0 } }
  }
}

// SPDX-License-Identifier: MIT

import BothWays
import Foundation
import NBridge
import NBridgePlugin
import NBridgeTesting
import Synchronization
import Testing

/// Watches of descriptors: no thread waits for one of them.
@Suite(.allWays) struct ReadinessWatchTests {
  func run(_ script: String) async -> ScriptHarness.Result {
    var harness = ScriptHarness(plugins: [PipesPlugin()])
    harness.usesRealTime = true
    return await harness.run(script)
  }

  /// More watches than any pool has threads, all of them waiting: what needs a thread gets one.
  @Test func manyWaitAndAllElseGoesOn() async {
    let result = await run(
      """
      const { pipes } = nbridge, count = 100, got = [];
      const ends = Array.from({ length: count }, async (_, pipe) => {
        for await (const text of pipes.texts(pipe)) got.push(`${pipe}:${text}`);
      });
      const work = await Promise.all(Array.from({ length: 200 }, (_, n) => pipes.work(n)));
      const blocking = await Promise.all(Array.from({ length: 50 }, (_, n) => pipes.block(n)));
      console.log(work.length, blocking.length, got.length);
      for (let pipe = count; pipe-- > 0;) {
        await pipes.put(pipe, "a");
        while (got.at(-1) !== `${pipe}:a`) await new Promise((done) => setTimeout(done, 1));
      }
      for (let pipe = 0; pipe < count; pipe++) await pipes.end(pipe);
      await Promise.all(ends);
      console.log(got.length, got[0], got.at(-1));
      """)
    #expect(result.output == "200 50 0\n100 99:a 0:a\n", "\(result.errors)")
  }

  @Test func aReaderThatLeavesWaitsNoMore() async {
    let result = await run(
      """
      const { pipes } = nbridge;
      const stop = new AbortController(), texts = pipes.texts(0, undefined, { signal: stop.signal });
      const next = texts.next().catch((error) => error.code);
      stop.abort();
      console.log(await next);
      const left = pipes.texts(1), first = left.next();
      await pipes.put(1, "x");
      console.log((await first).value);
      await left.return();
      """)
    #expect(result.output == "cancelled\nx\n", "\(result.errors)")
    #expect(result.status == .success)
  }
}

struct PipesPlugin: Plugin {
  static let manifest = PluginManifest(service: "pipes", version: "1.0.0", help: "Pipes that scripts watch.")

  struct Place: Codable { var pipe: Int }
  struct Text: Codable { var pipe: Int, text: String }
  struct Count: Codable { var count: Int }

  /// Pipes by number, made when they are first named.
  final class Pipes: Sendable {
    struct Ends { var ends: [Int: (read: Int32, write: Int32)] = [:] }
    private let ends = Mutex(Ends())

    subscript(_ pipe: Int) -> (read: Int32, write: Int32) {
      ends.withLock { state in
        if let there = state.ends[pipe] { return there }
        var made: [Int32] = [0, 0]
        precondition(Foundation.pipe(&made) == 0)
        _ = fcntl(made[0], F_SETFL, O_NONBLOCK)
        state.ends[pipe] = (made[0], made[1])
        return (made[0], made[1])
      }
    }

    /// What is there, nil when nothing is; empty at the end.
    static func text(in pipe: Int32) -> String? {
      var bytes = [UInt8](repeating: 0, count: 100)
      let count = read(pipe, &bytes, bytes.count)
      return count < 0 ? nil : String(decoding: bytes.prefix(count), as: UTF8.self)
    }

    func closeWriting(_ pipe: Int) {
      close(self[pipe].write)
      ends.withLock { $0.ends[pipe]?.write = -1 }
    }

    deinit {
      for (read, write) in ends.withLock({ Array($0.ends.values) }) {
        close(read)
        if write >= 0 { close(write) }
      }
    }
  }
  let pipes = Pipes()

  var body: PluginBody {
    Watch("texts", "What comes out of a pipe.") { (place: Place, _) in
      let pipe = pipes[place.pipe].read
      return try Readiness(of: pipe).compactMap { _ in Pipes.text(in: pipe) }.prefix { !$0.isEmpty }
    }
    .positional("pipe")
    Immediate("put", "Puts a text in.") { (text: Text, _) in
      _ = write(pipes[text.pipe].write, text.text, text.text.utf8.count)
    }
    .positional("pipe", "text")
    Immediate("end", "Closes the end that is written to.") { (place: Place, _) in
      pipes.closeWriting(place.pipe)
    }
    .positional("pipe")
    Detached("work", "Answers from a worker's thread.") { (count: Count, _) in count.count }
      .positional("count")
    Action("block", "Answers from a thread that may block.") { (count: Count, _) in
      try await Blocking.run { count.count }
    }
    .positional("count")
  }
}

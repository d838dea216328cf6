import NBridgePlugin
import NBridgeTesting
import SerialPlugin
import Testing

/// Real pseudo-terminals; each test runs in every way in which a plugin comes into a program.
@Suite struct SerialPluginTests {
  func run(_ way: PluginWay, _ script: String) async -> String {
    await ScriptHarness.$way.withValue(way) {
      var harness = ScriptHarness(plugins: [SerialPlugin(), WorkPlugin()])
      harness.usesRealTime = true
      let result = await harness.run(
        """
        const { serial, work } = nbridge;
        const encode = (text) => new TextEncoder().encode(text);
        const code = (promise) => promise.then(() => "done", (error) => error.code);
        const open = async (baud) => {
          const { path, port: device } = await serial.pretend();
          return { device, port: await serial.open(path, { baud }) };
        };

        """ + script)
      return result.output + result.errors
    }
  }

  @Test(arguments: PluginWay.allCases) func linesComeWholeHoweverTheyAreWritten(_ way: PluginWay) async {
    let output = await run(
      way,
      """
      const { device, port } = await open(115200);
      const lines = port.lines();
      for (const piece of ["one\\ntw", "o\\r", "\\n", "\\nrest"]) await device.write(encode(piece));
      for (let i = 0; i < 3; i++) console.log(JSON.stringify((await lines.next()).value));
      await device.close();
      for await (const line of lines) console.log("then", line);
      """)
    #expect(output == "\"one\"\n\"two\"\n\"\"\nthen rest\n")
  }

  @Test(arguments: PluginWay.allCases) func bytesComeAsTheyAre(_ way: PluginWay) async {
    let output = await run(
      way,
      """
      const { device, port } = await open();
      const all = Uint8Array.from({ length: 256 }, (_, i) => i), got = [];
      await port.write(all);
      for await (const bytes of device.bytes()) {
        got.push(...bytes);
        if (got.length === 256) break;
      }
      console.log(got.every((byte, i) => byte === i));
      """)
    #expect(output == "true\n")
  }

  /// More than a terminal holds: the writer waits for its reader, and the second writer for the first.
  @Test(arguments: PluginWay.allCases) func writersTakeTurns(_ way: PluginWay) async {
    let output = await run(
      way,
      """
      const { device, port } = await open();
      const big = (letter) => port.write(new Uint8Array(100_000).fill(letter.charCodeAt(0)));
      const writes = Promise.all([big("a"), big("b")]);
      let text = "";
      for await (const bytes of device.bytes()) {
        text += new TextDecoder().decode(bytes);
        if (text.length === 200_000) break;
      }
      await writes;
      console.log(text === "a".repeat(100_000) + "b".repeat(100_000));
      """)
    #expect(output == "true\n")
  }

  @Test(arguments: PluginWay.allCases) func aWriterThatNobodyReadsCanBeCancelled(_ way: PluginWay) async {
    let output = await run(
      way,
      """
      const { port } = await open(), stop = new AbortController();
      const write = port.write(new Uint8Array(1_000_000), { signal: stop.signal });
      setTimeout(() => stop.abort(), 1);
      console.log(await code(write));
      await port.close();
      console.log(await code(port.write(encode("x"))));
      """)
    #expect(output == "cancelled\nclosed\n")
  }

  /// More ports than any pool has threads, each with a reader that waits: work that needs a thread goes on.
  @Test(arguments: PluginWay.allCases) func fortyOpenPortsHoldNoThread(_ way: PluginWay) async {
    let output = await run(
      way,
      """
      const ports = await Promise.all(Array.from({ length: 40 }, () => open()));
      const first = ports.flatMap(({ device, port }) => [device, port].map((end) => end.lines().next()));
      const sums = await Promise.all(Array.from({ length: 200 }, (_, n) => work.add(n, 1)));
      console.log(sums.length);
      for (const { device, port } of ports) {
        await device.write(encode("to port\\n"));
        await port.write(encode("to device\\n"));
      }
      const lines = (await Promise.all(first)).map(({ value }) => value);
      console.log(lines.filter((line, i) => line === (i % 2 ? "to port" : "to device")).length);
      // Open watches would keep the program alive.
      await Promise.all(ports.flatMap(({ device, port }) => [device.close(), port.close()]));
      """)
    #expect(output == "200\n80\n")
  }

  @Test(arguments: PluginWay.allCases) func whatIsNoSerialDeviceIsRefused(_ way: PluginWay) async {
    let output = await run(
      way,
      """
      const show = (promise) => promise.catch((error) => console.log(error.code, error.message));
      await show(serial.open("/dev/null"));
      await show(serial.open("/dev/nothing"));
      console.log(await code(serial.open("/dev/null", { baud: 7 })));
      """)
    #expect(
      output == """
        not_serial '/dev/null' is no serial device
        not_found can't open '/dev/nothing': No such file or directory
        invalid_parameter

        """)
  }
}

/// Another plugin, whose work needs a thread.
struct WorkPlugin: Plugin {
  static let manifest = PluginManifest(service: "work", version: "1.0.0", help: "Works.")

  struct Numbers: Codable { var left: Int, right: Int }

  var body: PluginBody {
    Detached("add", "Adds.") { (numbers: Numbers, _) in numbers.left + numbers.right }
      .positional("left", "right")
  }
}

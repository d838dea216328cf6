import NBridgePlugin
import NBridgeTesting
import Synchronization
import Testing

@testable import ImagePlugin

/// Each test of scripts runs in every way in which a plugin comes into a program.
@Suite struct ImagePluginTests {
  func run(_ way: PluginWay, _ script: String) async -> String {
    await ScriptHarness.$way.withValue(way) {
      let result = await ScriptHarness(plugins: [ImagePlugin()]).run(
        """
        const { image } = nbridge;
        const flat = (width, height, ...colour) => ({ width, height,
          pixels: Uint8Array.from({ length: width * height * 4 }, (_, i) => colour[i % 4]) });
        const show = (promise) => promise.catch(({ code, message }) => console.log(code, "-", message));

        """ + script)
      return result.output + result.errors
    }
  }

  @Test(arguments: PluginWay.allCases) func sixteenMebibytesCrossBothWays(_ way: PluginWay) async {
    let output = await run(
      way,
      """
      const big = { width: 2048, height: 2048, pixels: new Uint8Array(16 << 20).fill(200) };
      const small = await image.thumbnail(big, 100), same = await image.resize(big, 2048, 2048);
      console.log(small.width, small.height, small.pixels.every((byte) => byte === 200));
      console.log(same.pixels.length, same.pixels.at(-1), same.pixels === big.pixels);
      """)
    #expect(output == "100 100 true\n16777216 200 false\n")
  }

  @Test(arguments: PluginWay.allCases) func aPictureIsScaledByMeans(_ way: PluginWay) async {
    let output = await run(
      way,
      """
      const pixels = new Uint8Array([0, 0, 0, 255, 100, 0, 0, 255, 200, 0, 0, 255, 100, 0, 0, 255]);
      const two = { width: 2, height: 2, pixels };
      console.log((await image.resize(two, 1, 1)).pixels.join());
      console.log((await image.resize(two, 4, 1)).pixels.filter((_, i) => i % 4 === 0).join());
      const wide = await image.thumbnail(flat(400, 100, 1, 2, 3, 4), 40);
      console.log(wide.width, wide.height, wide.pixels.slice(-4).join());
      """)
    #expect(output == "100,0,0,255\n100,100,100,100\n40 10 1,2,3,4\n")
  }

  @Test(arguments: PluginWay.allCases) func aBlurKeepsColoursAndTellsHowFarItIs(_ way: PluginWay) async {
    let output = await run(
      way,
      """
      const shares = [], progress = (share) => shares.push(share);
      const flatter = await image.blur(flat(30, 20, 9, 8, 7, 255), { radius: 3 }, { progress });
      console.log(flatter.pixels.every((byte, i) => byte === [9, 8, 7, 255][i % 4]));
      console.log(shares.every((share, i) => share >= 0 && share <= 1 && (i === 0 || share > shares[i - 1])));
      const dot = flat(9, 9, 0, 0, 0, 255);
      dot.pixels[(4 * 9 + 4) * 4] = 255;
      const { pixels } = await image.blur(dot, { radius: 1 }), red = (x, y) => pixels[(y * 9 + x) * 4];
      console.log(red(4, 4) > red(5, 4), red(5, 4) === red(4, 3), red(5, 4) > 0, red(0, 0));
      """)
    #expect(output == "true\ntrue\ntrue true true 0\n")
  }

  @Test(arguments: PluginWay.allCases) func whatIsWrittenIsReadAgain(_ way: PluginWay) async {
    let output = await run(
      way,
      """
      const picture = flat(3, 2, 10, 13, 35, 128);
      for (const format of ["ppm", "pam"]) {
        const read = await image.decode(await image.encode(picture, { format }));
        console.log(read.width, read.height, read.pixels.slice(0, 4).join());
      }
      const text = "P6 # made by hand\\n1 1\\n# eight bits\\n255\\nabc";
      console.log((await image.decode(new TextEncoder().encode(text))).pixels.join());
      """)
    #expect(output == "3 2 10,13,35,255\n3 2 10,13,35,128\n97,98,99,255\n")
  }

  @Test(arguments: PluginWay.allCases) func whatIsNoPictureIsRefused(_ way: PluginWay) async {
    let output = await run(
      way,
      """
      const text = (text) => image.decode(new TextEncoder().encode(text));
      await show(text("GIF89a"));
      await show(text("P6 2 2 255\\nabc"));
      await show(text("P6 99999 99999 255\\nabc"));
      await show(text("P7\\nWIDTH 1\\nHEIGHT 1\\nDEPTH 3\\nMAXVAL 255\\nENDHDR\\nabc"));
      await show(image.blur({ width: 2, height: 2, pixels: new Uint8Array(5) }));
      await show(image.thumbnail({ width: 2 ** 40, height: 2 ** 40, pixels: new Uint8Array(5) }));
      await show(image.blur(flat(1, 1, 0, 0, 0, 0), { radius: 0 }));
      """)
    #expect(
      output == """
        not_a_picture - the picture has no whole header
        not_a_picture - the picture is cut off
        too_large - a side of a picture has at most 16384 pixels
        not_a_picture - the picture is no RGB_ALPHA
        invalid_parameter - a picture of 2 x 2 has 16 bytes, not 5
        too_large - a side of a picture has at most 16384 pixels
        invalid_parameter - option.radius must be from 1 to 100, not 0

        """)
  }

  // MARK: - Handlers by themselves

  /// The work itself ends, not only the call: behind the signal there is no further row.
  @Test func aBlurThatIsCancelledStopsBeforeTheNextRow() throws {
    let test = TestCall(service: "image")
    let picture = Picture(width: 2048, height: 2048, pixels: Bytes(capacity: 16 << 20) { $0.count })
    let rows = Atomic(0)
    let steps = Steps(
      check: {
        try test.call.checkCancellation()
        // As a script does in the middle, on its own thread.
        if rows.add(1, ordering: .relaxed).newValue == 100 { test.cancel() }
      }, tell: { test.call.progress($0) })
    let error = #expect(throws: BridgeError.self) { try picture.blurred(radius: 10, steps) }
    #expect(error?.code == .cancelled && rows.load(ordering: .relaxed) == 100)
  }

  /// A signal that comes from another thread, at any moment, ends it within a few milliseconds; a debug build
  /// on a busy machine has twenty times as long.
  @Test func aSignalEndsABlurSoon() async throws {
    let test = TestCall(service: "image")
    let picture = Picture(width: 2048, height: 2048, pixels: Bytes(capacity: 16 << 20) { $0.count })
    async let ended = Blocking.run {
      let error = #expect(throws: BridgeError.self) { try picture.blurred(radius: 10, Steps(test.call)) }
      return (error?.code, ContinuousClock.now)
    }
    while test.progress.isEmpty { await Task.yield() }
    let cancelled = ContinuousClock.now
    test.cancel()
    let (code, end) = try await ended
    #expect(code == .cancelled && end - cancelled < .milliseconds(200), "\(end - cancelled)")
  }
}

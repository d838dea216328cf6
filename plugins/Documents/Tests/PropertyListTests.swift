// SPDX-License-Identifier: MIT

import BothWays
import DocumentsPlugin
import NBridgeTesting
import Testing

/// Property lists, and what only looks like one.
@Suite(.bothWays) struct PropertyListTests {
  func expect(_ script: String, prints expected: String) async {
    await DocumentsFixture.with { fixture in
      let result = await fixture.run(script)
      #expect(result.output == expected, "\(result.errors)")
    }
  }

  @Test(arguments: ["false", "true"])
  func valuesComeBackAsTheyWere(_ binary: String) async {
    await expect(
      """
      const value = { text: "h\\u00e9 <&> \\ud83d\\ude00", whole: 7, real: 1.5, big: 2n ** 60n,
        most: 2n ** 64n - 1n, negative: -3,
        yes: true, no: false, date: new Date(1e12), data: new Uint8Array([0, 255]), list: [[], {}, ["x"]],
          "": "empty" };
      await d.write("f", value, { format: "propertyList", binary: \(binary) });
      const back = await d.read("f", { format: "propertyList" });
      for (const key of Object.keys(value)) {
        const same = nbridge.version &&
          JSON.stringify(back[key], (k, v) => typeof v === "bigint" ? `${v}n` : v)
          === JSON.stringify(value[key], (k, v) => typeof v === "bigint" ? `${v}n` : v);
        if (!same) console.log(key, back[key], value[key]);
      }
      console.log(Object.keys(back).length, back.date instanceof Date, back.data instanceof Uint8Array,
        (await d.read("f", { format: "bytes" }))[0] === ("\(binary)" === "true" ? 98 : 60));
      """, prints: "12 true true true\n")
  }

  @Test func itReadsWhatOthersWrote() async {
    await expect(
      """
      await d.write("f", `<?xml version="1.0" encoding="UTF-8"?>
      <!DOCTYPE plist PUBLIC "-//Apple//DTD PLIST 1.0//EN" "http://www.apple.com/DTDs/PropertyList-1.0.dtd">
      <plist version="1.0"><!-- a <dict> that is none \
      --><dict><key>a</key><array><integer>1</integer><real>2.5</real><true/></array>
      <key>d</key><date>2026-01-02T03:04:05Z</date><key>x</key><data> AAEC </data></dict></plist>`);
      console.log(await d.read("f", { format: "propertyList" }));
      """,
      prints: """
        {
          a: [ 1, 2.5, true ],
          d: 2026-01-02T03:04:05.000Z,
          x: Uint8Array(3) [ 0, 1, 2 ]
        }

        """)
  }

  @Test func whatItCannotHoldIsNamed() async {
    await expect(
      """
      await t(() => d.write("f", { a: [1, null] }, { format: "propertyList" }));
      await t(() => d.write("f", { a: new Map() }, { format: "propertyList" }));
      await t(() => d.write("f", 1n << 70n, { format: "propertyList" }));
      await t(() => d.append("f", {}, { format: "propertyList" }));
      await d.write("f", { a: undefined, b: 1 }, { format: "propertyList" });
      console.log(await d.read("f", { format: "propertyList" }));
      """,
      prints: """
        invalid_parameter can't write 'f' as a property list: content.a[1] is null, \
        which property lists don't know
        invalid_parameter can't write 'f' as a property list: content.a is map, \
        which property lists don't know
        invalid_parameter can't write 'f' as a property list: content is a number that is no 64-bit integer
        invalid_parameter a property list is written whole; append takes text and bytes
        { b: 1 }

        """)
  }

  /// The integer without a counterpart of the other sign.
  @Test(arguments: ["false", "true"])
  func theLeastIntegerComesBack(_ binary: String) async {
    await expect(
      """
      for (const least of [-(2n ** 63n), -(2 ** 63)]) {
        await d.write("f", { least }, { format: "propertyList", binary: \(binary) });
        console.log((await d.read("f", { format: "propertyList" })).least);
      }
      await d.write("f", '<plist version="1.0"><integer>-9223372036854775808</integer></plist>');
      console.log(await d.read("f", { format: "propertyList" }));
      """, prints: "-9223372036854775808n\n-9223372036854775808n\n-9223372036854775808n\n")
  }

  @Test func datesThatItCanNotHoldAreNamed() async {
    await expect(
      """
      const o = { format: "propertyList" }, b = { ...o, binary: true };
      const one = new Date("0001-01-01T00:00:00Z"), before = new Date(one - 1), last = new Date(8.64e15),
        least = new Date(-8.64e15);
      await t(() => d.write("f", { a: [one, before] }, o)); await t(() => d.write("f", [new Date(NaN)], b));
      await t(() => d.write("f", least, o));
      const same = async (options, ...dates) => {
        await d.write("f", dates, options);
        console.log((await d.read("f", o)).every((date, index) => +date === +dates[index]));
      };
      await same(o, one, last, new Date(0)); await same(b, one, before, last, least, new Date(1.5e12 + 1));
      await d.write("f",
        '<plist version="1.0"><array><date>\\n -0044-03-15T12:00:00Z</date></array></plist>');
        await t(() => d.read("f", o));
      const date = [0x33, 0x7F, 0xF0, 0, 0, 0, 0, 0, 0],
        bytes = [...new TextEncoder().encode("bplist00"), 0xA1, 1, ...date, 8, 10, 0, 0, 0, 0, 0, 0, 1, 1];
      for (const number of [2, 0, 19]) bytes.push(0, 0, 0, 0, 0, 0, 0, number);
      await d.write("f", new Uint8Array(bytes)); await t(() => d.read("f", o));
      """,
      prints: """
        invalid_parameter can't write 'f' as a property list: content.a[1] is a date before the year 1, \
        which only binary property lists can hold
        invalid_parameter can't write 'f' as a property list: content[0] is a date without a time
        invalid_parameter can't write 'f' as a property list: content is a date before the year 1, \
        which only binary property lists can hold
        true
        true
        invalid_data 'f' is not a property list: it holds a date before the year 1, which XML can't hold
        invalid_data 'f' is not a property list: content[0] is a date that JavaScript does not know

        """)
  }

  /// Lists that hold themselves, that are deeper than any stack, or that stand for more values than memory
  /// holds.
  @Test func damagedAndMaliciousOnesAreRefused() async {
    await expect(
      """
      const binary = (objects) => {
        const bytes = [...new TextEncoder().encode("bplist00")], at = [];
        for (const object of objects) { at.push(bytes.length); bytes.push(...object) }
        const table = bytes.length; for (const place of at) bytes.push(place >> 8, place & 255);
        bytes.push(0, 0, 0, 0, 0, 0, 2, 1);
        for (const number of [objects.length, 0, table]) bytes.push(0, 0, 0, 0, 0, 0, number >> 8,
          number & 255);
        return new Uint8Array(bytes);
      };
      const read = async (content) => { await d.write("f", content);
        await t(() => d.read("f", { format: "propertyList" })) };
      await read(binary([[0xA1, 0]]));
      await read(binary([...Array(30)].map((_, i) => [0xAF, 0x10, 16,
        ...Array(16).fill(i + 1)]).concat([[8]])));
      await read(binary([[0xA1, 1], [0x80, 5]]));
      await read(binary([[0xA1, 9]]));
      await read(binary([[0xAF, 0x13, 255, 255, 255, 255, 255, 255, 255, 255]]));
      await read('<plist version="1.0">' + "<array>".repeat(100_000) + "</array>".repeat(
        100_000) + "</plist>");
      await read('<plist version="1.0">' + "<array><!--</array>-->".repeat(5000) + "</array>".repeat(
        5000) + "</plist>");
      await read('<plist version="1.0"><dict><key>a</key></dict></plist>'); await read("hello");
      await read(""); await read("bplist00");
      await read(new Uint8Array([...new TextEncoder().encode('<plist version="1.0"><array><integer>'),
        ...Array(16).fill(255)]));
      """,
      prints: """
        invalid_data 'f' is not a property list: its values stand more than 512 levels deep in each other, \
        or in themselves
        invalid_data 'f' is not a property list: it stands for more than 1048576 values
        invalid_data 'f' is not a property list: it holds a UID, as archives of objects do
        invalid_data 'f' is not a property list: it is damaged
        invalid_data 'f' is not a property list: it is damaged
        invalid_data 'f' is not a property list: its values stand more than 512 levels deep in each other, \
        or in themselves
        invalid_data 'f' is not a property list: its values stand more than 512 levels deep in each other, \
        or in themselves
        invalid_data 'f' is not a property list: it is damaged, or holds what can't be read
        hello
        invalid_data 'f' is not a property list: it is damaged, or holds what can't be read
        invalid_data 'f' is not a property list: it is damaged
        invalid_data 'f' is not a property list: it is not text in UTF-8

        """)
  }
}
